import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase, openPool } from '../../../store/database.ts';
import { Listener } from '../../../store/listener.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts';
import { openSandbox, type SandboxHarness } from '../../../testing/sandbox.ts';
import { Lab } from '../contract/lab.ts';
import { EngineUnreachable, type Ref } from '../port.ts';
import type { NewFault } from './faults.ts';
import type { Sandbox } from './sandbox.ts';
import { addFault, clearFaults, listFaults } from './store.ts';

let database: TestDatabase;
let db: Db;
let harness: SandboxHarness;
let engine: Sandbox;
let lab: Lab;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(openPool(database.connection));
  harness = openSandbox(db);
  engine = harness.engine;
  lab = new Lab(harness);
});
afterEach(async () => {
  await clearFaults(db);
  await lab.clear();
});
afterAll(async () => {
  await engine.close();
  await db.destroy();
  await database.drop();
});

const strike = (fault: NewFault) => addFault(db, fault);
const make = (ref: Ref, signal?: AbortSignal) => engine.ensureInstance(ref, lab.spec(), signal);
const isThere = async (ref: Ref): Promise<boolean> => (await engine.observeInstance(ref)) !== null;

describe('a call with an injected fault', () => {
  it('fail: fails with the given code and has no effect', async () => {
    const ref = lab.ref();
    const detail = 'The moon was full.';
    await strike({ call: 'ensureInstance', effect: { kind: 'fail', code: 'engine_failed', detail } });
    await expect(make(ref)).rejects.toMatchObject({ code: 'engine_failed', message: detail });
    expect(await isThere(ref)).toBe(false);
  });

  it('unreachable: is not answered and has no effect', async () => {
    const ref = lab.ref();
    await strike({ call: 'ensureInstance', effect: { kind: 'unreachable' } });
    await expect(make(ref)).rejects.toBeInstanceOf(EngineUnreachable);
    expect(await isThere(ref)).toBe(false);
  });

  it('hang: hangs until the caller aborts', async () => {
    const ref = lab.ref();
    await strike({ call: 'ensureInstance', effect: { kind: 'hang' } });
    const caller = new AbortController();
    const reason = new Error('given up');
    const call = make(ref, caller.signal);
    await expect.poll(async () => (await listFaults(db))[0]?.struck).toBe(1);
    caller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(await isThere(ref)).toBe(false);
  });

  it('slow: takes effect after a delay', async () => {
    const ref = lab.ref();
    await strike({ call: 'ensureInstance', effect: { kind: 'slow', seconds: 0.05 } });
    await make(ref);
    expect(await isThere(ref)).toBe(true);
  });

  it('fail_after: takes effect but is not answered', async () => {
    const ref = lab.ref();
    await strike({ call: 'ensureInstance', times: 1, effect: { kind: 'fail_after' } });
    await expect(make(ref)).rejects.toBeInstanceOf(EngineUnreachable);
    expect(await isThere(ref)).toBe(true);
    await make(ref);
  });

  it('late: takes effect after the caller has aborted', async () => {
    const ref = lab.ref();
    await strike({ call: 'ensureInstance', effect: { kind: 'late', seconds: 0.2 } });
    const caller = new AbortController();
    const call = make(ref, caller.signal);
    await expect.poll(async () => (await listFaults(db))[0]?.struck).toBe(1);
    caller.abort(new Error('given up'));
    await expect(call).rejects.toThrow('given up');
    await expect.poll(() => isThere(ref)).toBe(true);
  });

  it('lie: reports success but has no effect', async () => {
    const ref = lab.ref();
    await strike({ call: 'ensureInstance', times: 1, effect: { kind: 'lie' } });
    await make(ref);
    expect(await isThere(ref)).toBe(false);
    await make(ref);
    await strike({ call: 'observeInstance', times: 1, effect: { kind: 'lie' } });
    expect([await isThere(ref), await isThere(ref)]).toEqual([false, true]);
  });

  it('lose: finds its machine gone and its capacity free again', async () => {
    const free = await engine.readCapacity();
    const ref = lab.ref();
    await make(ref);
    const nudged: string[] = [];
    const stop = engine.watch(({ id }) => nudged.push(id));
    await strike({ target: ref.id, times: 1, effect: { kind: 'lose' } });
    await expect(engine.ensureRunning(ref)).rejects.toMatchObject({
      code: 'not_found',
    });
    expect([await isThere(ref), nudged]).toEqual([false, [ref.id]]);
    expect(await engine.readCapacity()).toEqual(free);
    stop();
  });
});

