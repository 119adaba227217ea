import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import type { OperationView } from '../../../kernel/operations/schema.ts';
import { transact } from '../../../store/transaction.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { operationOf, settle } from '../../../testing/operations.ts';
import { contains, isUsable } from './addresses.ts';
import type { Network } from './schema.ts';
import { pickFreeAddress, readNetwork } from './store.ts';

const URL = '/flexible-vps/v1/networks';

let app: TestApp;
let account: TestAccount;
let key: TestKey;

beforeAll(async () => {
  app = await createTestApp();
  account = await createAccount(app.services.db);
  key = await createKey(app.services.db, account);
  await app.services.db
    .insertInto('account_limits')
    .values({ account_id: account.id, limit_id: 'flexible-vps.networks', value: null })
    .execute();
});
afterAll(() => app.close());
afterEach(() => clearFaults(app.services.db));

let serial = 0;
const create = (body: object = {}, query = '') =>
  app.call({
    method: 'POST',
    url: `${URL}${query}`,
    key: key.key,
    payload: { name: `net-${++serial}`, location: 'fra1', ipv4_cidr: `10.${serial}.0.0/24`, ...body },
  });

const get = (id: string) => app.call({ url: `${URL}/${id}`, key: key.key });
const read = async (id: string): Promise<Network> => (await get(id)).json<Network>();

async function created(body: object = {}): Promise<Network> {
  const answer = await create(body);
  expect(answer.statusCode, answer.body).toBe(202);
  await settle(app);
  return read(answer.json<Network>().id);
}

const patch = (id: string, payload: object, headers: Record<string, string> = {}) =>
  app.call({ method: 'PATCH', url: `${URL}/${id}`, key: key.key, payload, headers });

const atEngine = ({ id, location }: Network) =>
  app.services.compute.at(location)?.observeNetwork({ account: account.id, id });

const told = async (id: string): Promise<string[]> => {
  const events = app.services.db.selectFrom('events').select('type').where('resource_id', '=', id);
  const rows = await events.where('type', 'like', 'network.%').orderBy('sequence').execute();
  return rows.map(({ type }) => type);
};

const errorsIn = (answer: Awaited<ReturnType<typeof get>>): string[] =>
  answer
    .json<{ errors: { pointer: string; code: string }[] }>()
    .errors.map(({ pointer, code }) => `${pointer} ${code}`);

describe('a new network', () => {
  it('is creating, then active, exists at the engine, has an event and is in the inventory', async () => {
    const answer = await create({ name: 'backend', ipv4_cidr: '192.168.7.0/24', labels: { env: 'prod' } });
    const accepted = answer.json<Network>();
    expect(answer.statusCode, answer.body).toBe(202);
    expect(accepted).toMatchObject({
      status: 'creating',
      operation: { type: 'network.create', status: 'queued' },
    });
    await settle(app);
    const network = await read(accepted.id);
    expect(network).toMatchObject({
      status: 'active',
      status_reason: null,
      operation: null,
      ipv4_gateway: '192.168.7.1',
      nat: { ipv4: true, ipv6: false },
      dns: { servers: [], domain: null },
      mtu: 1442,
      routes: [],
      addresses: { ipv4_total: 252, ipv4_used: 0 },
      protection: { delete: false },
    });
    expect(await atEngine(network)).toMatchObject({
      ipv4Cidr: '192.168.7.0/24',
      ipv4Gateway: '192.168.7.1',
      ipv6Cidr: network.ipv6_cidr,
      usedBy: [],
    });
    expect(await told(network.id)).toEqual(['network.created']);
    const resources = await app.call({ url: '/account/v1/resources?type=network', key: key.key });
    expect(resources.json<{ data: unknown[] }>().data).toContainEqual(
      expect.objectContaining({ id: network.id, name: 'backend', labels: { env: 'prod' }, status: 'active' }),
    );
  });

  it('has a unique prefix of local IPv6 addresses, unless IPv6 is off', async () => {
    const [one, other] = [await created(), await created()];
    expect(contains('fd00::/8', one.ipv6_cidr!.replace('/64', ''))).toBe(true);
    expect(one.ipv6_cidr).not.toBe(other.ipv6_cidr);
    const same = app.services.db
      .updateTable('vps_networks')
      .set({ ipv6_cidr: one.ipv6_cidr })
      .where('id', '=', other.id);
    await expect(same.execute()).rejects.toThrow(/unique/);
    expect((await created({ ipv6: false })).ipv6_cidr).toBeNull();
  });

  it('has the requested NAT, DNS, routes and protection', async () => {
    const wanted = {
      nat: { ipv4: false, ipv6: true },
      dns: { servers: ['9.9.9.9', '2620:FE::fe'], domain: 'internal.example' },
      routes: [{ destination: '172.20.0.0/16', next_hop: '10.200.0.5' }],
      protection: { delete: true },
      description: 'For the databases',
    };
    const network = await created({ ...wanted, ipv4_cidr: '10.200.0.0/20' });
    expect(network).toMatchObject({
      ...wanted,
      dns: { servers: ['9.9.9.9', '2620:fe::fe'], domain: 'internal.example' },
      routes: [{ destination: '172.20.0.0/16', next_hop: '10.200.0.5', description: '' }],
      addresses: { ipv4_total: 4092 },
    });
    expect(await atEngine(network)).toMatchObject({
      nat: wanted.nat,
      routes: [{ destination: '172.20.0.0/16', nextHop: '10.200.0.5' }],
    });
  });

  it.each([
    [{ ipv4_cidr: '10.0.0.0/8' }, '/ipv4_cidr out_of_range'],
    [{ ipv4_cidr: '8.8.8.0/24' }, '/ipv4_cidr out_of_range'],
    [{ ipv4_cidr: '10.0.0.7/24' }, '/ipv4_cidr invalid_format'],
    [{ location: 'nowhere' }, '/location unknown_reference'],
    [{ dns: { servers: ['one.one'] } }, '/dns/servers/0 invalid_format'],
    [
      { ipv4_cidr: '10.9.0.0/24', routes: [{ destination: '172.20.0.0/16', next_hop: '10.10.0.5' }] },
      '/routes/0/next_hop out_of_range',
    ],
  ])('422: %j', async (body, error) => {
    const answer = await create(body);
    expect([answer.statusCode, errorsIn(answer)]).toEqual([422, [error]]);
  });

  it('may overlap another network of its location: a dry run warns, and creates nothing', async () => {
    const there = await created({ ipv4_cidr: '10.77.0.0/16' });
    const dry = await create({ name: 'overlapping', ipv4_cidr: '10.77.3.0/24' }, '?dry_run=true');
    expect(dry.json()).toMatchObject({
      valid: true,
      effects: [{ action: 'create', type: 'network', name: 'overlapping' }],
      warnings: [{ code: 'cidr_overlap', pointer: '/ipv4_cidr', detail: expect.stringContaining(there.id) }],
    });
    const elsewhere = await create({ ipv4_cidr: '10.77.3.0/24', location: 'ams1' }, '?dry_run=true');
    expect(elsewhere.json<{ warnings: unknown[] }>().warnings).toEqual([]);
    expect((await create({ name: 'overlapping', ipv4_cidr: '10.77.3.0/24' })).statusCode).toBe(202);
  });
});

