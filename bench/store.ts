import { Kysely, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';
import type { KeyRow } from '../src/families/account/api-keys/schema.ts';
import { findKeyById } from '../src/families/account/api-keys/store.ts';
import { findWhole, listWhole, type wholeOf } from '../src/families/flexible-vps/vm-reading/store.ts';
import { ENDED_CHANNEL } from '../src/kernel/operations/store.ts';
import { foldAllCounts } from '../src/resources/limits/kept/folding.ts';
import { correctCounts, findAccountIds } from '../src/resources/limits/kept/store.ts';
import type { Db, Tables } from '../src/store/database.ts';

/**
 * Captures the statement with which the product reads a key, and checks that its parameters are the id and
 * the account.
 */
export async function captureKeyQuery(pool: pg.Pool, accountId: string, keyId: string): Promise<string> {
  const sent: string[] = [];
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      if (query.parameters[0] !== keyId || query.parameters[1] !== accountId)
        throw new Error(`The values of the statement are not the id and the account: ${query.sql}`);
      sent.push(query.sql);
    },
  });
  await findKeyById(db, accountId, keyId);
  const [text] = sent;
  if (text === undefined || sent.length > 1) throw new Error('A key is not read with one statement.');
  return text;
}

export async function selectKey(pool: pg.Pool, text: string, values: string[]): Promise<KeyRow | undefined> {
  const { rows } = await pool.query<KeyRow>({ name: 'key', text, values });
  return rows[0];
}

/**
 * Captures the statement with which the product reads a machine; its parameters are the id and the account.
 */
export async function captureVmQuery(pool: pg.Pool): Promise<string> {
  const sent: string[] = [];
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      if (query.parameters[0] !== 'the id' || query.parameters[1] !== 'the account')
        throw new Error(`The values of the statement are not the id and the account: ${query.sql}`);
      sent.push(query.sql);
    },
  });
  await findWhole(db, 'the account', 'the id').catch(() => undefined);
  const [text] = sent;
  if (text === undefined || sent.length > 1) throw new Error('A machine is not read with one statement.');
  return text;
}

type WholeRow = Parameters<typeof wholeOf>[0];

export async function selectVm(pool: pg.Pool, text: string, values: string[]): Promise<WholeRow | undefined> {
  const { rows } = await pool.query<WholeRow>({ name: 'vm', text, values });
  return rows[0];
}

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Captures the statement with which the product reads the first page of an account's machines. */
export async function captureVmPageQuery(
  pool: pg.Pool,
  accountId: string,
  limit: number,
): Promise<Statement> {
  const sent: Statement[] = [];
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void sent.push({ text: query.sql, values: query.parameters }),
  });
  const call = { db, caller: { account: { id: accountId } }, query: { limit, sort: '-created_at' } };
  await listWhole(call as Parameters<typeof listWhole>[0]).catch(() => undefined);
  const [statement] = sent;
  if (statement === undefined || sent.length > 1)
    throw new Error('A page of machines is not read with one statement.');
  return statement;
}

export async function selectVms(pool: pg.Pool, { text, values }: Statement): Promise<WholeRow[]> {
  const { rows } = await pool.query<WholeRow>({ name: 'vms', text, values: [...values] });
  return rows;
}

export const machineIdAt = (place: number): string => `vm_${String(place + 1).padStart(26, '0')}`;

/**
 * One machine in ten is stopped, and another in ten has the label `env=prod`. `from` keeps the ids of fleets
 * apart. Each machine has a public interface with an address, and is in the inventory.
 */
