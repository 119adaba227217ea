import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addFault } from '../../../engines/compute/sandbox/store.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { outwaitGuests, settle } from '../../../testing/operations.ts';
import type { Vm } from './schema.ts';

let app: TestApp;
let account: TestAccount;
let key: TestKey;

beforeAll(async () => {
  app = await createTestApp();
  account = await createAccount(app.services.db);
  key = await createKey(app.services.db, account);
});
afterAll(() => app.close());

let serial = 0;
const create = (body: object = {}) =>
  app.call({
    method: 'POST',
    url: '/flexible-vps/v1/vms',
    key: key.key,
    payload: {
      name: `web-${++serial}`,
      location: 'fra1',
      plan: 'flex-2-4',
      source: { type: 'image', image_id: 'ubuntu-24.04' },
      ...body,
    },
  });

const read = async (id: string): Promise<Vm> =>
  (await app.call({ method: 'GET', url: `/flexible-vps/v1/vms/${id}`, key: key.key })).json<Vm>();

async function created(body: object = {}): Promise<Vm> {
  const answer = await create(body);
  expect(answer.statusCode, answer.body).toBe(202);
  const { id } = answer.json<Vm>();
  await settle(app);
  return read(id);
}

const instance = ({ id, location }: Vm) =>
  app.services.compute.at(location)?.observeInstance({ account: account.id, id });

