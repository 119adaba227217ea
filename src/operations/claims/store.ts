/**
 * The queries that find and claim due operations. Their cost does not grow with the number of operations that wait: each
 * jumps through the index `operations_fair` from group to group.
 */
import { type RawBuilder, sql } from 'kysely';
import { type Lane, lanes } from '../../kernel/operations/kind.ts';
import type { Db, Tx } from '../../store/database.ts';
import { sendLater } from '../../store/send-later.ts';
import type { Claimed } from '../runner-store.ts';
import type { Wanted } from './choice.ts';
import type { Cell, FullPlace } from './slots.ts';

/** How many operations one claim marks as due, for each way to become due. */
const MOST_MARKED = 500;
/** About how many cells one claim looks at. Each pair of location and kind gets its part. */
const MOST_CELLS = 512;
const LEAST_CELLS = 4;

const ready = sql`finished_at is null and is_ready`;
const due = sql`${ready} and lease_owner is null and is_due`;

interface Times {
  readonly at: RawBuilder<Date>;
  readonly lease: RawBuilder<unknown>;
}

/**
 * Marks the operations that became due since the last claim, and takes the expired leases away. If `run_at_set` is later
 * than now, or a lease is longer than any that is given, the database's clock was set back since; such operations are
 * due too. The statement travels with the next one.
 */
export async function markDue(tx: Tx, { at, lease }: Times): Promise<void> {
  const asleep = sql`${ready} and lease_owner is null and not is_due`;
  await sendLater(
    tx,
    sql`
    with left_behind as (
      select id from operations
      where ${ready} and lease_owner is not null and (lease_until <= ${at} or lease_until > ${at} + 2 * ${lease})
      order by lease_until limit ${MOST_MARKED} for update skip locked),
    waiting as (
      select id from operations where ${asleep} and run_at <= ${at}
      order by run_at limit ${MOST_MARKED} for update skip locked),
    put_back as (
      select id from operations where ${asleep} and run_at > ${at} and run_at_set > ${at}
      order by run_at_set limit ${MOST_MARKED} for update skip locked)
    update operations set is_due = true, lease_owner = null, lease_until = null
    where id in (select id from left_behind union all select id from waiting union all select id from put_back)`,
  );
}

export interface Search {
  readonly lanes: readonly Lane[];
  /** Operations of other types belong to a newer version. */
  readonly types: readonly string[];
  /** What cannot be started now is left out, so that it does not take the place of what can. */
  readonly full: readonly FullPlace[];
  /** The search begins with the account after this one. */
  readonly cursor: string;
}

/** Later than the id of any account. */
const END = '~';

/** The cells that have a due operation. */
export async function findCells(tx: Tx, { lanes: open, types, full, cursor }: Search): Promise<Cell[]> {
  const { rows } = await sql<Cell>`
    with recursive places as (
      (select lane, location, type from operations where ${due} order by lane, location, type limit 1)
      union all
      select next.* from places, lateral (
        select o.lane, o.location, o.type from operations o
        where ${due} and (o.lane, o.location, o.type) > (places.lane, places.location, places.type)
        order by o.lane, o.location, o.type limit 1) next),
    open as (
      select *, count(*) over () as count from places
      where lane = any(${open}::text[]) and type = any(${types}::text[])
        and not exists (
          select from unnest(${full.map(({ lane }) => lane)}::text[], ${full.map(({ location }) => location)}::text[],
            ${full.map(({ type }) => type)}::text[]) as f (lane, location, type)
          where f.lane = places.lane and coalesce(f.location, places.location) = places.location
            and coalesce(f.type, places.type) = places.type))
    select open.lane, open.location, open.type, cell.account_id, cell.server
    from open, (values (${cursor}::text, ${END}::text), ('', ${cursor}::text)) as span (after, until), lateral (
      with recursive cells as (
        (select o.account_id, o.server from operations o
         where ${due} and o.lane = open.lane and o.location = open.location and o.type = open.type
           and o.account_id > span.after and o.account_id <= span.until
         order by o.account_id, o.server limit 1)
        union all
        select next.* from cells, lateral (
          select o.account_id, o.server from operations o
          where ${due} and o.lane = open.lane and o.location = open.location and o.type = open.type
            and (o.account_id, o.server) > (cells.account_id, cells.server) and o.account_id <= span.until
          order by o.account_id, o.server limit 1) next)
      select * from cells limit greatest(${LEAST_CELLS}::int, ${MOST_CELLS}::int / open.count)) cell`.execute(
    tx,
  );
  return rows;
}

/** Claims the oldest operations of each cell. Operations that another worker claims at this moment are left out. */
export async function takeDue(
  tx: Tx,
  owner: string,
  wanted: readonly Wanted[],
  { at, lease }: Times,
): Promise<(Claimed & { was_queued: boolean })[]> {
  const column = (name: keyof Wanted) => wanted.map((each) => each[name]);
  const { rows } = await sql<Claimed & { was_queued: boolean }>`
    with wanted as (
      select * from unnest(${column('lane')}::text[], ${column('location')}::text[], ${column('type')}::text[],
        ${column('account_id')}::text[], ${column('server')}::text[], ${column('count')}::int[])
        as w (lane, location, type, account_id, server, count)),
    due as (
      select found.id, found.status = 'queued' as was_queued from wanted w, lateral (
        select o.id, o.status from operations o
        where ${due} and o.lane = w.lane and o.location = w.location and o.type = w.type
          and o.account_id = w.account_id and o.server = w.server
        order by o.run_at, o.id limit w.count for update skip locked) found),
    places as (
      update operation_subjects set is_running = true from due where operation_id = due.id and was_queued)
    update operations o set attempt = attempt + 1, lease_owner = ${owner}, lease_until = ${at} + ${lease},
      status = case when was_queued then 'running' else status end,
      cancellable = case when was_queued then cancellable_running else cancellable end,
      started_at = coalesce(started_at, ${at}), waiting_for = null, updated_at = ${at}
    from due where o.id = due.id
    returning o.*, due.was_queued, ${at} as read_at`.execute(tx);
  return rows;
}

/** For each lane, the seconds that the oldest due operation has waited; 0 if nothing waits. */
export async function readOldestDue(db: Db): Promise<Record<Lane, number>> {
  const { rows } = await sql<{ lane: Lane; seconds: number }>`
    select lane.name as lane, coalesce(greatest(0, extract(epoch from now() - oldest.run_at)), 0)::float8 as seconds
    from unnest(${[...lanes]}::text[]) as lane (name),
      lateral (select min(o.run_at) as run_at from operations o where ${due} and o.lane = lane.name) oldest`.execute(
    db,
  );
  return Object.fromEntries(rows.map(({ lane, seconds }) => [lane, seconds])) as Record<Lane, number>;
}

/** Milliseconds until an operation becomes due or a lease expires, and whether operations are due that nobody runs. */
export async function lookAhead(
  db: Db,
  types: readonly string[],
  at: RawBuilder<Date>,
): Promise<{ readonly ms: number | null; readonly isDueNow: boolean }> {
  const { rows } = await sql<{ ms: number | null; isDueNow: boolean }>`
    select (extract(epoch from least(
      (select min(run_at) from operations
       where ${ready} and lease_owner is null and not is_due and type = any(${types}::text[])),
      (select min(lease_until) from operations
       where lease_owner is not null and type = any(${types}::text[]))) - ${at}) * 1000)::float8 as ms,
      exists (select from operations where ${due}) as "isDueNow"`.execute(db);
  return rows[0] as (typeof rows)[number];
}