export async function fillMachines(
  db: Db,
  accountId: string,
  { machines, from }: { machines: number; from: number },
): Promise<void> {
  await sql`
    insert into vms (id, account_id, name, labels, status, location, plan, requested, vcpus, memory_mb, disk_gb,
      architecture, hostname, image, source, boot_mode, secure_boot, seed, applied_seed, configuration, is_billed,
      host_group, started_at, created_at, updated_at)
    select 'vm_' || lpad((${from}::int + n)::text, 26, '0'), ${accountId}, 'bench-' || n,
      jsonb_build_object('env', case when n % 10 = 1 then 'prod' else 'dev' end, 'team', 'team-' || n % 100),
      case when n % 10 = 0 then 'stopped' else 'running' end, 'fra1', 'flex-2-4',
      '{"location":"fra1","plan":"flex-2-4"}', 2, 4096, 80, 'amd64', 'bench-' || n,
      '{"id":"ubuntu-24.04","slug":"ubuntu-24.04","name":"Ubuntu 24.04","os":{"family":"linux","distribution":"ubuntu","version":"24.04"},"default_user":"ubuntu"}',
      '{"type":"image","id":"ubuntu-24.04"}', 'uefi', false, 'seed', 'seed',
      '{"location":"fra1","plan":"flex-2-4","public_ipv4":{"mode":"ephemeral"},"source":{"type":"image","image_id":"ubuntu-24.04"}}',
      true, 'host-1', now(), at, at
    from generate_series(1, ${machines}::int) as n,
         lateral (select now() - (${machines}::int - n) * interval '10 s' as at) as l`.execute(db);
  await sql`
    insert into vm_interfaces (id, account_id, vm_id, kind, mac, position, mtu, status)
    select 'nic_' || substr(id, 4), account_id, id, 'public',
      ('02' || lpad(to_hex(substr(id, 4)::int), 10, '0'))::macaddr, 0, 1500, 'active'
    from vms where account_id = ${accountId}`.execute(db);
  await sql`
    insert into public_addresses (id, account_id, pool, location, block, kind, vm_id, interface_id)
    select 'ip_' || substr(id, 4), account_id, 'bench', 'fra1', ('10.0.0.0'::inet + substr(id, 4)::int)::cidr,
      'ephemeral', id, 'nic_' || substr(id, 4)
    from vms where account_id = ${accountId} order by id`.execute(db);
  await sql`
    insert into resources (id, account_id, family, type, name, status, location, labels)
    select id, account_id, 'flexible-vps', 'vm', name, status, location, labels
    from vms where account_id = ${accountId} order by id`.execute(db);
}

export const backupIdAt = (place: number): string => machineIdAt(place).replace('vm_', 'bkp_');

/** One backup of each machine; half of them were made by a policy. */
export async function fillBackups(db: Db, accountId: string): Promise<void> {
  await sql`
    insert into vm_backups (id, account_id, name, labels, status, provisioned_at, vm_id, vm_name, kind, location,
      disk_gb, memory_mb, vcpus, architecture, boot_mode, secure_boot, image, format, size_bytes, sha256, part_count,
      consistency, created_at, updated_at)
    select 'bkp_' || substr(id, 4), account_id, name, labels, 'available', created_at, id, name,
      case when substr(id, 28)::int % 2 = 0 then 'scheduled' else 'manual' end, location, disk_gb, memory_mb, vcpus,
      architecture, boot_mode, secure_boot, image, 'qcow2', 1610612736, repeat('a', 64), 192, 'crash',
      created_at, updated_at
    from vms where account_id = ${accountId}`.execute(db);
}

export const volumeIdAt = (place: number): string => machineIdAt(place).replace('vm_', 'vol_');

/** As many volumes as machines. One in ten is attached to the machine with the same number. */
export async function fillVolumes(db: Db, accountId: string): Promise<void> {
  await sql`
    insert into vps_volumes (id, account_id, name, labels, status, location, size_gb, tier, kind, vm_id, provisioned_at,
      created_at, updated_at)
    select 'vol_' || substr(id, 4), account_id, name, labels,
      case when status = 'stopped' then 'attached' else 'available' end, 'fra1', 10, 'standard', 'block',
      case when status = 'stopped' then id end, created_at, created_at, updated_at
    from vms where account_id = ${accountId} order by id`.execute(db);
}

/** One open span of each machine, which began within the last hundred days. The sums of the meter follow from them. */
export async function fillMeter(db: Db, accountId: string): Promise<void> {
  const lines = [
    {
      sku: 'vps.flex-2-4',
      unit: 'hour',
      pace: 'hour',
      quantity: '1000000',
      billable: '1000000',
      hourly: '9000000000',
      monthly: '5990000',
    },
  ];
  await sql`
    insert into meter_spans (account_id, resource_id, family, type, name, location, labels, api_key_id, priced_as,
      contract_months, is_stopped, configuration, lines, priced_at, started_at)
    select account_id, id, 'flexible-vps', 'vm', name, location, labels, null, 'vm', 1, false, configuration,
      ${JSON.stringify(lines)}::jsonb, at, at
    from vms, lateral (select now() - substr(id, 4)::int % 100 * interval '1 day' - interval '1 hour' as at) l
    where account_id = ${accountId} order by id`.execute(db);
  await sql`select meter_recount(${accountId})`.execute(db);
}

export async function liftLimits(db: Db, accountId: string, limits: readonly string[]): Promise<void> {
  await sql`
    insert into account_limits (account_id, limit_id, value)
    select ${accountId}, unnest(${[...limits]}::text[]), null`.execute(db);
}

