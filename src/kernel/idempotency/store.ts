import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';

export interface Remembered {
  readonly request_hash: Buffer;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

declare module '../../store/database.ts' {
  interface Tables {
    idempotency_keys: Remembered & { account_id: string; key: string; created_at: Date };
  }
}

/** Locks the key until the transaction ends, by commit, rollback or crash. False: another request holds it. */
export async function take(db: Db, accountId: string, key: string): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${accountId} ${key}`}, 7)) as taken`.execute(db);
  return rows[0]?.taken ?? false;
}

export async function recall(db: Db, accountId: string, key: string): Promise<Remembered | undefined> {
  const { rows } = await sql<Remembered>`
    select request_hash, status, headers, body from idempotency_keys
    where account_id = ${accountId} and key = ${key} and created_at > now() - interval '24 hours'`.execute(
    db,
  );
  return rows[0];
}

export async function remember(db: Db, accountId: string, key: string, answer: Remembered): Promise<void> {
  await sql`
    insert into idempotency_keys (account_id, key, request_hash, status, headers, body)
    values (${accountId}, ${key}, ${answer.request_hash}, ${answer.status}, ${JSON.stringify(answer.headers)}::jsonb, ${answer.body})
    on conflict (account_id, key) do update set request_hash = excluded.request_hash, status = excluded.status,
      headers = excluded.headers, body = excluded.body, created_at = now()`.execute(db);
}

export async function forgetOld(db: Db): Promise<void> {
  await sql`delete from idempotency_keys where created_at < now() - interval '24 hours'`.execute(db);
}
