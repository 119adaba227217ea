/** Computes the cost so far and the forecast of budgets from the meter. */
import { type Micro, sum } from '../../kernel/micro.ts';
import { parseLabelSelector } from '../../kernel/pages/label-selector.ts';
import type { Db } from '../../store/database.ts';
import { monthOf } from '../metering/calendar.ts';
import { isInScope, type SpendingScope } from '../metering/scope.ts';
import type { Ledger, Origin } from '../metering/span.ts';
import { commitmentsOn, forecastOf, spentByOrigin } from '../metering/spent.ts';
import { readLedger, readLedgerBeside } from '../metering/store.ts';
import type { Figures, Scope } from './budget.ts';
import { pendingCostsOf, readPendingCost } from './pending/store.ts';

type Scoped = { readonly scope: Scope };

export function spendingScope({ families, label_selector, api_key_ids }: Scope): SpendingScope {
  return {
    ...(families === null ? {} : { families }),
    ...(label_selector === null ? {} : { selector: parseLabelSelector(label_selector) }),
    ...(api_key_ids === null ? {} : { apiKeyIds: api_key_ids }),
  };
}

/** Reduces the ledger of the account to the families and API keys of a scope. */
function narrow({ spans, readings }: Ledger, scope: Scope): Ledger {
  const isIn = (origin: Origin): boolean => isMadeBy(origin, scope);
  return { spans: spans.filter(isIn), readings: readings.filter(isIn) };
}

/**
 * The family and the creating key of a resource never change, so a ledger keeps all spans of a resource or
 * none. Monthly caps therefore stay correct.
 */
const isMadeBy = (
  { family, apiKeyId }: Pick<Origin, 'family' | 'apiKeyId'>,
  { families, api_key_ids: keys }: Scope,
): boolean =>
  (families?.includes(family) ?? true) && (keys === null || (apiKeyId !== null && keys.includes(apiKeyId)));

/** Returns figures for the month of `now`, in the order of the budgets. Reads the meter once for all budgets. */
export async function figuresOf(
  db: Db,
  accountId: string,
  budgets: readonly Scoped[],
  now: Date,
): Promise<Figures[]> {
  if (budgets.length === 0) return [];
  const month = monthOf(now);
  const ledger = await readLedger(db, accountId, month);
  return budgets.map(({ scope }) => {
    const { spent, total } = forecastOf(narrow(ledger, scope), month, spendingScope(scope), now);
    return { spent, forecast: total };
  });
}

/** What a call must fit beside, within the scope of a budget. */
export interface Load {
  readonly spent: Micro;
  /** What runs or is being created, for a whole month, and what this month has cost otherwise. */
  readonly committed: Micro;
}

/**
 * Returns loads in the order of the budgets. Reads the meter and the pending costs in one statement: the end of an
 * operation moves its cost from one to the other, and between two statements it would be in neither.
 */
export async function loadsOf(
  db: Db,
  accountId: string,
  budgets: readonly Scoped[],
  now: Date,
): Promise<Load[]> {
  if (budgets.length === 0) return [];
  const month = monthOf(now);
  const { ledger, others } = await readLedgerBeside(db, accountId, month, pendingCostsOf(accountId));
  const pending = others.map(readPendingCost);
  const spent = [...spentByOrigin(ledger, month, now)];
  const committedTo = commitmentsOn(ledger, month, now);
  return budgets.map(({ scope }) => {
    const part = spendingScope(scope);
    const counts = (origin: Origin): boolean => isMadeBy(origin, scope) && isInScope(origin, part);
    const coming = pending.filter(
      (cost) =>
        cost.apiKeyIds.some((apiKeyId) => isMadeBy({ ...cost, apiKeyId }, scope)) && isInScope(cost, part),
    );
    return {
      spent: sum(spent.filter(([origin]) => counts(origin)).map(([, cost]) => cost)),
      committed: committedTo(counts, coming),
    };
  });
}
