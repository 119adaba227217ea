import { type Selectable, sql } from 'kysely';
import type { Db, Tables } from '../../store/database.ts';
import type { ForeseenChange } from '../change-words/change-words.ts';
import type { Cost } from '../effect.ts';
import type { EffectView } from '../effect-view.ts';
import type { OperationStatus } from '../operations/schema.ts';

/** Requests that were stored before effects had a `loss` lack it. */
export type ForeseenEffect = Omit<EffectView, 'loss'> & Partial<Pick<EffectView, 'loss'>>;

interface ApprovalsTable {
  operation_id: string;
  account_id: string;
  key_id: string;
  request_hash: Buffer;
  endpoint_id: string;
  method: string;
  path: string;
  query: Record<string, unknown>;
  /** Redacted: without secrets. */
  body: unknown;
  effects: ForeseenEffect[];
  /** The sentences of the dry run. Null: stored before there were any. */
  changes: ForeseenChange[] | null;
  cost: Cost;
  expires_at: Date;
  decision: 'approved' | 'denied' | null;
  decided_by: string | null;
  decided_at: Date | null;
  usable_until: Date | null;
  used_at: Date | null;
}

declare module '../../store/database.ts' {
  interface Tables {
    approvals: ApprovalsTable;
  }
}

export type ApprovalRow = Selectable<Tables['approvals']>;

/** An approval with the status of its operation and its deadlines judged by the database clock. */
export type HeldApproval = ApprovalRow & {
  readonly status: OperationStatus;
  readonly is_overdue: boolean;
  readonly is_usable: boolean;
};

/**
 * Locks the approval requests of a key, and of those in its lineage, until the commit, so that the count and the search
 * stay true.
 */
export async function lockAsking(db: Db, [first = '']: readonly string[]): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${first}, 11))`.execute(db);
}

const pendingOf = (db: Db, lineage: readonly string[]) =>
  db
    .selectFrom('approvals')
    .innerJoin('operations', 'operations.id', 'approvals.operation_id')
    .where('approvals.key_id', 'in', lineage)
    .where('approvals.decision', 'is', null)
    .where('operations.finished_at', 'is', null)
    .where(sql<boolean>`approvals.expires_at > clock_timestamp()`);

export async function findPending(
  db: Db,
  lineage: readonly string[],
  hash: Buffer,
): Promise<ApprovalRow | undefined> {
  return pendingOf(db, lineage)
    .selectAll('approvals')
    .where('approvals.request_hash', '=', hash)
    .executeTakeFirst();
}

export async function countPending(db: Db, lineage: readonly string[]): Promise<number> {
  const { count } = await pendingOf(db, lineage)
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

type NewApproval = Omit<
  ApprovalRow,
  'expires_at' | 'decision' | 'decided_by' | 'decided_at' | 'usable_until' | 'used_at'
>;

export async function insertApproval(
  db: Db,
  approval: NewApproval,
  lifetimeSeconds: number,
): Promise<ApprovalRow> {
  return db
    .insertInto('approvals')
    .values({
      ...approval,
      body: approval.body === undefined ? null : JSON.stringify(approval.body),
      effects: JSON.stringify(approval.effects) as never,
      changes: JSON.stringify(approval.changes) as never,
      expires_at: sql<Date>`now() + ${lifetimeSeconds} * interval '1 second'`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Locks the row, so that an approval is decided only once and used only once. */
export async function lockApproval(
  db: Db,
  accountId: string,
  operationId: string,
): Promise<HeldApproval | undefined> {
  return db
    .selectFrom('approvals')
    .innerJoin('operations', 'operations.id', 'approvals.operation_id')
    .selectAll('approvals')
    .select([
      'operations.status',
      sql<boolean>`approvals.expires_at <= clock_timestamp()`.as('is_overdue'),
      sql<boolean>`coalesce(approvals.used_at is null and approvals.usable_until > clock_timestamp(), false)`.as(
        'is_usable',
      ),
    ])
    .where('approvals.account_id', '=', accountId)
    .where('approvals.operation_id', '=', operationId)
    .forUpdate('approvals')
    .executeTakeFirst();
}

export async function findApproval(db: Db, operationId: string): Promise<ApprovalRow | undefined> {
  return db.selectFrom('approvals').selectAll().where('operation_id', '=', operationId).executeTakeFirst();
}

/** Seconds left for a decision; 0 once that time is over. */
export async function secondsLeft(db: Db, operationId: string): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select greatest(0, extract(epoch from expires_at - clock_timestamp()))::float8 as seconds
    from approvals where operation_id = ${operationId}`.execute(db);
  return rows[0]?.seconds ?? 0;
}

export async function markUsed(db: Db, operationId: string): Promise<void> {
  await db
    .updateTable('approvals')
    .set({ used_at: sql<Date>`clock_timestamp()` })
    .where('operation_id', '=', operationId)
    .execute();
}

export async function markDecided(
  db: Db,
  operationId: string,
  { decision, by, usableSeconds }: { decision: 'approved' | 'denied'; by: string; usableSeconds: number },
): Promise<ApprovalRow> {
  const until = sql<Date>`clock_timestamp() + ${usableSeconds} * interval '1 second'`;
  return db
    .updateTable('approvals')
    .set({
      decision,
      decided_by: by,
      decided_at: sql<Date>`clock_timestamp()`,
      usable_until: decision === 'approved' ? until : null,
    })
    .where('operation_id', '=', operationId)
    .returningAll()
    .executeTakeFirstOrThrow();
}
