/** Limits the open event streams per key and account, and those of people apart: each open stream occupies a seat. */
import { type Generated, sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { newId } from '../ids.ts';

const STREAMS_PER_KEY = 5;
const STREAMS_PER_ACCOUNT = 20;
/** People open one for each browser, and must not take the seats of programs. */
const STREAMS_OF_PEOPLE = 200;

declare module '../../store/database.ts' {
  interface Tables {
    event_streams: { id: string; account_id: string; key_id: string; seen_at: Generated<Date> };
  }
}

export interface Seat {
  readonly id: string;
  readonly accountId: string;
  /** The id of the API key, or of the session of a person. */
  readonly keyId: string;
}

export const newSeat = (accountId: string, keyId: string): Seat => ({
  id: newId('event_stream'),
  accountId,
  keyId,
});

/** Takes one of the stream seats, which are counted over all processes. A seat not renewed for 30 seconds is freed. */
export async function takeSeat(db: Db, { id, accountId, keyId }: Seat): Promise<boolean> {
  const isKey = keyId.startsWith('key_');
  return db.transaction().execute(async (tx) => {
    // One transaction at a time per account, or two would count without each other and exceed the limit.
    await sql`select pg_advisory_xact_lock(hashtextextended(${accountId}, 8))`.execute(tx);
    await sql`
      delete from event_streams
      where account_id = ${accountId} and seen_at < clock_timestamp() - interval '30 seconds'`.execute(tx);
    const { rows } = await sql`
      insert into event_streams (id, account_id, key_id)
      select ${id}, ${accountId}, ${keyId}
      from (select count(*) filter (where key_id like 'key\\_%' = ${isKey}) as taken, count(*) filter (where key_id = ${keyId}) as own
            from event_streams where account_id = ${accountId}) seats
      where taken < ${isKey ? STREAMS_PER_ACCOUNT : STREAMS_OF_PEOPLE} and own < ${STREAMS_PER_KEY}
      returning id`.execute(tx);
    return rows.length > 0;
  });
}

/** Renews the seat, or takes a new one if it was freed meanwhile. False: no seat is left. */
export async function keepSeat(db: Db, seat: Seat): Promise<boolean> {
  const { rows } = await sql`
    update event_streams set seen_at = clock_timestamp() where id = ${seat.id} returning id`.execute(db);
  return rows.length > 0 || takeSeat(db, seat);
}

export async function leaveSeat(db: Db, { id }: Seat): Promise<void> {
  await sql`delete from event_streams where id = ${id}`.execute(db);
}
