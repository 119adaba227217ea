/** `updateVm` changes the size of a machine, too: as `resizeVm` does, together with its other members. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { operationOf, settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';

let app: TestApp;
let vps: VpsAccount;

beforeAll(async () => {
  app = await createTestApp();
});
beforeEach(async () => {
  vps = await VpsAccount.open(app);
});
afterAll(() => app.close());

const patch = ({ id }: Vm, body: object, query = '', headers = {}) =>
  vps.send('PATCH', `vms/${id}${query}`, body, headers);

const resizesOf = ({ id }: Vm) =>
  app.services.db
    .selectFrom('operations')
    .select('id')
    .where('resource_id', '=', id)
    .where('type', '=', 'vm.resize')
    .execute();

/** Changes the machine and returns it as it is after the operation. */
async function changed(vm: Vm, body: object): Promise<Vm> {
  const answer = await patch(vm, body);
  expect(answer.statusCode, answer.body).toBe(202);
  await settle(app);
  const operation = await operationOf(app, answer.json<Vm>().operation?.id ?? '');
  expect(operation).toMatchObject({ type: 'vm.resize', status: 'succeeded' });
  return vps.readVm(vm.id);
}

const monthly = ({ price }: Pick<Vm, 'price'>): number => Number(price.monthly);

describe('a new size in an update', () => {
  it('202: resizes the machine by an operation, and changes its price afterwards', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const answer = await patch(vm, { plan: 'flex-2-4' });
    expect(answer.statusCode, answer.body).toBe(202);
    expect(answer.json()).toMatchObject({
      status: 'resizing',
      plan: 'flex-1-2',
      operation: { type: 'vm.resize' },
    });
    expect(answer.headers['operation-location']).toContain(answer.json<Vm>().operation?.id);
    await settle(app);
    const after = await vps.readVm(vm.id);
    expect(after).toMatchObject({
      status: 'running',
      plan: 'flex-2-4',
      vcpus: 2,
      memory_mb: 4096,
      disk_gb: 40,
    });
    expect((await vps.instance(vm))?.size).toEqual({ vcpus: 2, memoryMb: 4096, diskGb: 40 });
    expect(monthly(after)).toBeGreaterThan(monthly(vm));
  });

  it('can be only a larger disk, also of a machine with a custom size', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    expect(await changed(vm, { disk_gb: 60 })).toMatchObject({ plan: 'flex-1-2', vcpus: 1, disk_gb: 60 });
    const own = await changed(vm, { custom_size: { vcpus: 3, memory_mb: 5120 } });
    expect(own).toMatchObject({ plan: 'custom', vcpus: 3, memory_mb: 5120, disk_gb: 60 });
    const grown = { plan: 'custom', vcpus: 3, memory_mb: 5120, disk_gb: 70 };
    expect(await changed(own, { plan: 'custom', disk_gb: 70 })).toMatchObject(grown);
  });

  it('can be a part of a custom size; members that are left out stay', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const own = await changed(vm, { plan: 'custom', custom_size: { vcpus: 2 } });
    expect(own).toMatchObject({ plan: 'custom', vcpus: 2, memory_mb: 2048, disk_gb: 40 });
    expect(await changed(own, { custom_size: { memory_mb: 5120 } })).toMatchObject({
      vcpus: 2,
      memory_mb: 5120,
    });
    const back = await changed(own, { plan: 'flex-1-2', custom_size: null });
    expect([back.plan, monthly(back)]).toEqual(['flex-1-2', monthly(vm)]);
  });

  it('is applied together with the other members', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2', labels: { a: '1' } });
    const answer = await patch(vm, { plan: 'flex-2-4', labels: { b: '2' }, name: 'renamed' });
    const shown = { name: 'renamed', labels: { a: '1', b: '2' }, status: 'resizing' };
    expect(answer.json()).toMatchObject(shown);
    await settle(app);
    expect(await vps.readVm(vm.id)).toMatchObject({ ...shown, status: 'running', plan: 'flex-2-4' });
  });

  it('of a stopped machine fits the placement group that it gets in the same call', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2', start: false });
    const group = await vps.send('POST', 'placement-groups', {
      name: 'together',
      location: 'fra1',
      policy: 'spread',
    });
    const { id } = group.json<{ id: string }>();
    expect(await changed(vm, { plan: 'flex-2-4', placement_group_id: id })).toMatchObject({
      status: 'stopped',
      plan: 'flex-2-4',
      placement_group_id: id,
    });
  });

  it('shows in a dry run its effect and its cost, to the cent', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const body = { plan: 'flex-2-4', description: 'larger' };
    const dry = (await patch(vm, body, '?dry_run=true')).json();
    expect(dry.effects).toMatchObject([
      { action: 'update', id: vm.id },
      { action: 'restart', id: vm.id, loss: { recoverable: true } },
    ]);
    expect(await vps.readVm(vm.id)).toEqual(vm);
    const after = await changed(vm, body);
    expect(Number(dry.cost.monthly)).toBeCloseTo(monthly(after) - monthly(vm), 6);
  });

  it('200: a caller who waits gets the machine with its new size', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const answering = patch(vm, { plan: 'flex-2-4' }, '', { prefer: 'wait=60' });
    await expect.poll(() => resizesOf(vm)).toHaveLength(1);
    await settle(app);
    const answer = await answering;
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json()).toMatchObject({ plan: 'flex-2-4', operation: { status: 'succeeded' } });
  });

  it('412: is refused with an old ETag', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    expect((await patch(vm, { labels: { a: '1' } })).statusCode).toBe(200);
    expect((await patch(vm, { plan: 'flex-2-4' }, '', { 'if-match': `"${vm.etag}"` })).statusCode).toBe(412);
    expect(await resizesOf(vm)).toEqual([]);
  });

  it('starts one operation, however often it is sent, and other members can still be changed meanwhile', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const first = await patch(vm, { plan: 'flex-2-4' });
    const again = await patch(vm, { plan: 'flex-2-4', labels: { a: '1' } });
    expect([again.statusCode, again.headers['operation-location']]).toEqual([
      202,
      first.headers['operation-location'],
    ]);
    expect(again.json()).toMatchObject({ status: 'resizing', labels: { a: '1' } });
    expect((await patch(vm, { plan: 'flex-4-8' })).json()).toMatchObject({ code: 'operation_in_progress' });
    await settle(app);
    expect(await resizesOf(vm)).toHaveLength(1);
    expect(await vps.readVm(vm.id)).toMatchObject({ plan: 'flex-2-4', labels: { a: '1' } });
  });
});

