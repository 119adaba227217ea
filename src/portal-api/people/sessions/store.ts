import { type Selectable, sql } from 'kysely';
import { SESSION_IDLE } from '../../../kernel/access/store.ts';
import '../tables.ts';
import type { Db, Tables, Tx } from '../../../store/database.ts';
import type { PersonRow } from '../store.ts';

export type SessionRow = Selectable<Tables['sessions']>;

/** A session ends after so long without a call, and at the latest after so many days. */
const IDLE = sql.lit(SESSION_IDLE);
const LONGEST = sql.lit('14 days');
/** Calls of other tabs that were sent before a new token arrived still succeed for so long. */
const OVERLAP = sql.lit('30 seconds');
const FRESH = sql.lit('10 minutes');

export async function insertSession(
  tx: Tx,
  session: Pick<
    SessionRow,
    'id' | 'person_id' | 'token_hash' | 'second_factor' | 'client_ip' | 'user_agent'
  > & {
    readonly reauthenticated: boolean;
  },
): Promise<void> {
  const { reauthenticated, ...row } = session;
  await tx
    .insertInto('sessions')
    .values({
      ...row,
      reauthenticated_at: reauthenticated ? sql<Date>`clock_timestamp()` : null,
      expires_at: sql<Date>`clock_timestamp() + interval ${LONGEST}`,
    })
    .execute();
}

export interface FoundSession {
  readonly id: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly second_factor: boolean;
  /** Null if the session was not re-authenticated lately. */
  readonly reauthenticated_until: Date | null;
  /** Whether the last call was noted so long ago that this one has to be noted. */
  readonly is_stale: boolean;
  readonly person: Pick<PersonRow, 'id' | 'name' | 'email' | 'theme'>;
}

/** A token that was replaced is accepted for a moment, but not for what needs re-authentication. */
export async function findByToken(db: Db, hash: Buffer): Promise<FoundSession | undefined> {
  const { rows } = await sql<
    Omit<FoundSession, 'person'> & Record<'person_id' | 'name' | 'email', string> & Pick<PersonRow, 'theme'>
  >`
    select s.id, s.created_at, least(s.expires_at, s.last_seen_at + interval ${IDLE}) as expires_at, s.second_factor,
      case when s.token_hash = ${hash} and s.reauthenticated_at + interval ${FRESH} > clock_timestamp()
        then s.reauthenticated_at + interval ${FRESH} end as reauthenticated_until,
      s.last_seen_at < clock_timestamp() - interval '1 minute' as is_stale,
      p.id as person_id, p.name, p.email, p.theme
    from sessions s join people p on p.id = s.person_id
    where (s.token_hash = ${hash} or (s.previous_token_hash = ${hash} and s.previous_token_until > clock_timestamp()))
      and s.expires_at > clock_timestamp() and s.last_seen_at + interval ${IDLE} > clock_timestamp()`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { person_id, name, email, theme, ...session } = row;
  return { ...session, person: { id: person_id, name, email, theme } };
}

/** Why the session with this token is over, as long as it is known. */
export async function findEnd(db: Db, hash: Buffer): Promise<'unused' | 'old' | null> {
  const { rows } = await sql<{ reason: 'unused' | 'old' }>`
    select case when expires_at <= clock_timestamp() then 'old' else 'unused' end as reason from sessions
    where token_hash = ${hash} and least(expires_at, last_seen_at + interval ${IDLE}) <= clock_timestamp()`.execute(
    db,
  );
  return rows[0]?.reason ?? null;
}

/** The session, if it has not ended. */
export async function findLiving(
  db: Db,
  personId: string,
  id: string,
): Promise<Pick<SessionRow, 'second_factor'> | undefined> {
  const { rows } = await sql<Pick<SessionRow, 'second_factor'>>`
    select second_factor from sessions where id = ${id} and person_id = ${personId}
      and expires_at > clock_timestamp() and last_seen_at + interval ${IDLE} > clock_timestamp()`.execute(db);
  return rows[0];
}

/** Returns the time until which the session counts as re-authenticated. */
export async function replaceToken(
  tx: Tx,
  id: string,
  hash: Buffer,
  values: { readonly reauthenticated?: true; readonly secondFactor?: true },
): Promise<Date | null> {
  const { rows } = await sql<{ until: Date | null }>`
    update sessions set token_hash = ${hash}, previous_token_hash = token_hash,
      previous_token_until = clock_timestamp() + interval ${OVERLAP},
      reauthenticated_at = case when ${values.reauthenticated ?? false} then clock_timestamp() else reauthenticated_at end,
      second_factor = second_factor or ${values.secondFactor ?? false}, last_seen_at = clock_timestamp()
    where id = ${id} returning reauthenticated_at + interval ${FRESH} as until`.execute(tx);
  return rows[0]?.until ?? null;
}

export async function noteUse(db: Db, id: string): Promise<void> {
  await sql`update sessions set last_seen_at = clock_timestamp() where id = ${id}`.execute(db);
}

export async function findSessions(db: Db, personId: string): Promise<SessionRow[]> {
  const { rows } = await sql<SessionRow>`
    select * from sessions where person_id = ${personId} and expires_at > clock_timestamp()
      and last_seen_at + interval ${IDLE} > clock_timestamp() order by last_seen_at desc, id desc`.execute(
    db,
  );
  return rows;
}

/** Whether the person had a session with this browser before. */
export async function knowsBrowser(db: Db, personId: string, userAgent: string): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select not exists (select from person_events where person_id = ${personId} and type = 'signed_in')
      or exists (select from person_events where person_id = ${personId} and type = 'signed_in'
                 and user_agent = ${userAgent}) as known`.execute(db);
  return rows[0]?.known ?? false;
}

export async function deleteSession(tx: Tx, personId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from sessions where person_id = ${personId} and id = ${id} returning id`.execute(tx);
  return rows.length === 1;
}

/** Returns how many were ended. */
export async function deleteSessions(tx: Tx, personId: string, besides: string | null): Promise<number> {
  const { rows } = await sql`
    delete from sessions where person_id = ${personId} and id is distinct from ${besides} returning id`.execute(
    tx,
  );
  return rows.length;
}

/** Returns true the first time that the session enters the account. */
export async function insertEntry(tx: Tx, sessionId: string, accountId: string): Promise<boolean> {
  const { rows } = await sql`
    insert into session_accounts (session_id, account_id) values (${sessionId}, ${accountId})
    on conflict do nothing returning session_id`.execute(tx);
  return rows.length === 1;
}

export async function hasEntered(db: Db, sessionId: string, accountId: string): Promise<boolean> {
  const { rows } = await sql`
    select from session_accounts where session_id = ${sessionId} and account_id = ${accountId}`.execute(db);
  return rows.length === 1;
}
