/**
 * What a call hands out (the token of a console, a download link) is worth no more than the right to make that call: it
 * ends when its bearer loses this right (`src/pipeline/bearer-right.ts`).
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Endpoint } from '../record.ts';
import type { Caller } from './caller.ts';

/** An API key, or a person with a portal session in an account. */
export type Bearer =
  | { readonly keyPublicId: string }
  | { readonly sessionId: string; readonly accountId: string };

export interface HandedOut {
  /** Who made the call. */
  readonly bearer: Bearer;
  /** The endpoint that handed it out. */
  readonly endpoint: Endpoint;
}

/** The columns of a row that was handed out. One of them is null. */
export interface BearerColumns {
  api_key_id: string | null;
  session_id: string | null;
}

export const bearerColumns = (caller: Caller): BearerColumns => ({
  api_key_id: caller.key?.id ?? null,
  session_id: caller.key === null ? caller.sessionId : null,
});

/** `public_id` is that of the key, from a join. Undefined if the row names no key and no session that still exist. */
export function bearerIn(row: {
  readonly public_id: string | null;
  readonly session_id: string | null;
  readonly account_id: string;
}): Bearer | undefined {
  if (row.session_id !== null) return { sessionId: row.session_id, accountId: row.account_id };
  return row.public_id === null ? undefined : { keyPublicId: row.public_id };
}

const TOKEN_BYTES = 32;

export const newBearerToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** Only the hash of a token is kept. */
export const hashBearerToken = (token: string): Buffer => createHash('sha256').update(token).digest();
