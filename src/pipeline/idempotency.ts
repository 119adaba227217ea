import { createHash } from 'node:crypto';
import { canonicalJson } from '../kernel/audit/canonical-json.ts';
import { callerOf, type Exchange } from '../kernel/exchange.ts';
import { type Remembered, recall, remember, take } from '../kernel/idempotency/store.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { SuccessStatus } from '../kernel/record.ts';
import type { Db } from '../store/database.ts';
import type { Input } from './input.ts';
import type { Result } from './output.ts';

function fingerprint(exchange: Exchange, input: Input): Buffer {
  const { method, path } = exchange.incoming;
  // `confirm` repeats a name, which nobody knows any more after the deletion.
  const { confirm: _, ...query } = input.query as Readonly<Record<string, unknown>>;
  const request = canonicalJson([method, path, query, input.body ?? null]);
  return createHash('sha256').update(request).digest();
}

/**
 * Returns the stored answer of an earlier request with the same `Idempotency-Key`. A different request with the same
 * key is refused; so is a parallel one, which may retry after a second. Runs in the transaction of the change, so
 * that the change and its stored answer commit together.
 */
export async function replay(db: Db, exchange: Exchange, input: Input): Promise<Result | undefined> {
  const key = input.idempotencyKey;
  if (key === undefined) return undefined;
  const accountId = callerOf(exchange).account.id;
  if (!(await take(db, accountId, key)))
    throw new Problem('idempotency_in_progress', { retryAfterSeconds: 1 });
  const known = await recall(db, accountId, key);
  if (known === undefined) return undefined;
  if (!known.request_hash.equals(fingerprint(exchange, input))) throw new Problem('idempotency_key_conflict');
  return resultOf(known);
}

const resultOf = ({ status, headers, body }: Remembered): Result => ({
  status: status as SuccessStatus,
  headers: { ...headers, 'idempotent-replayed': 'true' },
  body: body === '' ? null : body,
});

/** The answer that is stored for a key, whatever its request was: for keys that are made of the request. */
export async function storedAnswer(db: Db, accountId: string, key: string): Promise<Result | undefined> {
  const known = await recall(db, accountId, key);
  return known && resultOf(known);
}

/** Whether an answer is stored for the key. Does not lock it: `replay` decides. */
export async function isRepeated(db: Db, exchange: Exchange, { idempotencyKey }: Input): Promise<boolean> {
  if (idempotencyKey === undefined) return false;
  return (await recall(db, callerOf(exchange).account.id, idempotencyKey)) !== undefined;
}

export async function keepAnswer(
  db: Db,
  exchange: Exchange,
  input: Input,
  result: Result,
  bodyOf: () => string,
): Promise<void> {
  if (input.idempotencyKey === undefined) return;
  await remember(db, callerOf(exchange).account.id, input.idempotencyKey, {
    request_hash: fingerprint(exchange, input),
    status: result.status,
    headers: { ...result.headers },
    body: bodyOf(),
  });
}
