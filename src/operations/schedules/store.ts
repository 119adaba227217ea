import { type Generated, sql } from 'kysely';
import type { Db } from '../../store/database.ts';

declare module '../../store/database.ts' {
  interface Tables {
    schedules: { name: string; next_at: Generated<Date>; last_at: Date | null };
  }
}

/** True for one of all who ask when it is due. A time set further ahead than it can be is of a clock put back since. */
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
  // A little later than due: whoever comes too soon would have to come again.
  return Math.ceil(rows[0]?.ms ?? 0) + 50;
}
