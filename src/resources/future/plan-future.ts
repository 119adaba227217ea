/**
 * For calls that set or change a schedule, or what it covers: writes what the schedule is going to add, and reports the
 * difference as the cost of the call. So budgets and approvals see a cost when it is decided, not when it arises.
 */
import type { RawBuilder } from 'kysely';
import type { Call } from '../../kernel/call.ts';
import { pricePlan } from '../../money/future/price-plan.ts';
import {
  lockPlan,
  type Planned,
  type PlanScope,
  planIn,
  type Setter,
  takeOver,
  writePlan,
} from '../../money/future/store.ts';
import { formatMoney } from '../../money/prices/format.ts';

type Planner = Pick<Call, 'db' | 'services' | 'now' | 'cost' | 'caller' | 'warn'>;

export const setterIn = ({ caller }: Pick<Call, 'caller'>): Setter => ({
  api_key_id: caller.key?.id ?? null,
  member_id: caller.owner?.memberId ?? null,
});

const idOf = (scope: PlanScope): string => ('scheduleId' in scope ? scope.scheduleId : scope.resourceId);

interface Plan {
  readonly scope: PlanScope;
  /** Selects what the schedule is going to add after the call. */
  readonly planned: RawBuilder<Planned>;
  /** What will be added, for the sentence of the warning: `backups of the policy nightly`. */
  readonly what: string;
}

/** If the plan becomes dearer, it belongs to this caller from now on: it counts for the budgets of its key. */
export async function planFuture(call: Planner, { scope, planned, what }: Plan): Promise<void> {
  const { db, services, now } = call;
  const price = async () => pricePlan(services.tariff, await planIn(db, scope), now);
  await lockPlan(db, scope);
  const before = await price();
  await writePlan(db, scope, planned, setterIn(call));
  const after = await price();
  const monthly = after.monthly - before.monthly;
  if (monthly > 0n) {
    await takeOver(db, scope, setterIn(call));
    const { currency } = services.provider.provider;
    const detail = `The cost includes at most ${formatMoney(monthly)} ${currency} a month for ${what}. It arises later, and counts for budgets from now on.`;
    call.warn({ code: 'cost_arises_later', detail });
  }
  const hourly = after.hourly - before.hourly;
  const lines = monthly > 0n ? { lines: [{ description: `At most, for ${what}`, hourly, monthly }] } : {};
  report(call, scope, { hourly, monthly, monthlyAfter: after.monthly, ...lines });
}

/** The schedule, or the resource that it covers, ends with this call. Its plan is deleted with its inventory entry. */
export async function endFuture(
  call: Pick<Planner, 'db' | 'services' | 'now' | 'cost'>,
  scope: PlanScope,
): Promise<void> {
  const { hourly, monthly } = pricePlan(call.services.tariff, await planIn(call.db, scope), call.now);
  report(call, scope, { hourly: -hourly, monthly: -monthly, monthlyAfter: 0n });
}

type Change = Pick<Parameters<Call['cost']>[0], 'hourly' | 'monthly' | 'monthlyAfter' | 'lines'>;

/** Plans have no labels: their sums would grow with the number of label sets. */
function report({ cost }: Pick<Call, 'cost'>, scope: PlanScope, change: Change): void {
  if (change.hourly === 0n && change.monthly === 0n) return;
  cost({ ...change, labels: {}, resourceId: idOf(scope), creatorKeyId: null, isPlanned: true });
}
