/** Tests the code that all ports share with a second port, for lamps, which uses nothing of the compute port. */
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase, openPool } from '../store/database.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import type { Capability } from './capability.ts';
import { freshId } from './contract/fresh-id.ts';
import { describePort, itIfCapable, type Lab } from './contract/suite.ts';
import type { Engine, Engines, Ref, WatchedEngine } from './engine.ts';
import { ask, requireCapability } from './engine-call.ts';
import { engineAt } from './engine-step.ts';
import { eachEngine } from './reconciler/each-engine.ts';
import { watchEngines } from './reconciler/nudges.ts';
import { observeNow } from './reconciler/observation.ts';
import { missing, nameOf, SandboxCore } from './sandbox/core.ts';
import { addFault, clearFaults, StateStore } from './sandbox/store.ts';

interface Lamp {
  readonly isOn: boolean;
  readonly at: number;
}

interface LampCapabilities {
  readonly colours: Capability;
  readonly dimming: Capability;
}

interface LampEngine extends Engine<keyof LampCapabilities>, WatchedEngine {
  readonly capabilities: LampCapabilities;
  ensureLamp(ref: Ref, isOn: boolean, signal?: AbortSignal): Promise<void>;
  observeLamp(ref: Ref, signal?: AbortSignal): Promise<Lamp | null>;
}

interface LampSandbox {
  readonly call: 'ensureLamp' | 'observeLamp';
  /** The table accepts only `machine`, `network` and `image` as kinds, so lamps are stored as images. */
  readonly states: { readonly image: Lamp };
  readonly effect: 'stuck_switch';
  readonly task: 'switch';
  readonly fixtures: null;
}

const capabilities: LampCapabilities = { colours: 'All lamps here are white.', dimming: true };

class SandboxLamps implements LampEngine {
  readonly driver = 'sandbox';
  readonly location: string;
  readonly capabilities = capabilities;
  readonly core: SandboxCore<LampSandbox>;

  constructor(db: Db, location: string) {
    this.location = location;
    this.core = new SandboxCore<LampSandbox>({
      store: new StateStore(db, location),
      fixtures: null,
      times: { switch: 20 },
      pace: 1,
      channel: 'hostplane_sandbox_lamps',
      async remove(store, name) {
        const isThere = (await store.lock('image', name)) !== null;
        await store.delete('image', name);
        return isThere;
      },
    });
  }

  ensureLamp: LampEngine['ensureLamp'] = (ref, isOn, signal) =>
    this.core.run({
      call: 'ensureLamp',
      target: nameOf(ref),
      signal,
      lie: { value: undefined },
      ownEffects: ['stuck_switch'],
      work: async (struck) => {
        const { store } = this.core;
        if ((await store.find('image', nameOf(ref))) === null)
          await store.insert('image', nameOf(ref), { isOn: false, at: 0 });
        const isFound = await this.core.change('image', nameOf(ref), signal, {
          restsAt: ({ at }) => at,
          apply: async (_, lamp, now) =>
            lamp.isOn === isOn || struck !== null ? null : { isOn, at: now + this.core.takes('switch') },
        });
        if (!isFound) throw missing('lamp', ref.id);
      },
    });

  observeLamp: LampEngine['observeLamp'] = (ref, signal) =>
    this.core.observe('observeLamp', ref, signal, () => this.core.store.find('image', nameOf(ref)));

  watch: LampEngine['watch'] = (watcher) => this.core.watch(watcher);

  close = (): Promise<void> => this.core.close();
}

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(openPool(database.connection));
});
afterEach(() => clearFaults(db));
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const lampRef = (): Ref => ({ account: freshId('acc'), id: freshId('lamp') });
const log = pino({ level: 'silent' });

function lampsAt(location: string): { engine: SandboxLamps; engines: Engines<LampEngine> } {
  const engine = new SandboxLamps(db, location);
  return {
    engine,
    engines: { at: (named) => (named === location ? engine : undefined), all: [engine] },
  };
}