describe('a new machine', () => {
  it('is creating, then running with one address of each family, and is in the inventory', async () => {
    const answer = await create({ name: 'first' });
    expect(answer.statusCode, answer.body).toBe(202);
    const accepted = answer.json<Vm & { initial_credentials: { username: string; password: string } }>();
    expect(accepted.status).toBe('creating');
    expect(accepted.operation).toMatchObject({ type: 'vm.create', status: 'queued' });
    expect(accepted.initial_credentials.username).toBe('ubuntu');
    expect(answer.headers['cache-control']).toBe('no-store');
    await settle(app);
    const told = await app.services.db
      .selectFrom('events')
      .select('operation_id')
      .where('resource_id', '=', accepted.id)
      .where('type', '=', 'vm.created')
      .execute();
    expect(told).toEqual([{ operation_id: accepted.operation?.id }]);
    const vm = await read(accepted.id);
    expect(vm).toMatchObject({ status: 'running', operation: null, vcpus: 2, memory_mb: 4096, disk_gb: 80 });
    expect(vm.primary_ipv4).toMatch(/^10\.100\./);
    expect(vm.primary_ipv6).toBe(vm.ipv6_prefix?.replace('::/64', '::1'));
    expect(vm.interfaces).toHaveLength(1);
    expect(vm.interfaces[0]).toMatchObject({ kind: 'public', status: 'active', ipv4: vm.primary_ipv4 });
    expect(await instance(vm)).toMatchObject({ state: 'running', hostname: 'first' });
    const resources = await app.call({ method: 'GET', url: '/account/v1/resources?type=vm', key: key.key });
    const [row] = resources.json<{ data: { id: string; price: { monthly: string } }[] }>().data;
    expect(row).toMatchObject({ id: vm.id, price: { monthly: vm.price.monthly, hourly: vm.price.hourly } });
  });

  it('costs exactly what the dry run and the estimate say', async () => {
    const body = {
      name: 'priced',
      location: 'fra1',
      plan: 'flex-2-4',
      disk_gb: 100,
      source: { type: 'image', image_id: 'ubuntu-24.04' },
    };
    const dry = await app.call({
      method: 'POST',
      url: '/flexible-vps/v1/vms?dry_run=true',
      key: key.key,
      payload: body,
    });
    expect(dry.statusCode, dry.body).toBe(200);
    type Line = { description: string; hourly: string | null; monthly: string };
    const { cost } = dry.json<{ cost: { hourly: string; monthly: string; lines: Line[] } }>();
    const estimate = await app.call({
      method: 'POST',
      url: '/account/v1/pricing/estimate',
      key: key.key,
      payload: { items: [{ resource_type: 'vm', configuration: body }] },
    });
    const vm = await created(body);
    expect(vm.price).toMatchObject({ monthly: cost.monthly });
    expect(Number(vm.price.hourly)).toBe(Number(cost.hourly));
    const { totals, items } = estimate.json<{ totals: { monthly: string }; items: { lines: Line[] }[] }>();
    expect(totals.monthly).toBe(cost.monthly);
    expect(cost.lines.length).toBe(3);
    expect(cost.lines).toEqual(
      items[0]!.lines
        .filter(({ monthly }) => monthly !== '0.00')
        .map(({ description, hourly, monthly }) => ({ description, hourly, monthly })),
    );
    const inCents = (amount: string): number => Math.round(Number(amount) * 100);
    const sum = cost.lines.reduce((total, { monthly }) => total + inCents(monthly), 0);
    expect(sum).toBe(inCents(cost.monthly));
  });

  it('gets a password although it has user data, if cloud-init ignores that, and the answer warns', async () => {
    const answer = await create({ user_data: 'hello' });
    const made = answer.json<Vm & { initial_credentials: object | null }>();
    expect(made.initial_credentials).not.toBeNull();
    const warnings = [expect.objectContaining({ code: 'user_data_ignored', pointer: '/user_data' })];
    expect(JSON.parse(String(answer.headers['hostplane-warnings']))).toEqual(warnings);
    expect(made.operation?.warnings).toEqual(warnings);
    await settle(app);
  });

  it('gets a password if its user data is empty, and does not show its host', async () => {
    const answer = await create({ user_data: '' });
    const made = answer.json<Vm & { initial_credentials: object | null }>();
    expect([made.initial_credentials !== null, made.user_data_sha256]).toEqual([true, null]);
    await settle(app);
    const [one, other, elsewhere] = [
      await read(made.id),
      await created(),
      await created({ location: 'hel1' }),
    ];
    const hosts = await Promise.all([one, other, elsewhere].map(async (vm) => (await instance(vm))?.host));
    expect(hosts).not.toContain(one.host_group);
    expect(one.host_group === other.host_group).toBe(hosts[0] === hosts[1]);
    expect(elsewhere.host_group).not.toBe(one.host_group);
  });

  it('is refused with a plan that its location does not sell, naming where it is sold', async () => {
    const answer = await create({ location: 'hel1', plan: 'flex-16-32' });
    expect(answer.json()).toMatchObject({
      code: 'validation_failed',
      errors: [
        {
          pointer: '/plan',
          code: 'location_mismatch',
          detail: expect.stringContaining('(amd64) is not sold in hel1, but in fra1, ams1.'),
        },
      ],
    });
  });

  it('is not created twice with one name', async () => {
    const vm = await created({ name: 'only-one' });
    const again = await create({ name: 'only-one' });
    expect(again.statusCode).toBe(409);
    expect(again.json()).toMatchObject({ code: 'name_taken', existing_id: vm.id });
  });

  it.each([
    ['a plan nobody sells', { plan: 'flex-999' }, '/plan', 'unknown_reference'],
    ['a place nobody knows', { location: 'nowhere' }, '/location', 'unknown_reference'],
    [
      'an image nobody has',
      { source: { type: 'image', image_id: 'nonesuch' } },
      '/source/image_id',
      'unknown_reference',
    ],
    ['a source without its id', { source: { type: 'image' } }, '/source/image_id', 'required'],
    ['a disk smaller than its plan', { disk_gb: 10 }, '/disk_gb', 'out_of_range'],
    [
      'two sizes of one disk',
      { plan: undefined, custom_size: { vcpus: 2, memory_mb: 4096, disk_gb: 40 }, disk_gb: 50 },
      '/disk_gb',
      'mutually_exclusive',
    ],
    [
      'a backup that nobody made',
      { source: { type: 'backup', backup_id: 'bkp_01jqzv2m7xe9rs5d3k8w4t6y0b' } },
      '/source/backup_id',
      'unknown_reference',
    ],
    ['no way in at all', { public_ipv4: { mode: 'none' }, public_ipv6: false }, '/networks', 'no_network'],
    [
      'a key nobody stored',
      { ssh_key_ids: ['sshkey_01jqzv2m7xe9rs5d3k8w4t6y0b'] },
      '/ssh_key_ids/0',
      'unknown_reference',
    ],
  ])('is refused with %s', async (_, body, pointer, code) => {
    const answer = await create(body);
    expect(answer.statusCode, answer.body).toBe(422);
    expect(answer.json<{ errors: object[] }>().errors).toContainEqual(
      expect.objectContaining({ pointer, code }),
    );
  });

  it('is refused with all faults at once', async () => {
    const answer = await create({
      location: 'nowhere',
      plan: 'flex-999',
      fallbacks: [{ location: 'elsewhere' }, { plan: 'flex-998' }],
      source: { type: 'iso', iso_id: 'iso_01jqzv2m7xe9rs5d3k8w4t6y0b' },
      networks: [
        { network_id: 'net_01jqzv2m7xe9rs5d3k8w4t6y0b' },
        { network_id: 'net_01jqzv2m7xe9rs5d3k8w4t6y0c' },
      ],
      ssh_key_ids: ['sshkey_01jqzv2m7xe9rs5d3k8w4t6y0b'],
      user_data: 'no base64!',
      user_data_encoding: 'base64',
      public_ipv4: { mode: 'reserved', ip_id: 'ip_01jqzv2m7xe9rs5d3k8w4t6y0b' },
      placement_group_id: 'pg_01jqzv2m7xe9rs5d3k8w4t6y0b',
      volume_ids: ['vol_01jqzv2m7xe9rs5d3k8w4t6y0b'],
    });
    expect(answer.statusCode, answer.body).toBe(422);
    const pointers = answer.json<{ errors: { pointer: string }[] }>().errors.map(({ pointer }) => pointer);
    expect(pointers.toSorted()).toEqual([
      '/fallbacks/0/location',
      '/fallbacks/1/plan',
      '/location',
      '/networks/0/network_id',
      '/networks/1/network_id',
      '/placement_group_id',
      '/plan',
      '/public_ipv4/ip_id',
      '/source/iso_id',
      '/ssh_key_ids/0',
      '/user_data',
      '/volume_ids/0',
    ]);
  });

  it('is refused for its faults before the state of its source is checked', async () => {
    const { id } = await created({ start: false });
    const { db } = app.services;
    await db.updateTable('vms').set({ status: 'suspended' }).where('id', '=', id).execute();
    const source = { type: 'vm', vm_id: id };
    expect((await create({ source })).json()).toMatchObject({ status: 409, code: 'invalid_state' });
    const both = (await create({ source, plan: 'flex-999' })).json();
    expect(both).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/plan' }] });
  });

  it('stays stopped with start: false, and a copy of another machine is independent', async () => {
    const still = await created({ start: false });
    expect(still.status).toBe('stopped');
    const copy = await created({ source: { type: 'vm', vm_id: still.id } });
    expect(copy).toMatchObject({ status: 'running', source: { type: 'vm', id: still.id } });
  });

  it('whose creation is cancelled before it boots leaves nothing behind', async () => {
    const answer = await create();
    const { id, operation } = answer.json<Vm>();
    const cancel = await app.call({
      method: 'POST',
      url: `/account/v1/operations/${operation?.id}/cancel`,
      key: key.key,
    });
    expect(cancel.statusCode, cancel.body).toBeLessThan(300);
    await settle(app);
    expect(
      (await app.call({ method: 'GET', url: `/flexible-vps/v1/vms/${id}`, key: key.key })).statusCode,
    ).toBe(404);
  });
});

