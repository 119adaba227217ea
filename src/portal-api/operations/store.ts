import { sql } from 'kysely';
import type { StoredOperation } from '../../kernel/operations/store.ts';
import type { Db } from '../../store/database.ts';

export interface OperationLine
  extends Pick<
    StoredOperation,
    | 'id'
    | 'account_id'
    | 'type'
    | 'status'
    | 'step'
    | 'waiting_for'
    | 'tries'
    | 'resource_type'
    | 'resource_id'
    | 'resource_name'
    | 'created_at'
    | 'deadline_at'
    | 'finished_at'
    | 'lease_owner'
    | 'error'
    | 'last_error'
  > {}

export interface OperationFilter {
  readonly accountId?: string;
  /** Also returns operations that have ended. */
  readonly all?: boolean;
  readonly limit: number;
}

/**
 * Newest first. Searches all accounts by default, because stuck operations are rarely limited to one account.
 */
export async function readOperations(
  db: Db,
  { accountId, all, limit }: OperationFilter,
): Promise<OperationLine[]> {
  let query = db
    .selectFrom('operations')
    .select([
      'id',
      'account_id',
      'type',
      'status',
      'step',
      'waiting_for',
      'tries',
      'resource_type',
      'resource_id',
      'resource_name',
      'created_at',
      'deadline_at',
      'finished_at',
      'lease_owner',
      'error',
      'last_error',
    ])
    .orderBy('id', 'desc')
    .limit(limit);
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  if (all !== true) query = query.where('finished_at', 'is', null);
  return query.execute();
}

export interface Backlog {
  readonly unfinished: number;
  /** Due for more than a minute without a worker: no worker runs, or all are busy. */
  readonly overdue: number;
  /** Operations of types that this version does not know. */
  readonly unknown: number;
}

export async function readBacklog(db: Db, types: readonly string[]): Promise<Backlog> {
  const { rows } = await sql<Backlog>`
    select count(*) as unfinished,
      count(*) filter (where is_ready and lease_owner is null and run_at < now() - interval '1 minute'
        or lease_until < now() - interval '1 minute') as overdue,
      count(*) filter (where type <> all(${[...types]}::text[])) as unknown
    from operations where finished_at is null`.execute(db);
  return rows[0] ?? { unfinished: 0, overdue: 0, unknown: 0 };
}
