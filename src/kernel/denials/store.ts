import { sql } from 'kysely';
import type { Db, Tx } from '../../store/database.ts';
import type { AllowlistMode } from '../access/tables.ts';
import { Named, OneOf } from '../schema.ts';

const causeMeanings = {
  permission: 'The key did not have the permission that the call needs.',
  ip_restriction: 'The address of the caller was not on the IP allowlist.',
} as const;
export type DenialCause = keyof typeof causeMeanings;
export const DenialCauseShape = Named(
  'DenialCause',
  OneOf(causeMeanings, { description: 'Why the call was refused.' }),
);

export interface Denial {
  /** Created at the time of the denial, not of the write, so that sorting by id sorts by `first_at`. */
  readonly id: string;
  readonly account_id: string;
  readonly cause: DenialCause;
  code: string;
  readonly enforced: boolean;
  readonly allowlist_mode: AllowlistMode;
  readonly key_id: string;
  readonly key_public_id: string;
  readonly key_name: string;
  readonly client_ip: string;
  readonly method: string;
  readonly path_template: string;
  readonly operation_id: string;
  readonly required_permission: string | null;
  readonly denied_by: string[] | null;
  user_agent: string;
  count: number;
  readonly first_at: Date;
  last_at: Date;
  last_request_id: string;
}

declare module '../../store/database.ts' {
  interface Tables {
    key_denials: { [K in keyof Denial]: Denial[K] };
    key_denial_drops: { account_id: string; day: Date; count: number };
  }
}

/**
 * Equal denials (key, address, operation, cause) within ten minutes of the first become one row with a count. All are
 * written in one statement, because the database is busy during a flood.
 */
export async function writeDenials(db: Db, denials: readonly Denial[]): Promise<void> {
  await sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(denials)}::jsonb) as g(
        id text, account_id text, cause text, code text, enforced bool, allowlist_mode text, key_id text,
        key_public_id text, key_name text, client_ip text, method text, path_template text, operation_id text,
        required_permission text, denied_by text[], user_agent text, count int, first_at timestamptz,
        last_at timestamptz, last_request_id text)),
    equal as (
      select distinct on (g.id) g.id, d.id as kept_id
      from given g join key_denials d on d.key_id = g.key_id and d.client_ip = g.client_ip
        and d.operation_id = g.operation_id and d.cause = g.cause and d.enforced = g.enforced
        and d.first_at > g.first_at - interval '10 minutes'
      order by g.id, d.first_at desc),
    folded as (
      update key_denials d set count = d.count + g.count, last_at = g.last_at, last_request_id = g.last_request_id,
        user_agent = g.user_agent, code = g.code, denied_by = g.denied_by
      from equal e join given g on g.id = e.id where d.id = e.kept_id)
    insert into key_denials (id, account_id, cause, code, enforced, allowlist_mode, key_id, key_public_id, key_name,
      client_ip, method, path_template, operation_id, required_permission, denied_by, user_agent, count, first_at,
      last_at, last_request_id)
    select * from given g where not exists (select from equal e where e.id = g.id)
    on conflict do nothing`.execute(db);
}

export async function writeDrops(
  db: Db,
  drops: readonly { accountId: string; count: number }[],
): Promise<void> {
  await sql`
    insert into key_denial_drops (account_id, day, count)
    select d.account_id, current_date, d.count
    from unnest(${drops.map((d) => d.accountId)}::text[], ${drops.map((d) => d.count)}::int[]) as d(account_id, count)
    on conflict (account_id, day) do update set count = key_denial_drops.count + excluded.count`.execute(db);
}

/** The denial events of the last hour. Locks the account until the commit, so that no two processes emit one twice. */
export async function findToldDenials(
  tx: Tx,
  accountId: string,
): Promise<{ type: string; data: Record<string, unknown> }[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${accountId}, 9))`.execute(tx);
  const { rows } = await sql<{ type: string; data: Record<string, unknown> }>`
    select type, data from events
    where account_id = ${accountId} and resource_id = ${accountId}
      and type in ('ip_allowlist.denied', 'ip_allowlist.would_deny')
      and occurred_at > clock_timestamp() - interval '1 hour'`.execute(tx);
  return rows;
}
