/** One-time tokens: 32 random bytes, stored as a hash, for one purpose, for one use. */
import { createHash, randomBytes } from 'node:crypto';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Db, Tx } from '../../../store/database.ts';
import { insertToken, lockToken, type NewToken, type Purpose, type TokenRow } from './store.ts';

export const DAY_MINUTES = 24 * 60;

export const newSecret = (): string => randomBytes(32).toString('base64url');

export const hashOf = (token: string): Buffer =>
  createHash('sha256').update('hostplane/token/1\0').update(token).digest();

export async function createToken(
  db: Db,
  token: NewToken,
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const secret = newSecret();
  return { token: secret, expiresAt: await insertToken(db, hashOf(secret), token) };
}

/** The same answer for a link that was used, is too old, or never existed. */
export const linkNotValid = (): Problem => new Problem('link_not_valid');

export async function requireToken(tx: Tx, token: string, purpose: Purpose): Promise<TokenRow> {
  const found = await lockToken(tx, hashOf(token), purpose);
  if (found === undefined) throw linkNotValid();
  return found;
}