describe('a change of a network', () => {
  it('of labels is merged with the present ones', async () => {
    const { id } = await created();
    await patch(id, { labels: { tier: 'db', team: 'a' } });
    const merged = await patch(id, { labels: { tier: null, env: 'prod' } });
    expect(merged.json<Network>().labels).toEqual({ team: 'a', env: 'prod' });
  });

  it('of name, labels or description is made immediately, and its operation has already ended', async () => {
    const { id, etag } = await created();
    await addFault(app.services.db, { call: 'ensureNetwork', effect: { kind: 'unreachable' } });
    const answer = await patch(id, {
      name: `renamed-${serial}`,
      labels: { tier: 'db' },
      description: 'Renamed',
      protection: { delete: true },
    });
    const changed = answer.json<Network>();
    expect(answer.statusCode, answer.body).toBe(202);
    expect(changed).toMatchObject({
      name: `renamed-${serial}`,
      labels: { tier: 'db' },
      status: 'active',
      protection: { delete: true },
      operation: { status: 'succeeded', result: { changed: true } },
    });
    expect(changed.etag).not.toBe(etag);
    expect(await told(id)).toEqual(['network.created', 'network.updated']);
    expect(await read(id)).toMatchObject({ name: `renamed-${serial}`, operation: null });
  });

  it('that changes nothing keeps the ETag and writes no event', async () => {
    const { id, name, etag } = await created();
    const answer = await patch(id, { name, nat: { ipv4: true }, dns: { servers: [] } });
    expect(answer.json()).toMatchObject({ etag, operation: { result: { changed: false } } });
    expect(await told(id)).toEqual(['network.created']);
  });

  it('of settings shows the new settings once the engine has applied them', async () => {
    const { id, ipv4_gateway } = await created();
    const next_hop = ipv4_gateway.replace(/1$/, '9');
    const wanted = { nat: { ipv4: false }, routes: [{ destination: '172.20.0.0/16', next_hop }] };
    const answer = await patch(id, wanted);
    expect(answer.json()).toMatchObject({
      status: 'updating',
      nat: { ipv4: true },
      routes: [],
      operation: { type: 'network.update', status: 'queued' },
    });
    await settle(app);
    const after = await read(id);
    expect(after).toMatchObject({ status: 'active', nat: { ipv4: false, ipv6: false }, operation: null });
    expect(after.routes).toEqual([{ destination: '172.20.0.0/16', next_hop, description: '' }]);
    expect(await atEngine(after)).toMatchObject({ nat: { ipv4: false, ipv6: false } });
    expect(await told(id)).toEqual(['network.created', 'network.updated']);
  });

  it('that repeats a running change returns the same operation; 409 operation_in_progress for any other', async () => {
    const { id } = await created();
    const first = (await patch(id, { nat: { ipv4: false } })).json<Network>().operation;
    const again = await patch(id, { nat: { ipv4: false } });
    expect(again.json<Network>().operation?.id).toBe(first?.id);
    expect(again.headers['operation-location']).toBe(first?.href);
    for (const other of [{ nat: { ipv6: true } }, { description: 'Now' }, {}]) {
      const answer = await patch(id, other);
      expect(answer.json()).toMatchObject({ code: 'operation_in_progress', operation_id: first?.id });
    }
    await settle(app);
    expect((await patch(id, { nat: { ipv6: true } })).statusCode).toBe(202);
  });

  it.each(['location', 'ipv4_cidr', 'ipv6'])('422 immutable: %s', async (name) => {
    const network = await created();
    const value = name === 'ipv6' ? true : network[name as 'location' | 'ipv4_cidr'];
    const answer = await patch(network.id, { [name]: value });
    expect([answer.statusCode, errorsIn(answer)]).toEqual([422, [`/${name} immutable`]]);
  });

  it('412: is refused with an old ETag', async () => {
    const { id, etag } = await created();
    await patch(id, { description: 'Meanwhile' });
    const answer = await patch(id, { description: 'Late' }, { 'if-match': `"${etag}"` });
    expect(answer.statusCode).toBe(412);
  });

  it('that the engine refuses leaves the network active and unchanged', async () => {
    const before = await created();
    const effect = { kind: 'fail', code: 'engine_failed', detail: 'No.' } as const;
    await addFault(app.services.db, { call: 'ensureNetwork', effect });
    const { operation } = (await patch(before.id, { nat: { ipv4: false } })).json<Network>();
    await settle(app);
    expect(await read(before.id)).toMatchObject({ status: 'active', nat: before.nat, operation: null });
    expect(await atEngine(before)).toMatchObject({ nat: before.nat });
    const { status, error } = await operationOf(app, operation!.id);
    expect([status, error?.detail]).toEqual(['failed', 'No.']);
    expect(await told(before.id)).toEqual(['network.created']);
  });
});

