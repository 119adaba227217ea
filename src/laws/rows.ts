/** An account with rows in every table that knows accounts, so that lists have something to show and to keep back. */
import { sql } from 'kysely';
import { insertApproval } from '../kernel/approvals/store.ts';
import { append } from '../kernel/audit/store.ts';
import { writeDenials, writeDrops } from '../kernel/denials/store.ts';
import { newId } from '../kernel/ids.ts';
import { newSeat, takeSeat } from '../kernel/streams/store.ts';
import { periodOf } from '../money/budgets/budget.ts';
import { recordCrossings } from '../money/budgets/store.ts';
import { addReading } from '../money/metering/readings/add-reading.ts';
import { createKey } from '../testing/accounts.ts';
import { freshPublicKey } from '../testing/ssh-keys.ts';
import { insertDelivery, insertWebhook } from '../testing/webhooks.ts';
import { addMachineRows, fillMachine } from './vps-rows.ts';
import { insertPolishing, listParams, noteFilled, type World } from './walk.ts';

const now = (): Date => new Date();

async function fillOnce(world: World, mark: string): Promise<void> {
  const { app, account } = world;
  const { db } = app.services;
  await db
    .insertInto('account_limits')
    .values({ account_id: account.id, limit_id: mark, value: 7 })
    .execute();
  await db
    .insertInto('ip_allowlists')
    .values({ account_id: account.id, mode: 'report_only', mode_changed_at: now(), mode_changed_by: mark })
    .execute();
  await writeDrops(db, [{ accountId: account.id, count: 3 }]);
  await takeSeat(db, newSeat(account.id, newId('api_key')));
  const { id } = await insertWebhook(app.services, account, { name: `${mark}-told` });
  noteFilled(world, '/account/v1/webhooks', id);
  await fillMachine(world, mark);
}

async function addApproval(world: World, name: string): Promise<void> {
  const { id: operationId } = await insertPolishing(world, name);
  const effect = { action: 'delete', type: 'widget', id: null, name };
  await insertApproval(
    world.app.services.db,
    {
      operation_id: operationId,
      account_id: world.account.id,
      key_id: world.key.id,
      request_hash: Buffer.from(name),
      endpoint_id: 'deleteWidget',
      method: 'DELETE',
      path: `/workshop/v1/widgets/${name}`,
      query: {},
      body: null,
      effects: [effect],
      cost: { hourly: '0.000000', monthly: '0.00', currency: 'EUR' },
    },
    3600,
  );
}

async function addWebhook(world: World, name: string): Promise<void> {
  const { app, account } = world;
  await insertWebhook(app.services, account, { name, description: name });
  const { id = '' } = await listParams({ path: '/account/v1/webhooks/{id}/deliveries' }, world);
  await insertDelivery(app.services, account, id, { response_excerpt: name });
}

async function addKeyAndGroup({ app, key }: World, name: string): Promise<void> {
  const bodies = {
    'ssh-keys': { name, public_key: freshPublicKey(name) },
    'placement-groups': { name, location: 'fra1' },
  };
  for (const [collection, payload] of Object.entries(bodies)) {
    const url = `/flexible-vps/v1/${collection}`;
    const response = await app.call({ method: 'POST', url, payload, key: key.key });
    if (response.statusCode !== 201) throw new Error(response.body);
  }
}

async function addNetwork({ app, account }: World, name: string, i: number): Promise<void> {
  await app.services.db
    .insertInto('vps_networks')
    .values({
      id: newId('network'),
      account_id: account.id,
      name,
      location: 'fra1',
      ipv4_cidr: `10.${i % 256}.0.0/16`,
      ipv6_cidr: null,
      nat: { ipv4: true, ipv6: false },
      dns: { servers: [], domain: null },
      mtu: 1442,
      routes: sql`'[]'::jsonb`,
      status: 'active',
      status_reason: null,
    })
    .execute();
}

async function addImage({ app, account }: World, name: string): Promise<void> {
  await app.services.db
    .insertInto('vps_images')
    .values({
      id: newId('image'),
      account_id: account.id,
      name,
      os: { family: 'linux', distribution: 'debian', version: '13' },
      architecture: 'amd64',
      boot_mode: 'uefi',
      min_disk_gb: 10,
      min_memory_mb: 512,
      cloud_init: true,
      guest_agent: false,
      default_user: 'root',
      source: { type: 'url', id: null, url: `https://images.example.com/${name}` },
      status: 'available',
    })
    .execute();
}