describe('deleting a machine', () => {
  it('removes the machine, its addresses and its entry in the inventory', async () => {
    const vm = await created();
    const answer = await app.call({ method: 'DELETE', url: `/flexible-vps/v1/vms/${vm.id}`, key: key.key });
    expect(answer.statusCode, answer.body).toBe(202);
    expect(answer.json<Vm>().status).toBe('deleting');
    await settle(app);
    expect(
      (await app.call({ method: 'GET', url: `/flexible-vps/v1/vms/${vm.id}`, key: key.key })).statusCode,
    ).toBe(404);
    expect(await instance(vm)).toBeNull();
    const { db } = app.services;
    expect(await db.selectFrom('resources').select('id').where('id', '=', vm.id).execute()).toEqual([]);
    const held = db.selectFrom('public_addresses').selectAll().where('vm_id', '=', vm.id);
    expect(await held.execute()).toEqual([]);
  });

  it('is refused while it is protected, and pre-empts a creation that has not begun', async () => {
    const vm = await created({ protection: { delete: true } });
    const url = `/flexible-vps/v1/vms/${vm.id}`;
    const refused = await app.call({ method: 'DELETE', url, key: key.key });
    expect(refused.json()).toMatchObject({ code: 'resource_protected' });
    const freed = await app.call({
      method: 'PATCH',
      url,
      key: key.key,
      payload: { protection: { delete: false }, name: 'freed' },
    });
    expect(freed.json<Vm>()).toMatchObject({ name: 'freed', protection: { delete: false } });
    const { id } = (await create()).json<Vm>();
    expect(
      (await app.call({ method: 'DELETE', url: `/flexible-vps/v1/vms/${id}`, key: key.key })).statusCode,
    ).toBe(202);
    await settle(app);
    const left = app.services.db.selectFrom('resources').select('id').where('id', '=', id);
    expect(await left.execute()).toEqual([]);
  });
});

