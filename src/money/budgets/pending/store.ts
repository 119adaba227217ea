/**
 * What accepted calls are going to cost while their operations run: the meter of a resource starts when its
 * operation ends.
 */
import { sql } from 'kysely';
import '../../../kernel/operations/store.ts';
import type { Micro } from '../../../kernel/micro.ts';
import type { Db } from '../../../store/database.ts';
import type { Spender } from '../scope.ts';

declare module '../../../store/database.ts' {
  interface Tables {
    pending_costs: {
      operation_id: string;
      line: number;
      family: string;
      labels: Record<string, string>;
      monthly_micros: bigint;
    };
  }
}

export interface NewCost {
  readonly family: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly monthly: Micro;
}

/** The rows of an operation. `lockBlockingBudgets` inserts them. */
export const pendingRows = (operationId: string, costs: readonly NewCost[]) =>
  costs.map(({ family, labels, monthly }, line) => ({
    operation_id: operationId,
    line,
    family,
    labels,
    monthly_micros: monthly,
  }));

export type PendingRow = ReturnType<typeof pendingRows>[number];

export interface PendingCost extends Omit<Spender, 'apiKeyId'> {
  readonly apiKeyId: string | null;
  readonly monthly: Micro;
}

export async function findPendingCosts(db: Db, accountId: string): Promise<PendingCost[]> {
  const { rows } = await sql<Omit<PendingCost, 'monthly'> & { monthly: string }>`
    select p.family, p.labels, o.api_key_id as "apiKeyId", p.monthly_micros::text as monthly
    from operations o join pending_costs p on p.operation_id = o.id
    where o.account_id = ${accountId} and o.status in ('queued', 'running', 'cancelling')`.execute(db);
  return rows.map(({ monthly, ...row }) => ({ ...row, monthly: BigInt(monthly) }));
}