describe('a fault rule', () => {
  const fail = { kind: 'unreachable' } as const;
  const outcomes = async (count: number, ask: () => Promise<unknown>): Promise<string> => {
    let said = '';
    for (let i = 0; i < count; i++)
      said += await ask().then(
        () => '.',
        () => 'x',
      );
    return said;
  };

  it('skips some calls, applies to the given number of calls, and then to no more', async () => {
    await strike({ call: 'readCapacity', skip: 2, times: 2, effect: fail });
    expect(await outcomes(6, () => engine.readCapacity())).toBe('..xx..');
    expect((await listFaults(db))[0]).toMatchObject({ skip: 0, remaining: 0, struck: 2 });
  });

  it('applies only to its call, target and location', async () => {
    const [mine, other] = [lab.ref(), lab.ref()];
    await strike({ call: 'observeInstance', target: mine.id, effect: fail });
    await strike({ location: 'elsewhere', effect: fail });
    expect(await outcomes(1, () => engine.observeInstance(mine))).toBe('x');
    expect(await outcomes(1, () => engine.observeInstance(other))).toBe('.');
    expect(await outcomes(1, () => engine.removeInstance(mine))).toBe('.');
  });

  it('applies to all objects of an account if the target is the account', async () => {
    const [mine, other] = [lab.ref(), { ...lab.ref(), account: 'acc_other' }];
    await strike({ target: mine.account, effect: fail });
    expect(await outcomes(1, () => engine.observeInstance(mine))).toBe('x');
    expect(await outcomes(1, () => engine.observeInstance(other))).toBe('.');
    expect(await outcomes(1, () => engine.readCapacity())).toBe('.');
  });

  it('is counted once across all processes', async () => {
    const others = [await harness.reopen(), await harness.reopen()];
    await strike({ call: 'readCapacity', times: 5, effect: fail });
    const asked = [engine, ...others].flatMap((core) => Array.from({ length: 4 }, () => core.readCapacity()));
    const settled = await Promise.allSettled(asked);
    expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(5);
  });

  it('no longer applies after it is cleared', async () => {
    const { id } = await strike({ call: 'readCapacity', effect: fail });
    expect(await outcomes(1, () => engine.readCapacity())).toBe('x');
    expect([await clearFaults(db, id), await clearFaults(db, id)]).toEqual([1, 0]);
    expect(await outcomes(1, () => engine.readCapacity())).toBe('.');
  });
});

describe('an unfinished creation', () => {
  it('is waited for by the next call, also after the first caller crashed', async () => {
    const { engine: slow, reopen } = openSandbox(db, { pace: 0.1 });
    const ref = lab.ref();
    const spec = lab.spec();
    const first = new AbortController();
    const call = slow.ensureInstance(ref, spec, first.signal);
    await expect.poll(async () => (await slow.observeInstance(ref))?.state).toBe('creating');
    first.abort(new Error('crashed'));
    await expect(call).rejects.toThrow('crashed');
    const next = await reopen();
    await next.ensureRunning(ref);
    expect(await next.observeInstance(ref)).toMatchObject({ state: 'running', agent: null });
    await expect.poll(async () => (await next.observeInstance(ref))?.agent).not.toBeNull();
    await next.removeInstance(ref);
  });
});

describe('a change that another process makes', () => {
  it('notifies watchers of the same location only', async () => {
    const listener = new Listener(database.connection);
    const { engine: hearing } = openSandbox(db, { listener, location: engine.location });
    const { engine: elsewhere } = openSandbox(db, { listener });
    const nudged: string[] = [];
    hearing.watch(({ account, id }) => nudged.push(`${account} ${id}`));
    elsewhere.watch(() => nudged.push('elsewhere'));
    await listener.start();
    const ref = await lab.running();
    await harness.shutDownInside(ref);
    await expect.poll(() => nudged).toEqual([`${ref.account} ${ref.id}`]);
    await listener.close();
  });
});
