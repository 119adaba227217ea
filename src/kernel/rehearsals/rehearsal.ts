/**
 * A call that was rehearsed can be confirmed with a token: once, for a few minutes, by the same caller, and only if the
 * rehearsal before the real call finds the same as the one that issued the token.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../../store/database.ts';
import { bearerColumns } from '../access/bearer.ts';
import type { Caller } from '../access/caller.ts';
import { canonicalJson } from '../audit/canonical-json.ts';
import { insertRehearsal, readStates, takeRehearsal } from './store.ts';

export const LIFETIME_MINUTES = 5;

/** Short, because a model has to repeat it. A guess would have to be made with the same key, within the rate limit. */
const TOKEN_BYTES = 9;

const hashOf = (value: unknown): Buffer => createHash('sha256').update(canonicalJson(value)).digest();

/** Of an account, and of a key or a session in it. */
const hashOfToken = (caller: Caller, token: string): Buffer =>
  hashOf([caller.account.id, bearerColumns(caller), token]);

/** What a rehearsal found: the calls as they would be made, their effects, and the versions of what they touch. */
export async function factsOf(
  db: Db,
  { account }: Caller,
  calls: readonly unknown[],
  touched: readonly string[],
): Promise<unknown> {
  return [calls, await readStates(db, account.id, [...new Set(touched)])];
}

export async function issueToken(db: Db, caller: Caller, facts: unknown): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const row = { token_hash: hashOfToken(caller, token), fingerprint: hashOf(facts) };
  await insertRehearsal(db, row, LIFETIME_MINUTES * 60);
  return token;
}

/** `unknown`: used, expired, or of another caller. `changed`: the token was for something else, and is used up. */
export async function redeemToken(
  db: Db,
  caller: Caller,
  token: string,
  facts: unknown,
): Promise<'confirmed' | 'unknown' | 'changed'> {
  const fingerprint = await takeRehearsal(db, hashOfToken(caller, token));
  if (fingerprint === undefined) return 'unknown';
  return fingerprint.equals(hashOf(facts)) ? 'confirmed' : 'changed';
}
