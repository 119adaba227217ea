import type { LightMyRequestResponse } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { haltInside } from '../../../engines/compute/sandbox/guest-actions.ts';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import type { OperationView } from '../../../kernel/operations/schema.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { operationOf, outwaitGuests, settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';
import type { ActionType } from './actions.ts';

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

const act = ({ id }: Pick<Vm, 'id'>, type: ActionType, body: object = {}) =>
  vps.send('POST', `vms/${id}/actions`, { type, ...body });

/** Performs the action and returns its operation when it has ended, successful or not. */
async function acted(vm: Vm, type: ActionType, body: object = {}) {
  const answer = await act(vm, type, body);
  expect(answer.statusCode, answer.body).toBe(202);
  await settle(app);
  return operationOf(app, answer.json<OperationView>().id);
}

/** Expects that the API and the engine report the same state. */
async function expectState(vm: Vm, state: 'running' | 'stopped'): Promise<Vm> {
  const seen = await vps.readVm(vm.id);
  expect(seen).toMatchObject({ status: state, status_reason: null, operation: null });
  expect((await vps.instance(vm))?.state).toBe(state);
  return seen;
}

const deafen = ({ id: target }: Vm) =>
  addFault(app.services.db, { target, effect: { kind: 'ignore_shutdown' } });

async function eventsOf({ id }: Vm): Promise<string[]> {
  const rows = await app.services.db
    .selectFrom('events')
    .select('type')
    .where('resource_id', '=', id)
    .where('type', 'like', 'vm.%')
    .orderBy('sequence')
    .execute();
  return rows.map(({ type }) => type);
}

const bootOf = async (vm: Vm) => (await vps.instance(vm))?.startedAt?.getTime() ?? 0;

