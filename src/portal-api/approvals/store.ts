import { sql } from 'kysely';
import '../../kernel/access/tables.ts';
import '../../kernel/operations/store.ts';
import type { ApprovalRow } from '../../kernel/approvals/store.ts';
import type { OperationError, OperationStatus } from '../../kernel/operations/schema.ts';
import type { Db } from '../../store/database.ts';

export type ApprovalSummary = Omit<ApprovalRow, 'request_hash' | 'account_id'> & {
  readonly status: OperationStatus;
  readonly error: OperationError | null;
  readonly requested_at: Date;
  readonly key_name: string | null;
  readonly key_owner: string | null;
};

const columns = [
  'approvals.operation_id',
  'approvals.key_id',
  'approvals.endpoint_id',
  'approvals.method',
  'approvals.path',
  'approvals.query',
  'approvals.body',
  'approvals.effects',
  'approvals.changes',
  'approvals.cost',
  'approvals.expires_at',
  'approvals.decision',
  'approvals.decided_by',
  'approvals.decided_at',
  'approvals.usable_until',
  'approvals.used_at',
  'operations.status',
  'operations.error',
  'operations.created_at as requested_at',
  'api_keys.name as key_name',
  'api_keys.owner_name as key_owner',
] as const;

const select = (db: Db, accountId: string) =>
  db
    .selectFrom('approvals')
    .innerJoin('operations', 'operations.id', 'approvals.operation_id')
    .leftJoin('api_keys', 'api_keys.id', 'approvals.key_id')
    .select(columns)
    .where('approvals.account_id', '=', accountId);

/** Oldest first, because the oldest expires first. */
export async function findUndecided(db: Db, accountId: string): Promise<ApprovalSummary[]> {
  return select(db, accountId)
    .where('approvals.decision', 'is', null)
    .where('operations.finished_at', 'is', null)
    .where(sql<boolean>`approvals.expires_at > clock_timestamp()`)
    .orderBy('approvals.operation_id')
    .execute();
}

export async function findSummary(
  db: Db,
  accountId: string,
  operationId: string,
): Promise<ApprovalSummary | undefined> {
  return select(db, accountId).where('approvals.operation_id', '=', operationId).executeTakeFirst();
}
