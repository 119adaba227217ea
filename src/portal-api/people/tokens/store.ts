import { sql } from 'kysely';
import '../tables.ts';
import type { Db, Tx } from '../../../store/database.ts';

/** What a token is good for. A token of one purpose is refused for every other. */
export type Purpose =
  | 'verify_email'
  | 'recover'
  | 'welcome'
  | 'second_factor'
  | 'passkey_sign_in'
  | 'passkey_registration'
  | 'passkey_reauthentication'
  | 'cli_login';

export interface TokenRow {
  readonly hash: Buffer;
  readonly person_id: string | null;
  readonly email: string | null;
  readonly data: unknown;
  readonly wrong_codes: number;
  readonly expires_at: Date;
  /** Until then the token waits, and cannot be used. */
  readonly usable_from: Date;
  readonly is_waiting: boolean;
}

export interface NewToken {
  readonly purpose: Purpose;
  readonly personId?: string;
  readonly email?: string;
  readonly data?: object;
  readonly minutes: number;
}

export async function insertToken(tx: Db, hash: Buffer, token: NewToken): Promise<Date> {
  const { rows } = await sql<{ expires_at: Date }>`
    insert into one_time_tokens (hash, purpose, person_id, email, data, expires_at)
    values (${hash}, ${token.purpose}, ${token.personId ?? null}, ${token.email ?? null},
      ${JSON.stringify(token.data ?? {})}::jsonb, clock_timestamp() + make_interval(mins => ${token.minutes}))
    returning expires_at`.execute(tx);
  return rows[0]!.expires_at;
}

const select = sql`
  select hash, person_id, email, data, wrong_codes, expires_at, usable_from,
    usable_from > clock_timestamp() as is_waiting
  from one_time_tokens`;
const isUsable = sql`used_at is null and expires_at > clock_timestamp()`;

export async function findToken(db: Db, hash: Buffer, purpose: Purpose): Promise<TokenRow | undefined> {
  const { rows } = await sql<TokenRow>`
    ${select} where hash = ${hash} and purpose = ${purpose} and ${isUsable}`.execute(db);
  return rows[0];
}

/** Locks the token until the commit, so that of two calls with it only one succeeds. */
export async function lockToken(tx: Tx, hash: Buffer, purpose: Purpose): Promise<TokenRow | undefined> {
  const { rows } = await sql<TokenRow>`
    ${select} where hash = ${hash} and purpose = ${purpose} and ${isUsable} for update`.execute(tx);
  return rows[0];
}

export async function markUsed(tx: Tx, hash: Buffer): Promise<void> {
  await sql`update one_time_tokens set used_at = clock_timestamp(), data = '{}' where hash = ${hash}`.execute(
    tx,
  );
}

/** Uses the token up, whatever follows: of two calls with it only one gets it. */
export async function takeToken(
  db: Db,
  hash: Buffer,
  purpose: Purpose,
): Promise<Pick<TokenRow, 'person_id' | 'data'> | undefined> {
  const { rows } = await sql<Pick<TokenRow, 'person_id' | 'data'>>`
    delete from one_time_tokens where hash = ${hash} and purpose = ${purpose} and ${isUsable}
    returning person_id, data`.execute(db);
  return rows[0];
}

export async function countWrongCode(tx: Tx, hash: Buffer): Promise<void> {
  await sql`update one_time_tokens set wrong_codes = wrong_codes + 1 where hash = ${hash}`.execute(tx);
}

/** The newest unused token for this address, with which another mail can be sent. */
export async function findPending(tx: Tx, email: string, purpose: Purpose): Promise<TokenRow | undefined> {
  const { rows } = await sql<TokenRow>`
    ${select} where lower(email) = lower(${email}) and purpose = ${purpose} and ${isUsable}
    order by created_at desc limit 1`.execute(tx);
  return rows[0];
}

/** Makes the token wait, and gives it another day after that. */
export async function makeWait(tx: Tx, hash: Buffer, hours: number): Promise<Date> {
  const { rows } = await sql<{ usable_from: Date }>`
    update one_time_tokens set usable_from = clock_timestamp() + make_interval(hours => ${hours}),
      expires_at = clock_timestamp() + make_interval(hours => ${hours + 24}), data = '{"waited": true}'
    where hash = ${hash} returning usable_from`.execute(tx);
  return rows[0]!.usable_from;
}

/** Ends the unused tokens of a person. */
export async function revokeTokens(tx: Tx, personId: string, purposes: readonly Purpose[]): Promise<void> {
  await sql`
    update one_time_tokens set used_at = clock_timestamp(), data = '{}'
    where person_id = ${personId} and purpose = any(${purposes}::text[]) and used_at is null`.execute(tx);
}

/** A person who signs in still has the second factor, so a recovery that waits is somebody else's. */
export async function revokeWaiting(tx: Tx, personId: string): Promise<void> {
  await sql`
    update one_time_tokens set used_at = clock_timestamp(), data = '{}'
    where person_id = ${personId} and purpose = 'recover' and used_at is null and data ? 'waited'`.execute(
    tx,
  );
}