describe('the present size in an update', () => {
  it.each([
    { plan: 'flex-1-2' },
    { disk_gb: 40 },
    { disk_gb: null },
    { custom_size: {} },
    { custom_size: null },
    { plan: 'flex-1-2', disk_gb: 40, custom_size: null },
  ])('200 without an operation: %j', async (body) => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const answer = await patch(vm, body);
    expect([answer.statusCode, answer.headers['operation-location']], answer.body).toEqual([200, undefined]);
    expect(await vps.readVm(vm.id)).toEqual(vm);
    expect(await resizesOf(vm)).toEqual([]);
    const labelled = await patch(vm, { ...body, labels: { a: '1' } });
    expect(labelled.json()).toMatchObject({ status: 'running', labels: { a: '1' }, operation: null });
    expect(labelled.statusCode).toBe(200);
  });

  it.each([
    { plan: 'custom', disk_gb: 50 },
    { plan: 'custom', custom_size: { vcpus: 3, memory_mb: 5120, disk_gb: 50 } },
    { custom_size: { vcpus: 3 }, disk_gb: null },
  ])('200 for a machine with a custom size: %j', async (body) => {
    const vm = await vps.vm({ plan: undefined, custom_size: { vcpus: 3, memory_mb: 5120, disk_gb: 50 } });
    expect((await patch(vm, body)).statusCode).toBe(200);
    expect(await vps.readVm(vm.id)).toEqual(vm);
    expect(await resizesOf(vm)).toEqual([]);
  });

  it('is accepted while the machine is busy', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    await vps.send('POST', `vms/${vm.id}/actions`, { type: 'restart' });
    expect((await patch(vm, { plan: 'flex-1-2', disk_gb: 40, labels: { a: '1' } })).statusCode).toBe(200);
    await settle(app);
  });
});

