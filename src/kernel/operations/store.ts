import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tables } from '../../store/database.ts';
import { columnList, placeList, statement, textOf } from '../../store/kept-text.ts';
import { sendLater } from '../../store/send-later.ts';
import { pausedUntil } from '../claims/store.ts';
import type { OperationError, OperationRow } from './schema.ts';
import type {} from './table.ts';

/** Wakes workers. An empty payload: an operation is due. An id: this operation is to be cancelled. */
export const WORK_CHANNEL = 'hostplane_work';
/** Sent when an operation ends; the payload is its id. */
export const ENDED_CHANNEL = 'hostplane_ended';

export type StoredOperation = Selectable<Tables['operations']>;
export type NewOperation = Insertable<Tables['operations']>;

/**
 * Locks the queues of the subjects until the commit, before an operation joins or leaves them, so that the queue does
 * not change meanwhile. Lock order: after the row of the resource, before any row of an operation.
 */
export async function lockSubjects(db: Db, subjects: readonly string[]): Promise<void> {
  for (const subject of [...new Set(subjects)].sort())
    await sendLater(db, sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 7))`);
}

/** Locks the queues of all subjects of an operation, in the same order. */
export async function lockSubjectsOf(db: Db, operationId: string): Promise<void> {
  const lock = sql`
    select pg_advisory_xact_lock(hashtextextended(subject, 7)) from (
      select subject from operation_subjects where operation_id = ${operationId} order by subject) mine`;
  await sendLater(db, lock);
}

export type Queued = Pick<
  StoredOperation,
  'id' | 'type' | 'account_id' | 'queue' | 'status' | 'cancellable' | 'started_at'
>;

/** All unfinished operations on these subjects, oldest first. */
export async function queueOf(db: Db, subjects: readonly string[]): Promise<Queued[]> {
  return db
    .selectFrom('operations')
    .select(['id', 'type', 'account_id', 'queue', 'status', 'cancellable', 'started_at'])
    .where('id', 'in', (inner) =>
      inner
        .selectFrom('operation_subjects')
        .select('operation_id')
        .where(sql<boolean>`subject = any(${[...subjects]}::text[])`),
    )
    .orderBy('id')
    .execute();
}

/** The first operation in the queue of each subject, running or waiting. */
export async function pendingOn(
  db: Db,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, StoredOperation>> {
  if (subjects.length === 0) return new Map();
  const rows = await db
    .selectFrom('operation_subjects')
    .innerJoin('operations', 'operations.id', 'operation_subjects.operation_id')
    .selectAll('operations')
    .select('operation_subjects.subject as held_subject')
    .distinctOn('operation_subjects.subject')
    .where(sql<boolean>`operation_subjects.subject = any(${[...subjects]}::text[])`)
    .orderBy('operation_subjects.subject')
    .orderBy('operation_subjects.place')
    .execute();
  return new Map(rows.map(({ held_subject, ...row }) => [held_subject, row]));
}

/** The values are those of the columns, then `now`, deadline, delay, subjects, and whether it works everywhere. */
function insertText(columns: readonly string[]): string {
  const [at, deadline, delay, subjects, everywhere] = [1, 2, 3, 4, 5].map((i) => `$${columns.length + i}`);
  const now = `coalesce(${at}::timestamptz, now())`;
  const paused = pausedUntil(`${subjects}::text[]`, now);
  const resource = `$${columns.indexOf('resource_id') + 1}`;
  const computed = {
    // A resource without a location of its own, such as an interface, is where one of the other subjects is.
    location: `case when ${everywhere}::bool then '' else coalesce(
      (select location from resources where id = ${resource}),
      (select min(location) from resources where id = any(${subjects}::text[])), '') end`,
    is_due: `${delay}::float8 is null and ${paused} is null`,
    deadline_at: `${now} + ${deadline}::float8 * interval '1 second'`,
    created_at: now,
    updated_at: now,
    run_at: `greatest(${now} + coalesce(${delay}::float8, 0) * interval '1 second', ${paused})`,
    started_at: `case when ${delay}::float8 is not null then ${now} end`,
    run_at_set: now,
  };
  return `
    with started as (
      insert into operations (${columnList([...columns, ...Object.keys(computed)])})
      values (${[placeList(columns), ...Object.values(computed)].join(', ')}) returning *),
    places as (
      insert into operation_subjects (operation_id, subject, place)
      select started.id, subject, nextval('operation_places') from started, unnest(${subjects}::text[]) subject)
    select started.*, case when started.is_ready then pg_notify('${WORK_CHANNEL}', '') end as notified from started`;
}

export async function insertOperation(
  db: Db,
  operation: Omit<NewOperation, 'deadline_at'>,
  options: {
    readonly deadlineSeconds: number;
    readonly subjects: readonly string[];
    readonly isEverywhere?: boolean;
    readonly now: Date | null;
    /** The operation counts as started, but no worker claims it before this time has passed. */
    readonly delaySeconds?: number | null;
  },
): Promise<StoredOperation> {
  const { related = [], warnings = [] } = operation;
  const row = { ...operation, related: JSON.stringify(related), warnings: JSON.stringify(warnings) };
  const columns = Object.keys(row);
  const text = textOf(['operation', ...columns].join(' '), () => insertText(columns));
  const { now, deadlineSeconds, delaySeconds = null, subjects, isEverywhere = false } = options;
  const values = [...Object.values(row), now, deadlineSeconds, delaySeconds, [...subjects], isEverywhere];
  const { rows } = await db.executeQuery(statement<StoredOperation & { notified: unknown }>(text, values));
  const { notified: _, ...stored } = rows[0] as (typeof rows)[number];
  return stored;
}

export async function notifyWork(db: Db): Promise<void> {
  await sql`select pg_notify(${WORK_CHANNEL}, '')`.execute(db);
}

export async function readOperation(db: Db, id: string): Promise<StoredOperation | undefined> {
  return db.selectFrom('operations').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function lockOperation(db: Db, id: string): Promise<StoredOperation | undefined> {
  return db.selectFrom('operations').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function subjectsOf(db: Db, operationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('operation_subjects')
    .select('subject')
    .where('operation_id', '=', operationId)
    .execute();
  return rows.map(({ subject }) => subject);
}

/** Requests the cancellation of a running operation. Its worker is notified and runs the undo steps. */
export async function requestCancel(db: Db, id: string): Promise<void> {
  await sql`
    update operations set cancel_requested = true, lane = 'undo', wakes = wakes + 1, run_at = least(run_at, now()), run_at_set = now(),
      status = case when status = 'running' then 'cancelling' else status end, updated_at = now()
    where id = ${id} and finished_at is null`.execute(db);
  await sql`select pg_notify(${WORK_CHANNEL}, ${id})`.execute(db);
}

/** Wakes the given operation, or all operations on the given subject: a sleeping step runs again now. */
export async function wakeOperations(db: Db, subjectOrId: string): Promise<void> {
  const { rows } = await sql`
    update operations set wakes = wakes + 1, run_at = least(run_at, now()), run_at_set = now()
    where finished_at is null and (id = ${subjectOrId}
      or id in (select operation_id from operation_subjects where subject = ${subjectOrId}))
    returning id`.execute(db);
  if (rows.length > 0) await notifyWork(db);
}

export interface Ending {
  readonly status: 'succeeded' | 'failed' | 'cancelled';
  readonly error: OperationError | null;
  readonly result: Readonly<Record<string, unknown>> | null;
  /** What a failed operation had created was removed again. */
  readonly isUndone?: true;
}

/**
 * Ends the operation, removes it from its queues and makes the next operations ready. With `attempt`, it ends only if
 * this is still the current attempt. False: it had already ended, or has another attempt.
 */
export async function markEnded(
  db: Db,
  id: string,
  ending: Ending,
  options: { readonly attempt: number | null; readonly now: Date | null },
): Promise<boolean> {
  const now = options.now === null ? sql<Date>`now()` : sql<Date>`${options.now}::timestamptz`;
  const { rows } = await sql<{ parent_id: string | null }>`
    with ended as (
    update operations set status = ${ending.status}, error = ${ending.error === null ? null : JSON.stringify(ending.error)}::jsonb,
      result = ${ending.result === null ? null : JSON.stringify(ending.result)}::jsonb, finished_at = ${now}, updated_at = ${now},
      progress_percent = case when ${ending.status} = 'succeeded' then 100 else progress_percent end,
      lease_owner = null, lease_until = null, waiting_for = null, awaits_children = false, is_ready = false
    where id = ${id} and finished_at is null and (${options.attempt}::int is null or attempt = ${options.attempt})
    returning parent_id)
    select parent_id, pg_notify(${ENDED_CHANNEL}, ${id}) from ended`.execute(db);
  const [row] = rows;
  if (row === undefined) return false;
  await letNextBegin(db, id, now);
  if (row.parent_id !== null) await wakeOperations(db, row.parent_id);
  return true;
}

async function letNextBegin(db: Db, id: string, now: ReturnType<typeof sql<Date>>): Promise<void> {
  const heads = await sql<{ operation_id: string }>`
    with mine as (delete from operation_subjects where operation_id = ${id} returning subject)
    select distinct on (subject) operation_id from operation_subjects
    where subject in (select subject from mine) and operation_id <> ${id} order by subject, place`.execute(
    db,
  );
  if (heads.rows.length === 0) return;
  const ids = [...new Set(heads.rows.map(({ operation_id }) => operation_id))];
  // Locked before the check: if two operations end at once, the later transaction sees that the other has left too.
  await sql`select id from operations where id = any(${ids}::text[]) order by id for update`.execute(db);
  const ready = await sql`
    update operations o set is_ready = true, run_at = ${now}, run_at_set = ${now}
    where id = any(${ids}::text[]) and not is_ready and finished_at is null and not exists (
      select from operation_subjects mine
      join operation_subjects ahead on ahead.subject = mine.subject and ahead.place < mine.place
      where mine.operation_id = o.id)
    returning id`.execute(db);
  if (ready.rows.length > 0) await notifyWork(db);
}

/** Includes the counts of its children by result. */
export async function findOperation(
  db: Db,
  accountId: string,
  id: string,
): Promise<OperationRow | undefined> {
  const row = await db
    .selectFrom('operations')
    .selectAll()
    .select(childCounts)
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row as OperationRow | undefined;
}

/** Children that are planned but not started count as pending, also if they never start because others failed. */
export const childCounts = sql<OperationRow['children']>`(
  select json_build_object('type', type, 'total', total, 'succeeded', succeeded, 'failed', failed,
    'pending', total - succeeded - failed)
  from (select case when min(c.type) = max(c.type) then min(c.type) end as type,
      greatest(count(*), operations.planned_children) as total,
      count(*) filter (where c.status = 'succeeded') as succeeded,
      count(*) filter (where c.status in ('failed', 'cancelled')) as failed
    from operations c where c.parent_id = operations.id) as counts)`.as('children');