class LampLab implements Lab<LampEngine> {
  readonly harness = {
    engine: new SandboxLamps(db, 'lab'),
    reopen: async () => new SandboxLamps(db, 'lab'),
    close: () => this.harness.engine.close(),
  };

  clear = async (): Promise<void> => undefined;
}

describePort('the lamp port', capabilities, async () => new LampLab(), [
  (use) => {
    itIfCapable(use, 'dimming', 'is tried where the driver has it', async () => {
      const { harness } = use.lab();
      const ref = lampRef();
      await harness.engine.ensureLamp(ref, true);
      expect(await (await harness.reopen()).observeLamp(ref)).toMatchObject({ isOn: true });
    });
    itIfCapable(use, 'colours', 'is skipped where it has not', async () => expect.unreachable());
  },
]);

describe('a call from a handler', () => {
  it('goes to the engine of its location and to no other', async () => {
    const { engine, engines } = lampsAt('fra1');
    expect(requireCapability(engines, 'fra1', 'dimming')).toBe(engine);
    expect(engineAt(engines, 'fra1')).toBe(engine);
    expect(() => requireCapability(engines, 'ams1', 'dimming')).toThrow('No engine serves ams1');
  });

  it('is refused with the reason if the driver lacks the capability', () => {
    const { engines } = lampsAt('fra1');
    expect(() => requireCapability(engines, 'fra1', 'colours')).toThrow('All lamps here are white.');
    // @ts-expect-error The port has no such capability.
    expect(() => requireCapability(engines, 'fra1', 'flight')).toThrow();
  });

  it('is refused with the problem that the family chose, or else with engine_unavailable', async () => {
    const { engines } = lampsAt('fra1');
    const effect = { kind: 'fail', code: 'invalid_state', detail: 'Broken.' } as const;
    await addFault(db, { call: 'observeLamp', effect });
    const observe = (problems: { invalid_state?: 'vm_not_running' }) =>
      ask(engines, 'fra1', problems, (engine, signal) => engine.observeLamp(lampRef(), signal));
    await expect(observe({ invalid_state: 'vm_not_running' })).rejects.toMatchObject({
      code: 'vm_not_running',
    });
    await expect(observe({})).rejects.toMatchObject({ code: 'engine_unavailable' });
  });
});

describe('a fault in a sandbox', () => {
  it('applies to calls of its own port, and never to calls of other ports', async () => {
    const { engine } = lampsAt('fra1');
    const ref = lampRef();
    await addFault(db, { effect: { kind: 'ignore_shutdown' } });
    await addFault(db, { times: 1, effect: { kind: 'stuck_switch' } });
    await engine.ensureLamp(ref, true);
    expect(await engine.observeLamp(ref)).toMatchObject({ isOn: false });
    await engine.ensureLamp(ref, true);
    expect(await engine.observeLamp(ref)).toMatchObject({ isOn: true });
  });
});

describe('a reconciler', () => {
  it('believes that an object is gone only when the engine said so twice', async () => {
    const { engine } = lampsAt('fra1');
    const ref = lampRef();
    await engine.ensureLamp(ref, true);
    await addFault(db, { call: 'observeLamp', times: 1, effect: { kind: 'lie' } });
    const look = () => observeNow({ db }, (signal) => engine.observeLamp(ref, signal));
    expect((await look()).seen).not.toBeNull();
    await engine.core.lose(nameOf(ref));
    expect((await look()).seen).toBeNull();
  });

  it('is notified when an object is lost, and one failing engine does not stop the others', async () => {
    const { engine, engines } = lampsAt('fra1');
    const ref = lampRef();
    await engine.ensureLamp(ref, true);
    const seen: string[] = [];
    const end = watchEngines({ log }, engines, async (_, { id }) => void seen.push(id));
    await engine.core.lose(nameOf(ref));
    await end();
    const two = { at: engines.at, all: [engine, lampsAt('ams1').engine] };
    await eachEngine({ log }, two, async ({ location }) => {
      if (location === 'fra1') throw new Error('No answer.');
      seen.push(location);
    });
    expect(seen).toEqual([ref.id, 'ams1']);
  });
});