describe('a size that is refused leaves all other members unchanged', () => {
  it.each([
    [{ plan: 'no-such-plan' }, '/plan', 'unknown_reference'],
    [{ plan: 'flex-2-4a' }, '/plan', 'incompatible'],
    [{ plan: 'flex-2-4', custom_size: { vcpus: 1 } }, '/custom_size', 'mutually_exclusive'],
    [{ plan: 'flex-1-2', custom_size: { vcpus: 4 } }, '/custom_size', 'mutually_exclusive'],
    [{ custom_size: { vcpus: 64, memory_mb: 65536 } }, '/custom_size/vcpus', 'out_of_range'],
    [{ disk_gb: 39 }, '/disk_gb', 'disk_shrink'],
    [{ custom_size: { disk_gb: 20 } }, '/custom_size/disk_gb', 'disk_shrink'],
    [{ custom_size: { vcpus: 2 }, disk_gb: 99_999 }, '/disk_gb', 'out_of_range'],
  ])('422 %j', async (body, pointer, code) => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const answer = await patch(vm, { ...body, labels: { a: '1' } });
    expect(answer.statusCode, answer.body).toBe(422);
    expect(answer.json<{ errors: object[] }>().errors).toMatchObject([{ pointer, code }]);
    expect(await vps.readVm(vm.id)).toEqual(vm);
  });

  it('422: a machine with a custom size needs a plan if custom_size is null', async () => {
    const vm = await vps.vm({ plan: undefined, custom_size: { vcpus: 3, memory_mb: 5120, disk_gb: 50 } });
    const answer = await patch(vm, { custom_size: null });
    expect(answer.json<{ errors: object[] }>().errors).toMatchObject([
      { pointer: '/plan', code: 'required' },
    ]);
  });

  it('422: a disk that has grown cannot shrink to that of the plan', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2', disk_gb: 60 });
    const answer = await patch(vm, { disk_gb: null });
    expect(answer.json<{ errors: object[] }>().errors).toMatchObject([
      { pointer: '/disk_gb', code: 'disk_shrink' },
    ]);
  });

  it('409: in rescue, broken, over the limit, over the budget, or without room', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2', location: 'ams1' });
    const { db } = app.services;
    const set = (change: object) => db.updateTable('vms').set(change).where('id', '=', vm.id).execute();
    const codeOf = async (body: object) => {
      const answer = await patch(vm, { ...body, labels: { a: '1' } });
      expect(answer.statusCode, answer.body).toBe(409);
      return answer.json<{ code: string }>().code;
    };
    await set({ rescue_expires_at: new Date() });
    expect(await codeOf({ plan: 'flex-2-4' })).toBe('vm_in_rescue');
    await set({ rescue_expires_at: null, status: 'error' });
    expect(await codeOf({ plan: 'flex-2-4' })).toBe('invalid_state');
    await set({ status: 'running' });

    const limit = { account_id: vps.account.id, limit_id: 'flexible-vps.vcpus', value: 2 };
    await db.insertInto('account_limits').values(limit).execute();
    expect(await codeOf({ plan: 'flex-4-8' })).toBe('quota_exceeded');
    await db.deleteFrom('account_limits').where('account_id', '=', vps.account.id).execute();

    await app.call({
      method: 'PUT',
      url: '/account/v1/budgets/small',
      payload: { amount: vm.price.monthly, thresholds: [{ percent: 100 }], action: 'block_new_cost' },
      key: vps.key,
    });
    expect(await codeOf({ plan: 'flex-2-4' })).toBe('budget_exceeded');

    const fill = { used_vcpus: sql<number>`vcpus` };
    await db.updateTable('sandbox_hosts').set(fill).where('location', '=', 'ams1').execute();
    expect(await codeOf({ plan: 'flex-2-4' })).toBe('capacity_unavailable');
    expect((await patch(vm, { plan: 'flex-1-2', labels: { b: '1' } })).statusCode).toBe(200);
    expect((await vps.readVm(vm.id)).labels).toEqual({ b: '1' });
    expect(await resizesOf(vm)).toEqual([]);
  });
});
