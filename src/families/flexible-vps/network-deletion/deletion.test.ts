import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Effect } from '../../../engines/compute/sandbox/faults.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { QUEUE_LENGTH } from '../../../kernel/operations/kind.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { extendMachineKind } from '../../../testing/machines.ts';
import { cancelled, operationOf, settle, startOn } from '../../../testing/operations.ts';
import type { Network } from '../networks/schema.ts';
import type { Vm } from '../vms/schema.ts';

const URL = '/flexible-vps/v1/networks';
const refuses: Effect = { kind: 'fail', code: 'engine_failed', detail: 'No.' };
const silent: Effect = { kind: 'unreachable' };

let app: TestApp;
let account: TestAccount;
let key: TestKey;

beforeAll(async () => {
  app = await createTestApp();
  account = await createAccount(app.services.db);
  key = await createKey(app.services.db, account);
  const lifted = [
    'flexible-vps.networks',
    'flexible-vps.vms',
    'flexible-vps.vcpus',
    'flexible-vps.memory-gb',
  ];
  await app.services.db
    .insertInto('account_limits')
    .values(lifted.map((limit_id) => ({ account_id: account.id, limit_id, value: null })))
    .execute();
});
afterAll(() => app.close());
afterEach(async () => {
  await clearFaults(app.services.db);
  await hurry();
});

let serial = 0;
async function post<T>(url: string, payload: object): Promise<T> {
  const answer = await app.call({ method: 'POST', url, key: key.key, payload });
  expect(answer.statusCode, answer.body).toBe(202);
  return answer.json<T>();
}

const begun = (body: object = {}): Promise<Network> =>
  post(URL, { name: `net-${++serial}`, location: 'fra1', ipv4_cidr: `10.${serial}.0.0/24`, ...body });

const get = (id: string, of = 'networks') => app.call({ url: `/flexible-vps/v1/${of}/${id}`, key: key.key });
const read = async (id: string): Promise<Network> => (await get(id)).json<Network>();

async function created(body: object = {}): Promise<Network> {
  const { id } = await begun(body);
  await settle(app);
  return read(id);
}

async function machineIn(...networks: Network[]): Promise<Vm> {
  const { id } = await post<Vm>('/flexible-vps/v1/vms', {
    name: `vm-${++serial}`,
    location: 'fra1',
    plan: 'flex-2-4',
    source: { type: 'image', image_id: 'ubuntu-24.04' },
    networks: networks.map((network) => ({ network_id: network.id })),
  });
  await settle(app);
  const vm = (await get(id, 'vms')).json<Vm>();
  expect(vm.status).toBe('running');
  return vm;
}

const remove = (id: string, query = '', of = 'networks') =>
  app.call({ method: 'DELETE', url: `/flexible-vps/v1/${of}/${id}${query}`, key: key.key });

async function removing(id: string, query = ''): Promise<string> {
  const answer = await remove(id, query);
  expect(answer.statusCode, answer.body).toBe(202);
  const { status, operation } = answer.json<Network>();
  expect(status).toBe('deleting');
  return operation!.id;
}

/** Makes all waiting operations due now and runs them. */
async function hurry(): Promise<void> {
  await sql`update operations set run_at = now() where finished_at is null and not awaits_children`.execute(
    app.services.db,
  );
  await settle(app);
}

const fault = (
  call: 'removeNetwork' | 'removeNic' | 'removeInstance' | 'ensureNetwork',
  effect: Effect,
  times?: number,
) => addFault(app.services.db, { call, effect, times });

const atEngine = ({ id, location }: Pick<Network, 'id' | 'location'>) =>
  app.services.compute.at(location)?.observeNetwork({ account: account.id, id });

const inventory = (id: string) =>
  app.services.db.selectFrom('resources').select('status').where('id', '=', id).executeTakeFirst();

async function expectGone(network: Network): Promise<void> {
  expect((await get(network.id)).statusCode).toBe(404);
  expect(await atEngine(network)).toBeNull();
  expect(await inventory(network.id)).toBeUndefined();
}