describe('addresses of a network', () => {
  async function attach({ id }: Network, ipv4: string): Promise<string> {
    const answer = await app.call({
      method: 'POST',
      url: '/flexible-vps/v1/vms',
      key: key.key,
      payload: {
        name: `vm-${++serial}`,
        location: 'fra1',
        plan: 'flex-2-4',
        source: { type: 'image', image_id: 'ubuntu-24.04' },
        networks: [{ network_id: id, ipv4 }],
      },
    });
    expect(answer.statusCode, answer.body).toBe(202);
    return answer.json<OperationView>().id;
  }

  it('in use are counted, and listed when one network is read', async () => {
    const network = await created({ ipv4_cidr: '10.66.0.0/28', ipv6: false });
    const vm = await attach(network, '10.66.0.9');
    await settle(app);
    const shown = await read(network.id);
    expect(shown.addresses).toEqual({ ipv4_total: 12, ipv4_used: 1 });
    expect(shown.in_use).toEqual([
      { address: '10.66.0.1', type: 'gateway', id: network.id, interface_id: null },
      { address: '10.66.0.9', type: 'vm', id: vm, interface_id: expect.stringMatching(/^nic_/) },
    ]);
    const list = await app.call({ url: `${URL}?name=${network.name}`, key: key.key });
    const [listed] = list.json<{ data: Network[] }>().data;
    expect(listed).toMatchObject({ addresses: { ipv4_used: 1 } });
    expect(listed).not.toHaveProperty('in_use');
  });

  it('that are free are assigned from the lowest, each once, until none is left', async () => {
    const { db } = app.services;
    const network = await created({ ipv4_cidr: '10.67.0.0/28', ipv6: false });
    const row = (await readNetwork(db, account.id, network.id))!;
    await attach(network, '10.67.0.3');
    const { id: interface_id } = await db
      .selectFrom('vm_interfaces')
      .select('id')
      .where('network_id', '=', network.id)
      .executeTakeFirstOrThrow();
    const take = () =>
      transact(db, async (tx) => {
        const address = await pickFreeAddress(tx, row);
        if (address !== null)
          await tx
            .insertInto('network_addresses')
            .values({ network_id: row.id, address, interface_id, role: 'alias' })
            .execute();
        return address;
      });
    expect(await take()).toBe('10.67.0.2');
    expect(await take()).toBe('10.67.0.4');
    const rest = await Promise.all(Array.from({ length: 12 }, take));
    const given = rest.filter((address) => address !== null);
    expect(new Set(given).size).toBe(9);
    expect(given.every((address) => isUsable(row.ipv4_cidr, address))).toBe(true);
    expect(given).toHaveLength(9);
  });
});