describe('a power action', () => {
  it.each([
    ['power_off', 'stopping', 'stopped', 'vm.stopped'],
    ['shutdown', 'stopping', 'stopped', 'vm.stopped'],
    ['restart', 'restarting', 'running', 'vm.restarted'],
    ['reset', 'restarting', 'running', 'vm.restarted'],
  ] as const)(
    '%s of a running machine changes the status to %s and then to %s',
    async (type, through, to, event) => {
      const vm = await vps.vm();
      const boot = await bootOf(vm);
      const answer = await act(vm, type);
      expect(answer.json()).toMatchObject({ type: `vm.${type}`, status: 'queued', resource: { id: vm.id } });
      expect(await vps.readVm(vm.id)).toMatchObject({ status: through, operation: { type: `vm.${type}` } });
      await settle(app);
      const operation = await operationOf(app, answer.json<OperationView>().id);
      expect(operation).toMatchObject({ status: 'succeeded', result: { changed: true } });
      const after = await expectState(vm, to);
      expect(after.started_at === null).toBe(to === 'stopped');
      if (to === 'running') expect(await bootOf(vm)).toBeGreaterThan(boot);
      expect(await eventsOf(vm)).toEqual(['vm.created', event]);
    },
  );

  it('shows in a dry run what happens and what is lost', async () => {
    const vm = await vps.vm();
    const effectsOf = async (body: object) =>
      (await vps.send('POST', `vms/${vm.id}/actions?dry_run=true`, body)).json().effects;
    expect(await effectsOf({ type: 'shutdown' })).toMatchObject([
      { action: 'stop', type: 'vm', id: vm.id, loss: { recoverable: true } },
    ]);
    expect(await effectsOf({ type: 'reset' })).toMatchObject([
      { action: 'restart', type: 'vm', id: vm.id, loss: { recoverable: false } },
    ]);
    await expectState(vm, 'running');
  });

  it('power_on starts a stopped machine and its billing', async () => {
    const vm = await vps.vm({ start: false });
    const span = () =>
      app.services.db
        .selectFrom('resources')
        .select(['status', 'is_stopped'])
        .where('id', '=', vm.id)
        .executeTakeFirstOrThrow();
    expect(await span()).toEqual({ status: 'stopped', is_stopped: true });
    await act(vm, 'power_on');
    // The machine is billed as stopped until it runs.
    expect(await span()).toEqual({ status: 'starting', is_stopped: true });
    await settle(app);
    await expectState(vm, 'running');
    expect(await span()).toEqual({ status: 'running', is_stopped: false });
    expect(await eventsOf(vm)).toEqual(['vm.created', 'vm.started']);
  });

  it.each([
    ['power_on', true],
    ['power_off', false],
    ['shutdown', false],
  ] as const)('%s succeeds without a change if the machine already has that state', async (type, start) => {
    const vm = await vps.vm({ start });
    const answer = await act(vm, type);
    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toMatchObject({ status: 'succeeded', result: { changed: false } });
    expect((await vps.readVm(vm.id)).etag).toBe(vm.etag);
  });

  it.each(['restart', 'reset'] as const)('409: %s of a stopped machine', async (type) => {
    const answer = await act(await vps.vm({ start: false }), type);
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ code: 'vm_not_running', current_state: 'stopped' });
  });

  it('409: is refused while another operation runs, and names it', async () => {
    const vm = await vps.vm();
    const first = (await act(vm, 'restart')).json<OperationView>();
    const second = await act(vm, 'power_off');
    expect(second.statusCode).toBe(409);
    expect(second.json()).toMatchObject({ code: 'operation_in_progress', operation_id: first.id });
    expect(second.headers['retry-after']).toBeDefined();
    await settle(app);
    await expectState(vm, 'running');
  });

  it.each([
    ['suspended', 'resource_suspended'],
    ['error', 'invalid_state'],
  ] as const)('409: is refused for a machine in the state %s', async (status, code) => {
    const vm = await vps.vm();
    await app.services.db.updateTable('vms').set({ status }).where('id', '=', vm.id).execute();
    const answer = await act(vm, 'power_on');
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ code });
  });

  it('has a deadline of ten minutes plus the shutdown timeout', async () => {
    const [hard, soft] = await Promise.all([vps.vm(), vps.vm()]);
    const seconds = async (vm: Vm, type: ActionType) => {
      const { deadline_at, created_at } = (
        await act(vm, type, { timeout_seconds: 300 })
      ).json<OperationView>();
      return (Date.parse(deadline_at) - Date.parse(created_at)) / 1000;
    };
    expect(await seconds(hard, 'reset')).toBe(600);
    expect(await seconds(soft, 'restart')).toBe(900);
    await settle(app);
  });

  it('that is cancelled before it has begun leaves the machine unchanged', async () => {
    const vm = await vps.vm();
    const { id } = (await act(vm, 'shutdown')).json<OperationView>();
    const answer = await app.call({
      method: 'POST',
      url: `/account/v1/operations/${id}/cancel`,
      key: vps.key,
    });
    expect(answer.json()).toMatchObject({ status: 'cancelled' });
    await expectState(vm, 'running');
  });
});

describe('a guest that ignores the shutdown request', () => {
  it.each(['shutdown', 'restart'] as const)('makes %s fail, and the machine keeps running', async (type) => {
    const vm = await vps.vm();
    const boot = await bootOf(vm);
    await deafen(vm);
    const { id } = await acted(vm, type, { timeout_seconds: 5 });
    expect(await outwaitGuests(app)).toBe(1);
    const detail = 'The guest did not shut down within 5 seconds and is still running.';
    const error = { code: 'shutdown_timeout', detail, retryable: false };
    expect(await operationOf(app, id)).toMatchObject({ status: 'failed', error });
    await expectState(vm, 'running');
    expect(await bootOf(vm)).toBe(boot);
    expect(await eventsOf(vm)).toEqual(['vm.created']);
  });

  it.each([
    ['shutdown', 'stopped'],
    ['restart', 'running'],
  ] as const)('is stopped by force in %s if on_timeout is force', async (type, to) => {
    const vm = await vps.vm();
    const boot = await bootOf(vm);
    await deafen(vm);
    const { id } = await acted(vm, type, { timeout_seconds: 5, on_timeout: 'force' });
    expect(await outwaitGuests(app)).toBe(1);
    expect((await operationOf(app, id)).status).toBe('succeeded');
    await expectState(vm, to);
    if (to === 'running') expect(await bootOf(vm)).toBeGreaterThan(boot);
  });

  it('is not asked by power_off and reset', async () => {
    const vm = await vps.vm();
    await deafen(vm);
    expect((await acted(vm, 'reset')).status).toBe('succeeded');
    expect((await acted(vm, 'power_off')).status).toBe('succeeded');
    await expectState(vm, 'stopped');
  });
});

