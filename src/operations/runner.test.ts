import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../kernel/ids.ts';
import { presentOperation } from '../kernel/operations/schema.ts';
import { wakeOperations } from '../kernel/operations/store.ts';
import { createAccount, type TestAccount } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import {
  createMachineKind,
  deleteMachineKind,
  extendMachineKind,
  fleetKind,
  type MachineInput,
  restartMachineKind,
} from '../testing/machines.ts';
import { cancelled, ended, operationOf, startOn, until } from '../testing/operations.ts';

let t: TestApp;
let account: TestAccount;

beforeAll(async () => {
  t = await createTestApp({ works: true });
  account = await createAccount(t.services.db);
});
afterAll(() => t.close());

const effectsOf = async (operationId: string): Promise<string[]> =>
  (
    await t.services.db
      .selectFrom('machine_effects')
      .select('step')
      .where('operation_id', '=', operationId)
      .execute()
  ).map(({ step }) => step);

const machineId = (): string => newId('request').replace('req', 'mac');

describe('an operation', () => {
  it('runs its steps in order, each with its effect, and records its result', async () => {
    const { id } = await startOn(t, account, createMachineKind, machineId());
    const operation = await ended(t, id);
    expect(operation).toMatchObject({
      status: 'succeeded',
      error: null,
      result: { changed: true, step: 'boot' },
      progress_percent: 100,
      lease_owner: null,
    });
    expect(await effectsOf(id)).toEqual(['reserve', 'build', 'boot']);
    const events = await sql<{ type: string }>`
      select type from events where operation_id = ${id} order by sequence`.execute(t.services.db);
    expect(events.rows.map(({ type }) => type)).toEqual(['operation.started', 'operation.succeeded']);
  });

  it('shows its current step, and none before it starts', async () => {
    const input: MachineInput = { behaviours: [{ step: 'reserve', does: 'hang' }] };
    const started = await startOn(t, account, createMachineKind, machineId(), input);
    expect(presentOperation(started, '').step).toBe('');
    const running = await until(t, started.id, ({ status }) => status === 'running');
    expect(presentOperation(running, '').step).toBe('reserve');
    await cancelled(t, started.id);
    expect(await ended(t, started.id)).toMatchObject({ status: 'cancelled', step: 'take-down' });
  });

  it('fails for good with the code its step gave', async () => {
    const input: MachineInput = { behaviours: [{ step: 'build', does: 'fail' }] };
    const { id } = await startOn(t, account, createMachineKind, machineId(), input);
    expect(await ended(t, id)).toMatchObject({
      status: 'failed',
      error: { code: 'engine_failed', retryable: false },
      result: null,
    });
    expect(await effectsOf(id)).toEqual(['reserve']);
  });

  it('is retried after a retryable failure and after an unexpected exception', async () => {
    const input: MachineInput = {
      behaviours: [
        { step: 'reserve', does: 'retry', times: 1 },
        { step: 'build', does: 'throw', times: 1 },
      ],
    };
    const { id } = await startOn(t, account, createMachineKind, machineId(), input);
    await until(t, id, ({ waiting_for }) => waiting_for === 'retry');
    expect(await ended(t, id)).toMatchObject({ status: 'succeeded', last_error: null });
    expect(await effectsOf(id)).toEqual(['reserve', 'build', 'boot']);
  });

  it('is retried with a delay when a commit fails', async () => {
    const input: MachineInput = { behaviours: [{ step: 'build', does: 'commit-throws', times: 1 }] };
    const { id } = await startOn(t, account, createMachineKind, machineId(), input);
    expect(await ended(t, id)).toMatchObject({ status: 'succeeded' });
    expect(await effectsOf(id)).toEqual(['reserve', 'build', 'boot']);
  });

  it('fails at its deadline although its step hangs', async () => {
    const input: MachineInput = { behaviours: [{ step: 'build', does: 'hang' }] };
    const { id } = await startOn(t, account, createMachineKind, machineId(), input, { deadlineSeconds: 1 });
    expect(await ended(t, id)).toMatchObject({
      status: 'failed',
      error: {
        code: 'timeout',
        detail: 'Not finished within 1 seconds; it was at the step build.',
        retryable: true,
      },
      step: 'build',
    });
  });

  it('sleeps until it is woken', async () => {
    const subject = machineId();
    const input: MachineInput = { behaviours: [{ step: 'stop', does: 'sleep', times: 1 }] };
    const { id } = await startOn(t, account, restartMachineKind, subject, input);
    await until(t, id, ({ waiting_for, lease_owner }) => waiting_for === 'human' && lease_owner === null);
    await sql`update operations set input = '{}' where id = ${id}`.execute(t.services.db);
    await wakeOperations(t.services.db, subject);
    expect(await ended(t, id)).toMatchObject({ status: 'succeeded' });
  });
});

