import { type Generated, sql } from 'kysely';
import type { Db } from '../../store/database.ts';

declare module '../../store/database.ts' {
  interface Tables {
    schedules: { name: string; next_at: Generated<Date>; last_at: Date | null };
  }
}

/**
 * Returns true to exactly one of the callers when the schedule is due. A `next_at` further ahead than one
 * interval means that the database's clock was set back, so the schedule is due then too.
 */
export async function takeTurn(db: Db, name: string, everySeconds: number): Promise<boolean> {
  const { rows } = await sql`
    insert into schedules as s (name, next_at, last_at)
    values (${name}, now() + ${everySeconds} * interval '1 second', now())
    on conflict (name) do update set next_at = excluded.next_at, last_at = excluded.last_at
    where s.next_at <= now() or s.next_at > excluded.next_at
    returning name`.execute(db);
  return rows.length > 0;
}

export async function msUntilDue(db: Db, name: string): Promise<number> {
  const { rows } = await sql<{ ms: number }>`
    select greatest(0, extract(epoch from next_at - now()) * 1000)::float8 as ms from schedules
    where name = ${name}`.execute(db);
  return Math.ceil(rows[0]?.ms ?? 0);
}
