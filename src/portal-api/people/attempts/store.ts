import { sql } from 'kysely';
import '../tables.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Db, Tx } from '../../../store/database.ts';

export interface Counted {
  readonly id: string;
  /** How many attempts of the subject there were in the last 15 minutes, this one included. */
  readonly count: number;
  /** Seconds until the oldest of them no longer counts. */
  readonly resetSeconds: number;
}

/** Counts the attempt unless the limit is reached. Attempts of one subject wait for one another. */
export async function countAttempt(tx: Tx, subject: string, limit: number): Promise<Counted> {
  await sql`select pg_advisory_xact_lock(hashtextextended('attempt ' || ${subject}, 0))`.execute(tx);
  const id = newId('sign_in_attempt');
  const { rows } = await sql<{ count: number; reset: number }>`
    with recent as (
      select count(*) as count, min(at) as oldest from sign_in_attempts
      where subject = ${subject} and at > clock_timestamp() - interval '15 minutes'),
    added as (
      insert into sign_in_attempts (id, subject) select ${id}, ${subject} from recent where count < ${limit})
    select count + 1 as count,
      ceil(extract(epoch from coalesce(oldest, clock_timestamp()) + interval '15 minutes' - clock_timestamp()))::int
        as reset
    from recent`.execute(tx);
  const [{ count, reset } = { count: 1, reset: 0 }] = rows;
  return { id, count, resetSeconds: Math.max(1, reset) };
}

export async function forgetAttempts(db: Db, ids: readonly string[]): Promise<void> {
  await sql`delete from sign_in_attempts where id = any(${ids}::text[])`.execute(db);
}