describe('deleting a network without machines', () => {
  it('removes it from the engine, the lists and the inventory, and frees its name', async () => {
    const network = await created();
    await removing(network.id);
    await settle(app);
    await expectGone(network);
    const events = app.services.db.selectFrom('events').select('type').where('resource_id', '=', network.id);
    const types = (await events.orderBy('sequence').execute()).map(({ type }) => type);
    expect(types).toContain('network.deleted');
    expect((await created({ name: network.name })).status).toBe('active');
  });

  it('happens once, however often it is requested', async () => {
    const { id } = await created();
    const first = await removing(id);
    expect(await removing(id)).toBe(first);
    await settle(app);
    expect((await remove(id)).statusCode).toBe(404);
  });

  it('ends in error with the reason if the engine refuses, and can be repeated', async () => {
    const network = await created();
    await fault('removeNetwork', refuses);
    const operation = await removing(network.id);
    await settle(app);
    expect(await read(network.id)).toMatchObject({ status: 'error', status_reason: 'engine_failed' });
    expect((await operationOf(app, operation)).status).toBe('failed');
    await clearFaults(app.services.db);
    await removing(network.id);
    await settle(app);
    await expectGone(network);
  });

  it.each([
    ['does not answer', silent],
    ['does it without answering', { kind: 'fail_after' } as const],
    ['says that it did it', { kind: 'lie' } as const],
  ])('succeeds although the engine %s at first', async (_, effect) => {
    const network = await created();
    await fault('removeNetwork', effect, 1);
    const operation = await removing(network.id);
    await settle(app);
    expect(await operationOf(app, operation)).toMatchObject({ status: 'running', waiting_for: 'retry' });
    expect((await read(network.id)).status).toBe('deleting');
    await hurry();
    await expectGone(network);
  });
});

describe('deleting a network with machines', () => {
  it('409 resource_in_use: is refused with the names of the machines', async () => {
    const network = await created();
    const [one, other] = [await machineIn(network), await machineIn(network)];
    const answer = await remove(network.id);
    expect(answer.json()).toMatchObject({
      code: 'resource_in_use',
      used_by: [one, other].map(({ id, name }) => ({ type: 'vm', id, name })),
      used_by_count: 2,
    });
    expect((await read(network.id)).status).toBe('active');
  });

  it('detaches the machines first if detach is set, and they keep running', async () => {
    const [network, kept] = [await created(), await created()];
    const vm = await machineIn(network, kept);
    const dry = await remove(network.id, '?detach=true&dry_run=true');
    expect(dry.json<{ effects: object[] }>().effects).toMatchObject([
      { action: 'delete', type: 'network', id: network.id },
      { action: 'detach', type: 'interface', loss: { recoverable: false } },
    ]);
    const operation = await removing(network.id, '?detach=true');
    await settle(app);
    await expectGone(network);
    const children = app.services.db.selectFrom('operations').select(['type', 'status']);
    expect(await children.where('parent_id', '=', operation).execute()).toEqual([
      { type: 'interface.detach', status: 'succeeded' },
    ]);
    const after = (await get(vm.id, 'vms')).json<Vm>();
    expect(after.status).toBe('running');
    expect(after.interfaces.flatMap(({ network_id }) => network_id ?? [])).toEqual([kept.id]);
    const instance = await app.services.compute
      .at('fra1')
      ?.observeInstance({ account: account.id, id: vm.id });
    expect(instance?.nics.map(({ network: id }) => id)).not.toContain(network.id);
  });

  it('leaves the network active if a machine cannot be detached, with the reason', async () => {
    const network = await created();
    const vm = await machineIn(network);
    await fault('removeNic', refuses);
    const operation = await removing(network.id, '?detach=true');
    await settle(app);
    expect(await read(network.id)).toMatchObject({ status: 'active', status_reason: null });
    expect((await operationOf(app, operation)).error).toMatchObject({ code: 'engine_failed' });
    const { interfaces } = (await get(vm.id, 'vms')).json<Vm>();
    expect(interfaces.find(({ network_id }) => network_id === network.id)?.status).toBe('active');
  });

  it('waits for machines that are being deleted', async () => {
    const network = await created();
    const vm = await machineIn(network);
    await fault('removeInstance', silent);
    expect((await remove(vm.id, '', 'vms')).statusCode).toBe(202);
    const operation = await removing(network.id);
    await settle(app);
    expect(await operationOf(app, operation)).toMatchObject({ status: 'running', waiting_for: 'users' });
    expect((await read(network.id)).operation).toMatchObject({ id: operation, waiting_for: 'users' });
    await clearFaults(app.services.db);
    await hurry();
    await expectGone(network);
    expect((await get(vm.id, 'vms')).statusCode).toBe(404);
  });

  it('waits for machines that are being detached', async () => {
    const network = await created();
    const vm = await machineIn(network);
    const nic = vm.interfaces.find(({ network_id }) => network_id === network.id);
    await fault('removeNic', silent);
    expect((await remove(`${vm.id}/interfaces/${nic?.id}`, '', 'vms')).statusCode).toBe(202);
    const operation = await removing(network.id);
    await settle(app);
    expect(await operationOf(app, operation)).toMatchObject({ waiting_for: 'users' });
    await clearFaults(app.services.db);
    await hurry();
    await expectGone(network);
  });

  it('leaves the network active if a machine that was being detached stays attached', async () => {
    const network = await created();
    const vm = await machineIn(network);
    const nic = vm.interfaces.find(({ network_id }) => network_id === network.id);
    await fault('removeNic', silent);
    await remove(`${vm.id}/interfaces/${nic?.id}`, '', 'vms');
    const operation = await removing(network.id);
    await settle(app);
    await clearFaults(app.services.db);
    await fault('removeNic', refuses);
    await hurry();
    await hurry();
    expect((await operationOf(app, operation)).error).toMatchObject({ code: 'resource_in_use' });
    expect(await read(network.id)).toMatchObject({ status: 'active', operation: null });
  });

  it('waits while the queue of a machine is full', async () => {
    const network = await created();
    const vm = await machineIn(network);
    const held = { behaviours: [{ step: 'extend', does: 'retry', times: 1 }] } as const;
    await startOn(app, account, extendMachineKind, vm.id, held);
    await settle(app);
    for (let i = 0; i < QUEUE_LENGTH; i++) await startOn(app, account, extendMachineKind, vm.id);
    const operation = await removing(network.id, '?detach=true');
    await settle(app);
    expect(await operationOf(app, operation)).toMatchObject({ status: 'running', waiting_for: 'queue' });
    await hurry();
    await hurry();
    await expectGone(network);
  });

  it('succeeds if a machine is deleted before its detachment has begun', async () => {
    const [network, other] = [await created(), await created()];
    const vm = await machineIn(network, other);
    const nic = vm.interfaces.find(({ network_id }) => network_id === other.id);
    await fault('removeNic', silent);
    await remove(`${vm.id}/interfaces/${nic?.id}`, '', 'vms');
    await settle(app);
    const operation = await removing(network.id, '?detach=true');
    await settle(app);
    expect((await remove(vm.id, '', 'vms')).statusCode).toBe(202);
    const child = app.services.db
      .selectFrom('operations')
      .select('status')
      .where('parent_id', '=', operation);
    expect(await child.execute()).toEqual([{ status: 'cancelled' }]);
    await clearFaults(app.services.db);
    await hurry();
    await hurry();
    await expectGone(network);
  });
});

