import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';

declare module '../../store/database.ts' {
  interface Tables {
    /** The resources that a call is changing outside the database at the moment. */
    claims: { subject: string; token: string; until: Date };
  }
}

export interface Claim {
  readonly subject: string;
  readonly token: string;
}

/** Returns null if another call holds the subject. */
export async function claimSubject(db: Db, subject: string, seconds: number): Promise<Claim | null> {
  const { rows } = await sql<Claim>`
    insert into claims as held (subject, token, until)
    values (${subject}, gen_random_uuid()::text, now() + ${seconds} * interval '1 second')
    on conflict (subject) do update set token = excluded.token, until = excluded.until where held.until < now()
    returning subject, token`.execute(db);
  return rows[0] ?? null;
}

export async function releaseSubject(db: Db, { subject, token }: Claim): Promise<void> {
  await sql`delete from claims where subject = ${subject} and token = ${token}`.execute(db);
}