/** Row number `i` of everything an account can have many of; `mark` is in whatever has a name. */
export async function addRow(world: World, mark: string, i: number): Promise<void> {
  const { app, account } = world;
  const { db } = app.services;
  const name = `${mark}-${i}`;
  const member = newId('member');
  const denied = now();
  await db
    .insertInto('members')
    .values({ id: member, account_id: account.id, name, email: `${name}@example.com`, role: 'viewer' })
    .execute();
  const key = await createKey(db, account, { name, owner_id: member, owner_name: name });
  await db
    .insertInto('ip_allowlist_entries')
    .values({
      id: newId('allowlist_entry'),
      account_id: account.id,
      cidr: sql`(${`2001:db8:${i.toString(16)}::/48`})::cidr`,
      note: name,
      created_by: name,
    })
    .execute();
  await writeDenials(db, [
    {
      id: newId('key_denial'),
      account_id: account.id,
      cause: 'ip_restriction',
      code: 'ip_not_allowed',
      enforced: false,
      allowlist_mode: 'report_only',
      key_id: key.id,
      key_public_id: key.publicId,
      key_name: name,
      client_ip: `192.0.2.${i % 256}`,
      method: 'GET',
      path_template: '/account/v1/profile',
      operation_id: 'getAccountProfile',
      required_permission: null,
      denied_by: null,
      user_agent: name,
      count: 1,
      first_at: denied,
      last_at: denied,
      last_request_id: newId('request'),
    },
  ]);
  await append(db, account.id, {
    id: newId('audit_entry'),
    occurred_at: denied.toISOString(),
    actor: { kind: 'api_key', api_key_id: key.id, member_id: member, name },
    client_ip: '192.0.2.1',
    user_agent: name,
    source: 'api',
    action: 'revokeApiKey',
    resource: { type: 'api_key', id: key.id, name },
    outcome: 'succeeded',
    http_status: 200,
    problem_code: null,
    request_id: newId('request'),
    operation_id: null,
    approval_operation_id: null,
    changes: [],
  });
  const budget = newId('budget');
  await db
    .insertInto('budgets')
    .values({
      id: budget,
      account_id: account.id,
      name,
      amount: '100.00',
      currency: 'EUR',
      scope: {
        families: i % 2 === 0 ? ['storage'] : null,
        label_selector: `mark=${name}`,
        api_key_ids: [key.id],
      },
      thresholds: sql`${JSON.stringify([{ percent: 80, basis: 'actual' }])}::jsonb`,
      action: 'notify',
      emails: [],
      description: name,
      period: periodOf(denied),
    })
    .execute();
  await recordCrossings(db, budget, periodOf(denied), [{ percent: 80, basis: 'actual' }]);
  await addApproval(world, name);
  await addWebhook(world, name);
  await addNetwork(world, name, i);
  await addMachineRows(world, name, i);
  await addImage(world, name);
  const widget = await app.call({
    method: 'POST',
    url: '/workshop/v1/widgets',
    headers: { 'idempotency-key': name },
    payload: { name, size: 1, labels: { mark: name } },
    key: world.key.key,
  });
  if (widget.statusCode !== 201) throw new Error(widget.body);
  await addKeyAndGroup(world, name);
  await db
    .insertInto('machines')
    .values({
      id: newId('request').replace('req', 'mac'),
      account_id: account.id,
      name,
      status: 'running',
    })
    .execute();
  await addReading(db, app.services.provider.catalogue, {
    resourceId: widget.json<{ id: string }>().id,
    sku: 'traffic.out',
    quantity: 5_000_000n,
    at: denied,
  });
}

export async function fill(world: World, count: number, mark: string): Promise<void> {
  await fillOnce(world, mark);
  for (let i = 1; i <= count; i++) await addRow(world, mark, i);
}

/** Every table whose rows belong to an account. What a driver keeps for its engine is filled by that engine alone. */
export async function accountTables({ app }: World): Promise<string[]> {
  const { rows } = await sql<{ table_name: string }>`
    select table_name from information_schema.columns
    where table_schema = 'public' and column_name = 'account_id' and table_name not like 'incus\\_%'
    order by table_name`.execute(app.services.db);
  return rows.map(({ table_name }) => table_name);
}

export async function rowsOf({ app, account }: World, table: string): Promise<unknown[]> {
  const column = table === 'accounts' ? 'id' : 'account_id';
  const { rows } = await sql<{ row: unknown }>`
    select to_jsonb(t) as row from ${sql.table(table)} t where ${sql.ref(column)} = ${account.id}
    order by t::text`.execute(app.services.db);
  return rows.map(({ row }) => row);
}
