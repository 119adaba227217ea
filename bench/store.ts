import { sql } from 'kysely';
import type pg from 'pg';
import type { KeyRow } from '../src/families/account/api-keys/schema.ts';
import type { Db } from '../src/store/database.ts';

const KEY = `
  select id, account_id, public_id, name, permissions, preset, approval, approval_over_monthly, owner_id, owner_name,
         expires_in, expires_at, notes, last_used_at, last_used_ip, last_used_user_agent, last_used_operation,
         last_rejected_at, last_rejected_ip, last_rejected_code, exposed_at, replaced_by, revoked_at, revoked_by,
         revoked_reason, revoked_comment, version, created_at, updated_at,
         case when status <> 'revoked' and expires_at <= now() then 'expired' else status end as status
  from api_keys where id = $1 and account_id = $2`;

export async function selectKey(pool: pg.Pool, accountId: string, id: string): Promise<KeyRow | undefined> {
  const { rows } = await pool.query<KeyRow>({ name: 'key', text: KEY, values: [id, accountId] });
  return rows[0];
}

/** Entries as large as real ones; their hashes are not those of a chain, since nothing here verifies it. */
export async function fillAuditLog(db: Db, accountId: string, keyId: string, entries: number): Promise<void> {
  await sql`
    insert into audit_entries
      (account_id, sequence, id, occurred_at, actor_id, action, resource_id, outcome, entry, prev_hash, hash)
    select ${accountId}, n, 'aud_' || lpad(n::text, 26, '0'), at, ${keyId}, 'revokeApiKey',
           'key_' || lpad((n % 1000)::text, 26, '0'), 'succeeded',
           jsonb_build_object(
             'id', 'aud_' || lpad(n::text, 26, '0'), 'occurred_at', to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
             'actor', jsonb_build_object('kind', 'api_key', 'api_key_id', ${keyId}::text, 'member_id', null, 'name', 'bench'),
             'client_ip', '203.0.113.7', 'user_agent', 'curl/8.5.0', 'source', 'api', 'action', 'revokeApiKey',
             'resource', jsonb_build_object('type', 'api_key', 'id', 'key_' || lpad((n % 1000)::text, 26, '0'), 'name', 'old'),
             'outcome', 'succeeded', 'http_status', 200, 'problem_code', null,
             'request_id', 'req_' || lpad(n::text, 26, '0'), 'operation_id', null, 'approval_operation_id', null,
             'changes', '[{"pointer": "/status", "before": "active", "after": "revoked"}]'::jsonb),
           digest, digest
    from generate_series(1, ${entries}::int) as n,
         lateral (select now() - make_interval(secs => (${entries}::int - n) * 10) as at) as t,
         lateral (select decode(repeat('00', 32), 'hex') as digest) as d`.execute(db);
}

/** On one connection, since what is set holds for it alone: filling takes longer than any request may. */
export async function withoutTimeout(db: Db, work: (db: Db) => Promise<void>): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection);
    await work(connection);
    await sql`vacuum analyze`.execute(connection);
    await sql`checkpoint`.execute(connection);
    await sql`reset statement_timeout`.execute(connection);
  });
}
