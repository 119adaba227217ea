import { sql } from 'kysely';
import type { Db, Tx } from '../../store/database.ts';

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

/** The claim of a pause, so that it is not taken for that of an act on the same resource. */
const pauseOf = (subject: string): string => `operations of ${subject}`;

/** SQL for the end of the pauses of these subjects; null if there is none. `subjects` and `now` are SQL as well. */
export const pausedUntil = (subjects: string, now: string): string =>
  `(select max(c.until) from unnest(${subjects}) s join claims c on c.subject = 'operations of ' || s
    where c.until > ${now})`;

/**
 * Lets operations wait that are started on the subjects, until they are resumed or the time is over. The caller has
 * locked the queues of the subjects and found them empty. Returns null if one of them is paused already.
 */
export async function pauseSubjects(
  tx: Tx,
  subjects: readonly string[],
  seconds: number,
): Promise<readonly Claim[] | null> {
  const claims: Claim[] = [];
  for (const subject of [...new Set(subjects)].sort()) {
    const claim = await claimSubject(tx, pauseOf(subject), seconds);
    if (claim === null) {
      for (const held of claims) await releaseSubject(tx, held);
      return null;
    }
    claims.push(claim);
  }
  return claims;
}

export async function releaseSubject(db: Db, { subject, token }: Claim): Promise<void> {
  await sql`delete from claims where subject = ${subject} and token = ${token}`.execute(db);
}
