import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NewFault } from '../../../engines/compute/sandbox/faults.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { operationOf, outwaitGuests, settle } from '../../../testing/operations.ts';
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
afterEach(() => clearFaults(app.services.db));
afterAll(() => app.close());

const resize = ({ id }: Vm, body: object, query = '') => vps.send('POST', `vms/${id}/resize${query}`, body);

async function resized(vm: Vm, body: object, meanwhile?: (app: TestApp) => Promise<unknown>) {
  const answer = await resize(vm, body);
  expect(answer.statusCode, answer.body).toBe(202);
  const { operation } = answer.json<Vm>();
  await settle(app);
  await meanwhile?.(app);
  return { operation: await operationOf(app, operation?.id ?? ''), vm: await vps.readVm(vm.id) };
}

const fault = (of: NewFault) => addFault(app.services.db, of);
const refused = { kind: 'fail', code: 'engine_failed', detail: 'The hypervisor said no.' } as const;

/** Expects that the API shows the size and state that the engine has. */
async function expectTrue(vm: Vm): Promise<void> {
  const seen = await vps.instance(vm);
  expect(seen?.size).toEqual({ vcpus: vm.vcpus, memoryMb: vm.memory_mb, diskGb: vm.disk_gb });
  expect(seen?.state).toBe(vm.status);
  expect(vm.operation).toBeNull();
}

const monthly = ({ price }: Pick<Vm, 'price'>): number => Number(price.monthly);

async function billed({ id }: Vm): Promise<number> {
  const { price_monthly_micros } = await app.services.db
    .selectFrom('resources')
    .select('price_monthly_micros')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return (price_monthly_micros ?? 0) / 1e6;
}

const openSpans = ({ id }: Vm) =>
  app.services.db
    .selectFrom('meter_spans')
    .select(['configuration'])
    .where('resource_id', '=', id)
    .where('ended_at', 'is', null)
    .execute();

describe('a resize', () => {
  it('of a running machine stops it, changes its size and price, and starts it again', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const answer = await resize(vm, { plan: 'flex-2-4' });
    expect(answer.json()).toMatchObject({
      status: 'resizing',
      plan: 'flex-1-2',
      vcpus: 1,
      operation: { type: 'vm.resize', status: 'queued' },
    });
    await settle(app);
    const after = await vps.readVm(vm.id);
    expect(after).toMatchObject({
      status: 'running',
      plan: 'flex-2-4',
      requested: { location: 'fra1', plan: 'flex-2-4' },
      vcpus: 2,
      memory_mb: 4096,
      disk_gb: 40,
    });
    await expectTrue(after);
    expect(monthly(after)).toBeGreaterThan(monthly(vm));
    expect(await billed(after)).toBe(monthly(after));
    expect(await openSpans(vm)).toMatchObject([{ configuration: { plan: 'flex-2-4', disk_gb: 40 } }]);
  });

  it('shows in a dry run what it adds, to the cent', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const dry = (await resize(vm, { plan: 'flex-2-4' }, '?dry_run=true')).json<{
      cost: { monthly: string };
      effects: unknown[];
    }>();
    const { vm: after } = await resized(vm, { plan: 'flex-2-4' });
    expect(Number(dry.cost.monthly)).toBeCloseTo(monthly(after) - monthly(vm), 6);
    expect(dry.effects).toMatchObject([
      { action: 'update', type: 'vm', id: vm.id, loss: null },
      { action: 'restart', type: 'vm', id: vm.id, loss: { recoverable: true } },
    ]);
  });

  it('of a stopped machine leaves it stopped', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2', start: false });
    const { vm: after } = await resized(vm, { plan: 'flex-2-4' });
    expect(after.status).toBe('stopped');
    await expectTrue(after);
  });

  it.each([
    [true, 'no', 'stopped'],
    [false, 'yes', 'running'],
  ] as const)(
    'of a machine that %s, with start_after %s, leaves it %s',
    async (start, start_after, status) => {
      const vm = await vps.vm({ plan: 'flex-1-2', start });
      const { vm: after } = await resized(vm, { plan: 'flex-2-4', start_after });
      expect(after.status).toBe(status);
      await expectTrue(after);
    },
  );

  it('keeps the disk unless asked, and a larger disk stays billed after the way back', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const { vm: grown } = await resized(vm, { plan: 'flex-2-4', disk_gb: 120 });
    expect(grown.disk_gb).toBe(120);
    await expectTrue(grown);
    const { vm: back } = await resized(grown, { plan: 'flex-1-2' });
    expect(back).toMatchObject({ plan: 'flex-1-2', vcpus: 1, memory_mb: 2048, disk_gb: 120 });
    await expectTrue(back);
    expect(monthly(back)).toBeGreaterThan(monthly(vm));
    expect(monthly(back)).toBeLessThan(monthly(grown));
    expect(await openSpans(vm)).toMatchObject([{ configuration: { plan: 'flex-1-2', disk_gb: 120 } }]);
  });

  it('can change to a custom size, and back to a plan', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const { vm: own } = await resized(vm, { custom_size: { vcpus: 3, memory_mb: 5120 } });
    expect(own).toMatchObject({ plan: 'custom', vcpus: 3, memory_mb: 5120, disk_gb: 40 });
    expect(await billed(own)).toBe(monthly(own));
    await expectTrue(own);
    const { vm: back } = await resized(own, { plan: 'flex-1-2' });
    expect(monthly(back)).toBe(monthly(vm));
  });

  it('to the present size changes nothing', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const answer = await resize(vm, { plan: 'flex-1-2', disk_gb: 40 });
    expect(answer.json()).toMatchObject({
      status: 'running',
      operation: { status: 'succeeded', result: { changed: false } },
    });
    expect((await vps.readVm(vm.id)).etag).toBe(vm.etag);
  });

  it('with mode live does not stop the machine', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const boot = (await vps.instance(vm))?.startedAt;
    const { vm: after } = await resized(vm, { plan: 'flex-2-4', disk_gb: 60, mode: 'live' });
    expect(after).toMatchObject({ plan: 'flex-2-4', disk_gb: 60, status: 'running' });
    await expectTrue(after);
    expect((await vps.instance(vm))?.startedAt).toEqual(boot);
  });
});