describe('cancelling an operation', () => {
  it('runs the undo steps and leaves nothing', async () => {
    const subject = machineId();
    const input: MachineInput = { behaviours: [{ step: 'build', does: 'hang' }] };
    const { id } = await startOn(t, account, createMachineKind, subject, input);
    await until(t, id, ({ step }) => step === 'build');
    await cancelled(t, id);
    expect(await ended(t, id)).toMatchObject({ status: 'cancelled', phase: 'undo' });
    const left = await sql`select 1 from machine_room where machine_id = ${subject}`.execute(t.services.db);
    expect(left.rows).toEqual([]);
  });

  it('gives the undo steps the time that the call gave to the operation', async () => {
    const input: MachineInput = { behaviours: [{ step: 'build', does: 'hang' }] };
    const { id } = await startOn(t, account, createMachineKind, machineId(), input, {
      deadlineSeconds: 7200,
    });
    await until(t, id, ({ step }) => step === 'build');
    await sql`update operations set created_at = created_at - interval '1 hour',
      deadline_at = deadline_at - interval '1 hour' where id = ${id}`.execute(t.services.db);
    await cancelled(t, id);
    const { phase, deadline_at, finished_at } = await ended(t, id);
    const left = Math.round((deadline_at.getTime() - finished_at!.getTime()) / 60_000);
    expect([phase, left]).toEqual(['undo', 120]);
  });

  it('refuses a copy of a kind with another deadline, which workers would not know', async () => {
    const changed = { ...createMachineKind, deadlineSeconds: 7200 };
    await expect(startOn(t, account, changed, machineId())).rejects.toThrow('machine.create is started');
  });
});

describe('child operations', () => {
  it('are waited for, and a failed child fails the parent', async () => {
    const children = [machineId(), machineId(), machineId()].map((id, i) => ({ id, name: `m${i}` }));
    const good = await startOn(t, account, fleetKind, machineId(), { children });
    expect(await ended(t, good.id)).toMatchObject({ status: 'succeeded' });
    const [first, ...rest] = children;
    const bad = await startOn(t, account, fleetKind, machineId(), {
      children: [{ ...first!, input: { behaviours: [{ step: 'stop', does: 'fail' }] } }, ...rest],
    });
    expect(await ended(t, bad.id)).toMatchObject({ status: 'failed', error: { code: 'engine_failed' } });
  });
});

describe('the queue of a subject', () => {
  const hanging: MachineInput = { behaviours: [{ step: 'stop', does: 'hang' }] };

  it('refuses a second exclusive operation and names the first', async () => {
    const subject = machineId();
    const first = await startOn(t, account, createMachineKind, subject, {
      behaviours: [{ step: 'reserve', does: 'hang' }],
    });
    await expect(startOn(t, account, restartMachineKind, subject)).rejects.toMatchObject({
      code: 'operation_in_progress',
      extra: { operation_id: first.id },
    });
    await cancelled(t, first.id);
    await ended(t, first.id);
  });

  it('lets eight operations wait in order, and refuses the ninth', async () => {
    const subject = machineId();
    const first = await startOn(t, account, restartMachineKind, subject, hanging, {
      deadlineSeconds: 3,
    });
    await until(t, first.id, ({ started_at }) => started_at !== null);
    const waiting = [];
    for (let i = 0; i < 8; i++) waiting.push(await startOn(t, account, extendMachineKind, subject));
    await expect(startOn(t, account, extendMachineKind, subject)).rejects.toMatchObject({
      code: 'operation_queue_full',
      extra: { operation_id: first.id },
    });
    for (const { id } of waiting) expect(await ended(t, id)).toMatchObject({ status: 'succeeded' });
    const rows = await Promise.all(waiting.map(({ id }) => operationOf(t, id)));
    const starts = rows.map(({ started_at }) => started_at?.getTime() ?? 0);
    expect(starts).toEqual([...starts].sort((a, b) => a - b));
    const overlaps = rows.slice(1).filter((row, i) => row.started_at! < rows[i]!.finished_at!);
    expect(overlaps).toEqual([]);
  });

  it('is cleared by destroy: queued operations are dropped, running ones cancelled, others waited for', async () => {
    const subject = machineId();
    const create = await startOn(t, account, createMachineKind, subject, {
      behaviours: [{ step: 'build', does: 'hang' }],
    });
    await until(t, create.id, ({ step }) => step === 'build');
    const extend = await startOn(t, account, extendMachineKind, subject);
    const destroy = await startOn(t, account, deleteMachineKind, subject);
    const again = await startOn(t, account, deleteMachineKind, subject);
    expect(again.id).toBe(destroy.id);
    await expect(startOn(t, account, extendMachineKind, subject)).rejects.toMatchObject({
      code: 'operation_in_progress',
    });
    expect(await ended(t, extend.id)).toMatchObject({ status: 'cancelled', started_at: null });
    expect(await ended(t, create.id)).toMatchObject({ status: 'cancelled' });
    expect(await ended(t, destroy.id)).toMatchObject({ status: 'succeeded' });
  });
});