/** Entries have a realistic size. Their hashes do not form a chain, because the bench does not verify it. */
export async function fillAuditLog(db: Db, accountId: string, keyId: string, entries: number): Promise<void> {
  const same = JSON.stringify({
    actor: { kind: 'api_key', api_key_id: keyId, member_id: null, name: 'bench' },
    client_ip: '203.0.113.7',
    user_agent: 'curl/8.5.0',
    source: 'api',
    action: 'revokeApiKey',
    resource: { type: 'api_key', id: keyId, name: 'old' },
    outcome: 'succeeded',
    http_status: 200,
    problem_code: null,
    operation_id: null,
    approval_operation_id: null,
    changes: [{ pointer: '/status', before: 'active', after: 'revoked' }],
  });
  const hash = Buffer.alloc(32);
  await sql`
    insert into audit_entries
      (account_id, sequence, id, occurred_at, actor_id, action, resource_id, outcome, entry, prev_hash, hash)
    select ${accountId}, n, 'aud_' || digits, at, ${keyId}, 'revokeApiKey', ${keyId}, 'succeeded',
           ${same}::jsonb || jsonb_build_object('id', 'aud_' || digits, 'occurred_at', at, 'request_id', 'req_' || digits),
           ${hash}, ${hash}
    from generate_series(1, ${entries}::int) as n,
         lateral (select lpad(n::text, 26, '0') as digits, now() - (${entries}::int - n) * interval '10 s' as at) as l`.execute(
    db,
  );
}

const ALL = 1_000_000;

/** Uses one connection, because the settings apply to that connection only. */
export async function fillFast(db: Db, fill: (db: Db) => Promise<void>): Promise<void> {
  await db.connection().execute(async (connection) => {
    // Filling takes longer than the statement timeout. The replica role skips the foreign key check of each
    // row's account, and all triggers.
    await sql`set statement_timeout = 0`.execute(connection);
    await sql`set session_replication_role = replica`.execute(connection);
    await fill(connection);
    await correctCounts(connection, await findAccountIds(connection, '', ALL));
    await foldAllCounts(connection);
    await sql`vacuum analyze`.execute(connection);
    await sql`checkpoint`.execute(connection);
    await sql`reset all`.execute(connection);
  });
}

export async function clearOperations(db: Db): Promise<void> {
  await sql`delete from operations`.execute(db);
  await sql`vacuum analyze operations`.execute(db);
}

export async function countUnfinished(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from operations where finished_at is null`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Seconds from the start of the first operation to the end of the last. */
export async function readSpan(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from max(finished_at) - min(started_at))::float8 as seconds from operations`.execute(
    db,
  );
  return rows[0]?.seconds ?? Number.NaN;
}

/** Milliseconds from the start of the call's transaction to the start of the claim's transaction. */
export async function readLatencies(db: Db): Promise<{ p50: number; p99: number }> {
  const { rows } = await sql<{ p50: number; p99: number }>`
    select percentile_cont(0.5) within group (order by ms) as p50,
           percentile_cont(0.99) within group (order by ms) as p99
    from (select extract(epoch from started_at - created_at)::float8 * 1000 as ms from operations) l`.execute(
    db,
  );
  return rows[0] ?? { p50: Number.NaN, p99: Number.NaN };
}

export async function setLogStatement(db: Db, what: 'all' | 'none'): Promise<void> {
  await sql`alter system set log_statement = ${sql.lit(what)}`.execute(db);
  await sql`select pg_reload_conf()`.execute(db);
}

/** Operations started by this key that no worker claims. */
export async function insertOperations(
  db: Db,
  accountId: string,
  keyId: string,
  ids: readonly string[],
): Promise<void> {
  await sql`
    insert into operations (id, account_id, type, family, status, resource_type, actor, api_key_id, cancellable,
                            deadline_at, queue, is_ready)
    select id, ${accountId}, 'bench.wait', 'account', 'queued', 'operation',
           jsonb_build_object('kind', 'api_key', 'api_key_id', ${keyId}::text, 'member_id', null), ${keyId}, true,
           now() + interval '1 day', 'free', false
    from unnest(${[...ids]}::text[]) id`.execute(db);
}

/** Ends an operation with the same effects as the runner, as far as its waiters can see. */
export async function endOperation(db: Db, id: string): Promise<void> {
  await sql`
    with ended as (
      update operations set status = 'succeeded', finished_at = now(), result = '{"changed": true}'
      where id = ${id} returning id)
    select pg_notify(${ENDED_CHANNEL}, id) from ended`.execute(db);
}