describe('a network that is being created', () => {
  it('is in error if the engine refuses: its name and labels can be changed, and it can be deleted', async () => {
    await fault('ensureNetwork', refuses);
    const network = await created({ protection: { delete: true } });
    expect(network).toMatchObject({ status: 'error', status_reason: 'engine_failed', operation: null });
    await clearFaults(app.services.db);
    const patch = (payload: object) =>
      app.call({ method: 'PATCH', url: `${URL}/${network.id}`, key: key.key, payload });
    expect((await patch({ nat: { ipv4: false } })).json()).toMatchObject({
      code: 'invalid_state',
      current_state: 'error',
      allowed_states: ['active'],
    });
    expect((await patch({ protection: { delete: false } })).json()).toMatchObject({ status: 'error' });
    await removing(network.id);
    await settle(app);
    await expectGone(network);
  });

  it.each([
    ['does not answer', silent],
    ['does it without answering', { kind: 'fail_after' } as const],
    ['says that it did it', { kind: 'lie' } as const],
  ])('becomes active although the engine %s at first', async (_, effect) => {
    await fault('ensureNetwork', effect, 1);
    const { id } = await begun();
    await settle(app);
    expect(await read(id)).toMatchObject({ status: 'creating', operation: { waiting_for: 'retry' } });
    await hurry();
    expect(await read(id)).toMatchObject({ status: 'active', operation: null });
  });

  it('leaves nothing when the creation is cancelled', async () => {
    await fault('ensureNetwork', { kind: 'fail_after' }, 1);
    const network = await begun();
    await settle(app);
    expect(await atEngine(network)).not.toBeNull();
    await cancelled(app, network.operation!.id);
    await settle(app);
    expect((await operationOf(app, network.operation!.id)).status).toBe('cancelled');
    await expectGone(network);
  });

  it('409 operation_in_progress: cannot be deleted or changed', async () => {
    const { id, operation } = await begun();
    const answer = await remove(id);
    expect(answer.json()).toMatchObject({ code: 'operation_in_progress', operation_id: operation?.id });
    await settle(app);
  });
});
