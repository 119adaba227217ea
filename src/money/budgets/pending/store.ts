/**
 * What accepted calls are going to cost while their operations run: the meter of a resource starts when its
 * operation ends.
 */
import { type RawBuilder, sql } from 'kysely';
import '../../../kernel/operations/store.ts';
import type { Micro } from '../../../kernel/micro.ts';

declare module '../../../store/database.ts' {
  interface Tables {
    pending_costs: {
      operation_id: string;
      line: number;
      family: string;
      labels: Record<string, string>;
      /** What the operation adds to the price of a month. */
      monthly_micros: bigint;
      resource_id: string | null;
      monthly_after_micros: bigint | null;
    };
  }
}

export interface NewCost {
  readonly family: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly monthly: Micro;
  readonly resourceId: string;
  readonly monthlyAfter: Micro;
}

/** The rows of an operation. `lockBlockingBudgets` inserts them. */
export const pendingRows = (operationId: string, costs: readonly NewCost[]) =>
  costs.map(({ family, labels, monthly, resourceId, monthlyAfter }, line) => ({
    operation_id: operationId,
    line,
    family,
    labels,
    monthly_micros: monthly,
    resource_id: resourceId,
    monthly_after_micros: monthlyAfter,
  }));

export type PendingRow = ReturnType<typeof pendingRows>[number];

/** What a resource counts already, in a scope of the meter. */
export interface Counted {
  readonly family: string;
  readonly apiKeyId: string | null;
  readonly committed: Micro;
}

export interface PendingCost {
  readonly family: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The keys of the call and of the creation of the resource. */
  readonly apiKeyIds: readonly string[];
  readonly resourceId: string | null;
  /** By how much the price of a month rises. */
  readonly monthly: Micro;
  /** The price of a month when the operation has ended. */
  readonly monthlyAfter: Micro;
  /** By scope. Empty if nothing was billed for the resource this month. */
  readonly counted: Readonly<Record<string, Counted>>;
}

type Amounts = 'monthly' | 'monthlyAfter' | 'counted';

export type StoredCost = Omit<PendingCost, Amounts> & {
  readonly monthly: string;
  readonly monthlyAfter: string | null;
  readonly counted: Readonly<
    Record<string, Omit<Counted, 'committed'> & { readonly committed: string }>
  > | null;
};

/** The costs of operations that have not ended; `month` is the first day of the present month. */
export const pendingCostsOf = (accountId: string, month: string): RawBuilder<StoredCost> => sql`
  select p.family, p.labels, array_remove(array[o.api_key_id, r.api_key_id], null) as "apiKeyIds",
    p.resource_id as "resourceId", p.monthly_micros::text as monthly,
    p.monthly_after_micros::text as "monthlyAfter", meter.counted
  from operations o join pending_costs p on p.operation_id = o.id left join resources r on r.id = p.resource_id
  left join lateral (
    select jsonb_object_agg(scope, jsonb_build_object('family', family, 'apiKeyId', api_key_id, 'committed',
      committed)) as counted
    from (
      select scope, family, api_key_id, trunc(sum(e.committed))::text as committed from meter_entries e
      where e.resource_id = p.resource_id and (e.kind = 'commitment' and e.month = ${month}::date
        or e.kind = 'carry' and e.month <= ${month}::date)
      group by scope, family, api_key_id
      having bool_or(e.kind = 'commitment') or sum(e.cost_slope) <> 0) scopes) meter on true
  where o.account_id = ${accountId} and o.status in ('queued', 'running', 'cancelling')`;

export const readPendingCost = ({ monthly, monthlyAfter, counted, ...row }: StoredCost): PendingCost => ({
  ...row,
  monthly: BigInt(monthly),
  monthlyAfter: BigInt(monthlyAfter ?? 0),
  counted: Object.fromEntries(
    Object.entries(counted ?? {}).map(([scope, { committed, ...origin }]) => [
      scope,
      { ...origin, committed: BigInt(committed) },
    ]),
  ),
});