describe('a resize that fails is rolled back', () => {
  it('when the guest ignores the shutdown request: nothing has changed', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const boot = (await vps.instance(vm))?.startedAt;
    await fault({ target: vm.id, effect: { kind: 'ignore_shutdown' } });
    const { operation, vm: after } = await resized(
      vm,
      { plan: 'flex-2-4', shutdown_timeout_seconds: 5 },
      outwaitGuests,
    );
    expect(operation).toMatchObject({ status: 'failed', error: { code: 'shutdown_timeout' } });
    expect(after).toMatchObject({ status: 'running', plan: 'flex-1-2', vcpus: 1 });
    await expectTrue(after);
    expect((await vps.instance(vm))?.startedAt).toEqual(boot);
    const forced = await resized(vm, { plan: 'flex-2-4', force_after_timeout: true }, outwaitGuests);
    expect(forced.operation.status).toBe('succeeded');
    await expectTrue(forced.vm);
  });

  it.each([
    ['the size', { call: 'ensureSize', times: 1 }, 40],
    ['the disk', { call: 'ensureSize', skip: 1, times: 1 }, 40],
    ['the start', { call: 'ensureRunning', times: 1 }, 60],
  ] as const)('when the engine refuses %s: the machine runs as before', async (_, where, disk_gb) => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    await fault({ ...where, target: vm.id, effect: refused });
    const { operation, vm: after } = await resized(vm, { plan: 'flex-2-4', disk_gb: 60 });
    expect(operation.error).toMatchObject({ code: 'engine_failed', detail: 'The hypervisor said no.' });
    // A grown disk is not rolled back.
    expect(after).toMatchObject({ status: 'running', plan: 'flex-1-2', vcpus: 1, memory_mb: 2048, disk_gb });
    await expectTrue(after);
    expect(await billed(after)).toBe(monthly(after));
    if (disk_gb === 40) expect(monthly(after)).toBe(monthly(vm));
    else expect(monthly(after)).toBeGreaterThan(monthly(vm));
  });

  it('and if the size cannot be changed back, the machine shows its real size', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    await fault({ call: 'ensureRunning', target: vm.id, effect: refused });
    await fault({ call: 'ensureSize', skip: 2, target: vm.id, effect: refused });
    const { operation, vm: after } = await resized(vm, { plan: 'flex-2-4' });
    expect(operation.status).toBe('failed');
    expect(after).toMatchObject({ status: 'stopped', plan: 'flex-2-4', vcpus: 2, memory_mb: 4096 });
    await expectTrue(after);
    expect(await openSpans(vm)).toMatchObject([{ configuration: { plan: 'flex-2-4', disk_gb: 40 } }]);
  });

  it('when the engine refuses it live: the machine runs unchanged', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    await fault({ call: 'ensureSize', target: vm.id, effect: refused });
    const { operation, vm: after } = await resized(vm, { plan: 'flex-2-4', mode: 'live' });
    expect(operation.status).toBe('failed');
    expect(after).toMatchObject({ status: 'running', plan: 'flex-1-2', vcpus: 1 });
    await expectTrue(after);
  });
});