/** Runs the operation to its end and skips the waiting time before each retry. */
async function retried(answer: LightMyRequestResponse) {
  expect(answer.statusCode, answer.body).toBe(202);
  const { id } = answer.json<OperationView>();
  for (let tries = 0; tries < 4; tries++) {
    const waiting = app.services.db.updateTable('operations').where('finished_at', 'is', null);
    await waiting.set({ run_at: new Date(0) }).execute();
    await settle(app);
  }
  return operationOf(app, id);
}

describe('an engine that fails', () => {
  const calls = {
    power_on: 'ensureRunning',
    power_off: 'ensureStopped',
    shutdown: 'requestShutdown',
    restart: 'requestShutdown',
    reset: 'restart',
  } as const;
  const types = Object.keys(calls) as ActionType[];

  it.each(types)('refuses %s: the machine keeps its state', async (type) => {
    const start = type !== 'power_on';
    const vm = await vps.vm({ start });
    await addFault(app.services.db, {
      call: calls[type],
      target: vm.id,
      effect: { kind: 'fail', code: 'engine_failed', detail: 'The hypervisor said no.' },
    });
    const operation = await acted(vm, type);
    expect(operation.error).toMatchObject({ code: 'engine_failed', detail: 'The hypervisor said no.' });
    await expectState(vm, start ? 'running' : 'stopped');
    expect(await eventsOf(vm)).toEqual(['vm.created']);
  });

  it.each(['power_on', 'power_off'] as const)('claims to have done %s: the operation fails', async (type) => {
    const start = type !== 'power_on';
    const vm = await vps.vm({ start });
    await addFault(app.services.db, { call: calls[type], target: vm.id, effect: { kind: 'lie' } });
    const operation = await retried(await act(vm, type));
    expect(operation).toMatchObject({ status: 'failed', error: { code: 'engine_failed' } });
    await expectState(vm, start ? 'running' : 'stopped');
  });

  it('claims to have forced a shutdown: the operation fails', async () => {
    const vm = await vps.vm();
    await deafen(vm);
    await addFault(app.services.db, { call: 'ensureStopped', target: vm.id, effect: { kind: 'lie' } });
    const answer = await act(vm, 'shutdown', { on_timeout: 'force' });
    await settle(app);
    expect(await outwaitGuests(app)).toBe(1);
    expect(await retried(answer)).toMatchObject({ status: 'failed', error: { code: 'engine_failed' } });
    await expectState(vm, 'running');
  });

  it('refuses the start within a restart: the machine is stopped, and the error says so', async () => {
    const vm = await vps.vm();
    const effect = { kind: 'fail', code: 'engine_failed', detail: 'No.' } as const;
    await addFault(app.services.db, { call: 'restart', target: vm.id, effect });
    expect(await acted(vm, 'restart')).toMatchObject({ status: 'failed', error: { code: 'engine_failed' } });
    await expectState(vm, 'stopped');
  });

  it('has lost the machine: the machine is in error and costs nothing', async () => {
    const vm = await vps.vm();
    await addFault(app.services.db, { call: 'ensureStopped', target: vm.id, effect: { kind: 'lose' } });
    const operation = await acted(vm, 'power_off');
    expect(operation).toMatchObject({ status: 'failed', error: { code: 'not_found' } });
    expect(await vps.readVm(vm.id)).toMatchObject({ status: 'error', status_reason: 'lost' });
    expect(await eventsOf(vm)).toEqual(['vm.created', 'vm.lost']);
    const { price_hourly_micros } = await app.services.db
      .selectFrom('resources')
      .select('price_hourly_micros')
      .where('id', '=', vm.id)
      .executeTakeFirstOrThrow();
    expect(price_hourly_micros).toBeNull();
  });

  it('crashes the machine during a start: it is stopped, with the reason', async () => {
    const vm = await vps.vm({ start: false });
    const engine = app.services.compute.at('fra1') as Sandbox;
    const ref = { account: vps.account.id, id: vm.id };
    await engine.ensureRunning(ref);
    await haltInside(engine.core, ref, 'crashed');
    await addFault(app.services.db, { call: 'ensureRunning', target: vm.id, effect: { kind: 'lie' } });
    const operation = await retried(await act(vm, 'power_on'));
    expect(operation).toMatchObject({ status: 'failed', error: { code: 'engine_failed' } });
    expect(await vps.readVm(vm.id)).toMatchObject({ status: 'stopped', status_reason: 'crashed' });
    expect(await eventsOf(vm)).toEqual(['vm.created', 'vm.crashed']);
  });

  it('crashed the machine: it can be switched off and on again', async () => {
    const vm = await vps.vm();
    const engine = app.services.compute.at('fra1') as Sandbox;
    await haltInside(engine.core, { account: vps.account.id, id: vm.id }, 'crashed');
    expect((await acted(vm, 'power_off')).status).toBe('succeeded');
    await expectState(vm, 'stopped');
    expect((await acted(vm, 'power_on')).status).toBe('succeeded');
    await expectState(vm, 'running');
  });

  it('does not keep a machine from being deleted during a shutdown', async () => {
    const vm = await vps.vm();
    await act(vm, 'shutdown');
    const gone = await vps.send('DELETE', `vms/${vm.id}`);
    expect(gone.statusCode, gone.body).toBe(202);
    await settle(app);
    expect((await vps.send('GET', `vms/${vm.id}`)).statusCode).toBe(404);
  });
});