describe('changing a machine', () => {
  it('changes nothing when the labels are the same in another order', async () => {
    const vm = await created({ labels: { a: '1', b: '2' } });
    const url = `/flexible-vps/v1/vms/${vm.id}`;
    const payload = { labels: { b: '2', a: '1' } };
    const answer = await app.call({ method: 'PATCH', url, key: key.key, payload });
    expect(answer.json<Vm>()).toMatchObject({ etag: vm.etag, labels: { a: '1', b: '2' } });
  });

  it('merges labels: null removes one, and labels that are not named stay', async () => {
    const vm = await created({ labels: { a: '1', b: '2' } });
    const url = `/flexible-vps/v1/vms/${vm.id}`;
    const patch = (labels: object) => app.call({ method: 'PATCH', url, key: key.key, payload: { labels } });
    expect((await patch({ a: null, c: '3', never: null })).json<Vm>().labels).toEqual({ b: '2', c: '3' });
    expect((await patch({})).json<Vm>().labels).toEqual({ b: '2', c: '3' });
    const many = Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`l${n}`, 'x']));
    const refused = await patch(many);
    expect([refused.statusCode, refused.json().errors]).toMatchObject([
      422,
      [{ pointer: '/labels', code: 'too_many' }],
    ]);
    expect(Object.keys((await patch({ ...many, b: null })).json<Vm>().labels)).toHaveLength(32);
  });

  it('409 name_taken: is refused for the name of another machine, also if the user data is wrong', async () => {
    const [one, other] = [await created(), await created()];
    const url = `/flexible-vps/v1/vms/${one.id}`;
    for (const more of [{}, { user_data: '%', user_data_encoding: 'base64' }]) {
      const payload = { name: other.name, ...more };
      const answer = await app.call({ method: 'PATCH', url, key: key.key, payload });
      expect(answer.json()).toMatchObject({ code: 'name_taken', existing_id: other.id });
    }
  });
});

describe('the list of machines', () => {
  it('filters by labels, plan and other properties', async () => {
    const vm = await created({ labels: { role: 'listed' }, plan: 'flex-1-1' });
    const find = async (query: string) =>
      (await app.call({ method: 'GET', url: `/flexible-vps/v1/vms?${query}`, key: key.key }))
        .json<{ data: Vm[] }>()
        .data.map(({ id }) => id);
    expect(await find('label_selector=role%3Dlisted')).toEqual([vm.id]);
    expect(await find('plan=flex-1-1')).toEqual([vm.id]);
    expect(await find(`ip=${vm.primary_ipv4}`)).toEqual([vm.id]);
    expect(await find(`ids=${vm.id}`)).toEqual([vm.id]);
    expect(await find('firewall_id=fw_01jqzv2m7xe9rs5d3k8w4t6y0b')).toEqual([]);
    expect(await find('status=running&location=fra1')).toContain(vm.id);
  });
});

describe('deleting a machine with a shutdown', () => {
  const remove = (vm: Vm, query: string) =>
    app.call({ method: 'DELETE', url: `/flexible-vps/v1/vms/${vm.id}?${query}`, key: key.key });

  it('keeps it running if the guest ignores the shutdown request and force is off', async () => {
    const vm = await created();
    await addFault(app.services.db, { target: vm.id, effect: { kind: 'ignore_shutdown' } });
    const answer = await remove(vm, 'shutdown_timeout_seconds=5&force_after_timeout=false');
    expect(answer.statusCode, answer.body).toBe(202);
    await settle(app);
    expect(await read(vm.id)).toMatchObject({ status: 'deleting', operation: { waiting_for: 'guest' } });
    expect(await outwaitGuests(app)).toBe(1);
    expect(await read(vm.id)).toMatchObject({ status: 'running', operation: null });
    const listed = await app.call({
      method: 'GET',
      url: `/account/v1/resources?ids=${vm.id}`,
      key: key.key,
    });
    expect(listed.json()).toMatchObject({ data: [{ id: vm.id, status: 'running' }] });
    expect(await instance(vm)).toMatchObject({ state: 'running' });
    expect((await remove(vm, 'shutdown_timeout_seconds=5')).statusCode).toBe(202);
    await settle(app);
    expect(await outwaitGuests(app)).toBe(1);
    expect(await instance(vm)).toBeNull();
  });
});
