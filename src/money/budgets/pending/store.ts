/**
 * What accepted calls are going to cost while their operations run: the meter of a resource starts when its
 * operation ends.
 */
import { type RawBuilder, sql } from 'kysely';
import '../../../kernel/operations/store.ts';
import type { Micro } from '../../../kernel/micro.ts';
import type { Coming } from '../../metering/spent.ts';

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

export interface PendingCost extends Coming {
  readonly family: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The keys of the call and of the creation of the resource. */
  readonly apiKeyIds: readonly string[];
}

type StoredCost = Omit<PendingCost, keyof Coming> & { readonly [K in keyof Coming]: string | null };

/** The costs of operations that have not ended. */
export const pendingCostsOf = (accountId: string): RawBuilder<StoredCost> => sql`
  select p.family, p.labels, array_remove(array[o.api_key_id, r.api_key_id], null) as "apiKeyIds",
    p.resource_id as "resourceId", p.monthly_micros::text as monthly,
    p.monthly_after_micros::text as "monthlyAfter"
  from operations o join pending_costs p on p.operation_id = o.id left join resources r on r.id = p.resource_id
  where o.account_id = ${accountId} and o.status in ('queued', 'running', 'cancelling')`;

export const readPendingCost = ({ monthly, monthlyAfter, ...row }: StoredCost): PendingCost => ({
  ...row,
  monthly: BigInt(monthly ?? 0),
  monthlyAfter: BigInt(monthlyAfter ?? 0),
});