describe('a resize is refused with 409', () => {
  const codeOf = async (vm: Vm, body: object) => {
    const answer = await resize(vm, body);
    expect(answer.statusCode, answer.body).toBe(409);
    return answer.json<Record<string, unknown>>();
  };

  it('in rescue mode, suspended, in error or busy', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const set = (change: object) =>
      app.services.db.updateTable('vms').set(change).where('id', '=', vm.id).execute();
    await set({ rescue_expires_at: new Date() });
    expect(await codeOf(vm, { plan: 'flex-2-4' })).toMatchObject({ code: 'vm_in_rescue' });
    await set({ rescue_expires_at: null, status: 'suspended' });
    expect(await codeOf(vm, { plan: 'flex-2-4' })).toMatchObject({ code: 'resource_suspended' });
    await set({ status: 'error' });
    expect(await codeOf(vm, { plan: 'flex-2-4' })).toMatchObject({ code: 'invalid_state' });
    await set({ status: 'running' });
    await resize(vm, { plan: 'flex-2-4' });
    expect(await codeOf(vm, { plan: 'flex-4-8' })).toMatchObject({ code: 'operation_in_progress' });
    await settle(app);
  });

  it.each([
    ['a stopped machine', { start: false }, { plan: 'flex-2-4' }, 'not_running'],
    ['less than it has', { plan: 'flex-2-4' }, { plan: 'flex-1-2' }, 'shrinks'],
    ['a place that has it not', { location: 'hel1' }, { plan: 'flex-2-4' }, 'not_offered'],
  ])('live: %s', async (_, made, body, reason) => {
    const vm = await vps.vm({ plan: 'flex-1-2', ...made });
    expect(await codeOf(vm, { ...body, mode: 'live' })).toMatchObject({
      code: 'live_resize_unavailable',
      reason,
    });
  });

  it('if no host has room: nothing is stopped, and the sizes that fit are named', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2', location: 'ams1' });
    const hosts = () => app.services.db.updateTable('sandbox_hosts').where('location', '=', 'ams1');
    const before = await app.services.db
      .selectFrom('sandbox_hosts')
      .selectAll()
      .where('location', '=', 'ams1')
      .execute();
    // Leaves three vCPUs free on each host.
    await hosts()
      .set((row) => ({ used_vcpus: row('vcpus', '-', 3) }))
      .execute();
    const answer = await resize(vm, { plan: 'flex-8-16' });
    const live = await resize(vm, { plan: 'flex-8-16', mode: 'live' });
    const smaller = await resize(vm, { plan: 'flex-2-4' });
    for (const { name, used_vcpus } of before)
      await hosts().set({ used_vcpus }).where('name', '=', name).execute();
    expect(answer.statusCode, answer.body).toBe(409);
    expect(answer.json()).toMatchObject({ code: 'capacity_unavailable' });
    expect(answer.json<{ alternatives: unknown[] }>().alternatives).toContainEqual({
      location: 'ams1',
      plan: 'flex-2-4',
    });
    expect(answer.headers['retry-after']).toBeDefined();
    expect(live.json()).toMatchObject({ code: 'live_resize_unavailable', reason: 'host_full' });
    expect(smaller.statusCode, smaller.body).toBe(202);
    await settle(app);
  });

  it('over the limit of vCPUs, including sizes that were granted to running operations', async () => {
    await app.services.db
      .insertInto('account_limits')
      .values({ account_id: vps.account.id, limit_id: 'flexible-vps.vcpus', value: 5 })
      .execute();
    const first = await vps.vm({ plan: 'flex-1-2' });
    const second = await vps.vm({ plan: 'flex-1-2' });
    expect((await resize(first, { plan: 'flex-4-8' })).statusCode).toBe(202);
    expect(await codeOf(second, { plan: 'flex-2-4' })).toMatchObject({
      code: 'quota_exceeded',
      limit_id: 'flexible-vps.vcpus',
      used: 5,
      requested: 1,
    });
    await settle(app);
    await resized(first, { plan: 'flex-2-4' });
    expect((await resized(second, { plan: 'flex-2-4' })).operation.status).toBe('succeeded');
  });
});

describe('a resize is refused with 422', () => {
  it.each([
    [{}, '/plan', 'required'],
    [{ plan: 'flex-2-4', custom_size: { vcpus: 1, memory_mb: 1024 } }, '/custom_size', 'mutually_exclusive'],
    [{ plan: 'no-such-plan' }, '/plan', 'unknown_reference'],
    [{ plan: 'flex-2-4', disk_gb: 39 }, '/disk_gb', 'disk_shrink'],
    [{ custom_size: { vcpus: 2, memory_mb: 2048, disk_gb: 20 } }, '/custom_size/disk_gb', 'disk_shrink'],
    [{ custom_size: { vcpus: 64, memory_mb: 65536 } }, '/custom_size/vcpus', 'out_of_range'],
    [{ plan: 'flex-2-4a' }, '/plan', 'incompatible'],
    [{ plan: 'flex-2-4', mode: 'live', start_after: 'no' }, '/start_after', 'incompatible'],
  ])('%j', async (body, pointer, code) => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    const answer = await resize(vm, body);
    expect(answer.statusCode, answer.body).toBe(422);
    expect(answer.json<{ errors: object[] }>().errors).toMatchObject([{ pointer, code }]);
  });

  it('before the state of the machine is checked', async () => {
    const vm = await vps.vm({ plan: 'flex-1-2' });
    await resize(vm, { plan: 'flex-2-4' });
    expect((await resize(vm, {})).statusCode).toBe(422);
    expect((await resize(vm, { plan: 'flex-4-8' })).statusCode).toBe(409);
    await settle(app);
  });
});