describe('a strict placement group', () => {
  const hosts = () =>
    app.services.db.selectFrom('sandbox_hosts').selectAll().where('location', '=', 'hel1').execute();

  const use = (name: string, used_vcpus: number) =>
    app.services.db
      .updateTable('sandbox_hosts')
      .set({ used_vcpus })
      .where('location', '=', 'hel1')
      .where('name', '=', name)
      .execute();

  async function group(name: string): Promise<string> {
    const answer = await vps.send('POST', 'placement-groups', { name, location: 'hel1', policy: 'spread' });
    return answer.json<{ id: string }>().id;
  }

  it('409: refuses to start a stopped machine if no other host has room', async () => {
    const placement_group_id = await group('strict');
    const first = await vps.vm({ location: 'hel1', placement_group_id });
    const second = await vps.vm({ location: 'hel1', start: false });
    const { host } = (await vps.instance(first)) ?? { host: '' };
    const others = (await hosts()).filter(({ name }) => name !== host);
    // Both machines are on the same host, and all other hosts are full.
    await app.services.db
      .updateTable('vms')
      .set({ placement_group_id, host_group: host })
      .where('id', '=', second.id)
      .execute();
    for (const { name, vcpus } of others) await use(name, vcpus);
    const answer = await act(second, 'power_on');
    for (const { name, used_vcpus } of others) await use(name, used_vcpus);
    expect(answer.statusCode, answer.body).toBe(409);
    expect(answer.json()).toMatchObject({ code: 'placement_unsatisfiable', placement_group_id });
    expect((await acted(second, 'power_on')).status).toBe('succeeded');
    expect((await vps.instance(second))?.host).not.toBe(host);
  });
});
