import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * Calls that a model has rehearsed and may confirm once. The hash of the token is that of its account and key too, and
 * the fingerprint says what was rehearsed, so a row needs no other columns and ends with its time.
 */
const statements = `
create table rehearsals (
  token_hash bytea primary key,
  fingerprint bytea not null,
  expires_at timestamptz not null
);
create index rehearsals_expiry on rehearsals (expires_at);
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
