import { sql } from 'kysely';
import type { AllowlistMode } from '../../../kernel/access/tables.ts';
import type { Db } from '../../../store/database.ts';

interface Entry {
  readonly id: string;
  readonly cidr: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly note: string;
  readonly expires_at: Date | null;
  readonly last_matched_at: Date | null;
  readonly created_at: Date;
  readonly created_by: string;
}

interface Allowlist {
  readonly mode: AllowlistMode;
  readonly mode_changed_at: Date | null;
  readonly mode_changed_by: string | null;
  readonly version: number;
  readonly entries: Entry[];
}

export async function readAllowlist(db: Db, accountId: string): Promise<Allowlist> {
  const list = await db
    .selectFrom('ip_allowlists')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const { rows } = await sql<Entry>`
    select id, cidr::text as cidr, case family(cidr) when 4 then 'ipv4' else 'ipv6' end as family, note, expires_at,
           last_matched_at, created_at, created_by
    from ip_allowlist_entries where account_id = ${accountId} order by id`.execute(db);
  return {
    mode: list?.mode ?? 'off',
    mode_changed_at: list?.mode_changed_at ?? null,
    mode_changed_by: list?.mode_changed_by ?? null,
    version: list?.version ?? 0,
    entries: rows,
  };
}

interface Pair {
  readonly key_id: string;
  readonly ip: string;
  readonly count: number;
  readonly last_at: Date;
}

export async function readWouldDeny(db: Db, accountId: string): Promise<{ requests: number; pairs: Pair[] }> {
  const { rows } = await sql<Pair & { recent: number }>`
    select key_id, client_ip as ip, sum(count)::bigint as count, max(last_at) as last_at,
           sum(sum(count) filter (where last_at > now() - interval '24 hours')) over ()::bigint as recent
    from key_denials
    where account_id = ${accountId} and cause = 'ip_restriction' and not enforced
      and last_at > now() - interval '30 days'
    group by key_id, client_ip order by max(last_at) desc limit 50`.execute(db);
  return {
    requests: rows[0]?.recent ?? 0,
    pairs: rows.map(({ key_id, ip, count, last_at }) => ({ key_id, ip, count, last_at })),
  };
}
