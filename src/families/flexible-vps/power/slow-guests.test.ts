/** While a guest shuts down, its operation sleeps and no worker holds it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { haltInside } from '../../../engines/compute/sandbox/guest-actions.ts';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import type { OperationView } from '../../../kernel/operations/schema.ts';
import { wakeOperations } from '../../../kernel/operations/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { operationOf, settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';
import type { ActionType } from './actions.ts';
import { untilNextLook } from './shutdown.ts';

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

const act = ({ id }: Vm, type: ActionType, body: object = {}) =>
  vps.send('POST', `vms/${id}/actions`, { type, ...body });

/** Performs the action until its operation sleeps or has ended. */
async function acted(vm: Vm, type: ActionType, body: object = {}): Promise<OperationView> {
  const answer = await act(vm, type, body);
  expect(answer.statusCode, answer.body).toBe(202);
  await settle(app);
  return answer.json<OperationView>();
}

async function wake(operationId: string): Promise<void> {
  await wakeOperations(app.services.db, operationId);
  await settle(app);
}

async function expectState(vm: Vm, state: 'running' | 'stopped'): Promise<void> {
  expect(await vps.readVm(vm.id)).toMatchObject({ status: state, operation: null });
  expect((await vps.instance(vm))?.state).toBe(state);
}

const bootOf = async (vm: Vm) => (await vps.instance(vm))?.startedAt?.getTime() ?? 0;

describe('a guest that shuts down slowly', () => {
  const slowly = (vm: Vm) =>
    addFault(app.services.db, { call: 'requestShutdown', target: vm.id, times: 1, effect: { kind: 'lie' } });
  const shutDownInside = (vm: Vm) =>
    haltInside(
      (app.services.compute.at('fra1') as Sandbox).core,
      { account: vps.account.id, id: vm.id },
      'shutdown',
    );

  it.each([
    ['shutdown', 'stopping', 'stopped'],
    ['restart', 'restarting', 'running'],
  ] as const)(
    'is waited for by %s without occupying a worker, until it is off',
    async (type, through, to) => {
      const vm = await vps.vm();
      const boot = await bootOf(vm);
      await slowly(vm);
      const { id } = await acted(vm, type, { timeout_seconds: 600 });
      const asked = await operationOf(app, id);
      expect(asked).toMatchObject({
        status: 'running',
        waiting_for: 'guest',
        lease_owner: null,
        step: 'power',
      });
      expect(await vps.readVm(vm.id)).toMatchObject({ status: through });
      await wake(id);
      // It was not asked again: this request would have reached the guest.
      expect(await operationOf(app, id)).toMatchObject({ waiting_for: 'guest', results: asked.results });
      expect(await bootOf(vm)).toBe(boot);
      await shutDownInside(vm);
      await wake(id);
      expect((await operationOf(app, id)).status).toBe('succeeded');
      await expectState(vm, to);
    },
  );

  it('is checked less often the longer it takes, and once more at the timeout', () => {
    const seconds = (waited: number) => {
      const sleep = untilNextLook(new Date(0), new Date(waited * 1000), 600);
      return sleep?.kind === 'sleep' ? sleep.seconds : null;
    };
    expect([0, 1, 20, 100, 598, 600, 700].map(seconds)).toEqual([0.25, 0.25, 2, 5, 2, null, null]);
  });

  it.each(['shutdown', 'restart'] as const)(
    'is asked again by %s if the engine did not answer',
    async (type) => {
      const vm = await vps.vm();
      const effect = { kind: 'fail_after' } as const;
      await addFault(app.services.db, { call: 'requestShutdown', target: vm.id, times: 1, effect });
      const { id } = await acted(vm, type);
      expect(await operationOf(app, id)).toMatchObject({ waiting_for: 'retry' });
      await wake(id);
      expect((await operationOf(app, id)).status).toBe('succeeded');
      await expectState(vm, type === 'restart' ? 'running' : 'stopped');
    },
  );

  it('is restarted once, even if the engine did not answer', async () => {
    const vm = await vps.vm();
    const effect = { kind: 'fail_after' } as const;
    await addFault(app.services.db, { call: 'restart', target: vm.id, times: 1, effect });
    const { id } = await acted(vm, 'restart');
    expect(await operationOf(app, id)).toMatchObject({ waiting_for: 'retry' });
    const boot = await bootOf(vm);
    await wake(id);
    expect((await operationOf(app, id)).status).toBe('succeeded');
    expect(await bootOf(vm)).toBe(boot);
    await expectState(vm, 'running');
  });

  it('runs in the end, even if a worker of an earlier version has already restarted it', async () => {
    const vm = await vps.vm();
    const { id } = (await act(vm, 'restart')).json<OperationView>();
    await app.services.compute.at('fra1')?.restart({ account: vps.account.id, id: vm.id }, { once: id });
    await settle(app);
    expect((await operationOf(app, id)).status).toBe('succeeded');
    await expectState(vm, 'running');
  });
});
