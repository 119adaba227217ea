/** Computes the cost so far, the forecast and the commitments of budgets from the sums of the meter. */
import { divide, type Micro, most, sum } from '../../kernel/micro.ts';
import { parseLabelSelector } from '../../kernel/pages/label-selector.ts';
import type { Db } from '../../store/database.ts';
import { pricePlan } from '../future/price-plan.ts';
import { type Future, futureOf } from '../future/store.ts';
import { monthAt, monthOf } from '../metering/calendar.ts';
import { isInScope, type SpendingScope } from '../metering/scope.ts';
import type { Origin } from '../metering/span.ts';
import { atThisPace } from '../metering/spent.ts';
import { costToEnd, costWithin, type Entry, SCALE } from '../metering/totals/entry.ts';
import type { Tariff } from '../prices/tariff.ts';
import type { Figures, Scope } from './budget.ts';
import { readLoads, type Selection } from './load/store.ts';
import type { PendingCost } from './pending/store.ts';

/** A budget that is stored: its scope in the meter is filled when it is written. */
export interface Scoped {
  readonly id: string;
  readonly scope: Scope;
}

export function spendingScope({ families, label_selector, api_key_ids }: Scope): SpendingScope {
  return {
    ...(families === null ? {} : { families }),
    ...(label_selector === null ? {} : { selector: parseLabelSelector(label_selector) }),
    ...(api_key_ids === null ? {} : { apiKeyIds: api_key_ids }),
  };
}

/** A budget with a label selector has a scope of its own in the meter, which contains only what the budget covers. */
export function selectionOf({ id, scope }: Scoped): Selection {
  const { families, label_selector, api_key_ids: apiKeyIds } = scope;
  if (label_selector === null) return { scope: '', families, apiKeyIds };
  // Throws if the selector cannot be read. Otherwise such a budget would count nothing, and nobody would notice.
  parseLabelSelector(label_selector);
  return { scope: id, families: null, apiKeyIds: null };
}

const isMadeBy = (
  { family, apiKeyId }: Pick<Origin, 'family' | 'apiKeyId'>,
  { families, api_key_ids: keys }: Scope,
): boolean =>
  (families?.includes(family) ?? true) && (keys === null || (apiKeyId !== null && keys.includes(apiKeyId)));

const isMetered = ({ pace }: Entry): boolean => pace === 'metered';

/** The costs of the month of `now` in which the entries were added up. */
function costsOf(entries: readonly Entry[], now: Date) {
  const month = monthAt(now.getTime());
  const spent = (some: readonly Entry[]): Micro =>
    divide(sum(some.map((entry) => costWithin(entry, month, month.from, now.getTime()))), SCALE);
  const fixed = entries.filter((entry) => !isMetered(entry));
  const metered = spent(entries.filter(isMetered));
  return {
    spent: spent(fixed) + metered,
    due: divide(sum(fixed.map((entry) => costToEnd(entry, month, month.from))), SCALE),
    meteredDue: atThisPace(metered, monthOf(now), now.getTime()),
  };
}

/** Returns figures for the month of `now`, in the order of the budgets. Reads the meter once for all budgets. */
export async function figuresOf(
  db: Db,
  accountId: string,
  budgets: readonly Scoped[],
  now: Date,
): Promise<Figures[]> {
  if (budgets.length === 0) return [];
  const { entries, pending } = await readLoads(db, accountId, budgets.map(selectionOf), now);
  return budgets.map((budget, i) => {
    const own = entries[i] ?? [];
    const { spent, due, meteredDue } = costsOf(own, now);
    const committed = committedOf(budget, own, pending, meteredDue);
    return { spent, forecast: due + meteredDue, committed };
  });
}

/** What a call must fit beside, within the scope of a budget. */
export interface Load {
  readonly spent: Micro;
  /** What runs, is being created or is planned by schedules, for a whole month, and what this month has cost otherwise. */
  readonly committed: Micro;
}

/**
 * What operations that have not ended add to the commitments of a budget. A resource that is billed already counts with
 * its price after the operation, if that is more; so it counts the same before and after the operation has ended.
 */
function pendingWithin({ id, scope }: Scoped, pending: readonly PendingCost[]): Micro {
  const part = spendingScope(scope);
  const { scope: counted } = selectionOf({ id, scope });
  const raised = new Map<string, Micro>();
  let beside = 0n;
  for (const cost of pending) {
    // A call of a person who is signed in has no key.
    const keys = cost.apiKeyIds.length === 0 ? [null] : cost.apiKeyIds;
    const isCovered = keys.some((apiKeyId) => isMadeBy({ ...cost, apiKeyId }, scope));
    if (!isCovered || !isInScope(cost, part)) continue;
    const known = cost.counted[counted];
    if (cost.resourceId === null || known === undefined || !isMadeBy(known, scope)) beside += cost.monthly;
    else {
      const by = most(0n, cost.monthlyAfter - known.committed);
      raised.set(cost.resourceId, most(raised.get(cost.resourceId) ?? 0n, by));
    }
  }
  return beside + sum(raised.values());
}

/**
 * Everything that is committed in a month within the scope of a budget: what the resources count, what operations are
 * adding to it, and metered use at its pace so far.
 */
function committedOf(
  budget: Scoped,
  entries: readonly Entry[],
  pending: readonly PendingCost[],
  meteredDue: Micro,
): Micro {
  const counted = sum(entries.map(({ committed }) => committed));
  return counted + pendingWithin(budget, pending) + meteredDue;
}

/** What schedules are going to add within the scope of a budget. */
function plannedWithin({ scope }: Scoped, future: readonly Future[]): Future[] {
  const part = spendingScope(scope);
  return future.filter(
    (plan) => isMadeBy({ ...plan, apiKeyId: plan.api_key_id }, scope) && isInScope(plan, part),
  );
}

/**
 * Returns loads in the order of the budgets. What has begun is read of one moment. The tariff prices what schedules are
 * going to add; with `null` this does not count.
 */
export async function loadsOf(
  db: Db,
  accountId: string,
  budgets: readonly Scoped[],
  now: Date,
  tariff: Tariff | null,
): Promise<Load[]> {
  if (budgets.length === 0) return [];
  const { entries, pending } = await readLoads(db, accountId, budgets.map(selectionOf), now);
  // Read last: when a planned resource fails or is deleted, it becomes planned again. It may be counted twice, but never
  // left out. Whoever starts a planned resource locks the budgets first.
  const future = tariff === null ? [] : await futureOf(db, accountId);
  return budgets.map((budget, i) => {
    const own = entries[i] ?? [];
    const { spent, meteredDue } = costsOf(own, now);
    const begun = committedOf(budget, own, pending, meteredDue);
    if (tariff === null) return { spent, committed: begun };
    return { spent, committed: begun + pricePlan(tariff, plannedWithin(budget, future), now).monthly };
  });
}
