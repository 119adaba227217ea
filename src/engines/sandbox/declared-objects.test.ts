import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase, openPool } from '../../store/database.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { classOfCalls, signalIn } from '../call-table.ts';
import type { Ref } from '../engine.ts';
import { EngineRefused } from '../errors.ts';
import { SandboxCore } from './core.ts';
import { declaredObjects } from './declared-objects.ts';
import { addFault, StateStore } from './store.ts';

interface Zone {
  readonly serial: number;
  readonly records: readonly string[];
}

interface ZonePort {
  readonly call: 'ensureZone' | 'observeZone' | 'removeZone';
  readonly states: { zone: Zone };
  readonly effect: never;
  readonly task: 'zone';
  readonly fixtures: null;
}

interface ZoneEngine {
  ensureZone(ref: Ref, zone: Zone, signal?: AbortSignal): Promise<void>;
  observeZone(ref: Ref, signal?: AbortSignal): Promise<(Zone & Ref) | null>;
  removeZone(ref: Ref, signal?: AbortSignal): Promise<void>;
}

const zones = declaredObjects<ZonePort, 'zone'>('zone', {
  task: 'zone',
  isNewer: (present, spec) => present.serial > spec.serial,
  async checkRemoval(store, ref) {
    const zone = await store.find('zone', { project: ref.account, id: ref.id });
    if ((zone?.records.length ?? 0) > 0) throw new EngineRefused('resource_in_use', 'The zone has records.');
  },
});

const calls = {
  ensureZone: ['perform', zones.ensure],
  observeZone: ['observe', zones.observe],
  removeZone: ['perform', zones.remove],
} as const;
type Entry = readonly [
  'perform' | 'observe',
  (core: SandboxCore<ZonePort>, ...args: never[]) => Promise<unknown>,
];

class ZoneSandbox extends classOfCalls<ZoneEngine, Entry>(calls) {
  constructor(core: SandboxCore<ZonePort>) {
    super((name, [how, work], args) =>
      core[how](name, args[0] as Ref, signalIn(args), () => work(core, ...(args as never[]))),
    );
  }
}

let database: TestDatabase;
let db: Db;
let engine: ZoneSandbox;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(openPool(database.connection));
  const store = new StateStore<ZonePort['states']>(db, 'lab');
  const times = { zone: 0 };
  const rest = { fixtures: null, times, pace: 0, channel: 'zones', remove: async () => false };
  engine = new ZoneSandbox(new SandboxCore<ZonePort>({ store, ...rest }));
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const zoneOf = (id: string): Ref => ({ account: 'acc_1', id });

describe('A sandbox of declared objects', () => {
  it('returns an object as it was declared last', async () => {
    const ref = zoneOf('z1');
    expect(await engine.observeZone(ref)).toBeNull();
    await engine.ensureZone(ref, { serial: 1, records: ['a'] });
    await engine.ensureZone(ref, { serial: 2, records: ['a', 'b'] });
    expect(await engine.observeZone(ref)).toEqual({ ...ref, serial: 2, records: ['a', 'b'] });
  });

  it('ignores a declaration that is older than the object', async () => {
    const ref = zoneOf('z2');
    await engine.ensureZone(ref, { serial: 5, records: [] });
    await engine.ensureZone(ref, { serial: 4, records: ['late'] });
    expect(await engine.observeZone(ref)).toMatchObject({ serial: 5, records: [] });
  });

  it('removes an object once the check allows it, and again without an error', async () => {
    const ref = zoneOf('z3');
    await engine.ensureZone(ref, { serial: 1, records: ['a'] });
    await expect(engine.removeZone(ref)).rejects.toMatchObject({ code: 'resource_in_use' });
    await engine.ensureZone(ref, { serial: 2, records: [] });
    await engine.removeZone(ref);
    await engine.removeZone(ref);
    expect(await engine.observeZone(ref)).toBeNull();
  });

  it('suffers fault rules like every sandbox', async () => {
    const ref = zoneOf('z4');
    await addFault(db, { target: 'z4', call: 'ensureZone', times: 1, effect: { kind: 'lie' } });
    await engine.ensureZone(ref, { serial: 1, records: [] });
    expect(await engine.observeZone(ref)).toBeNull();
  });

  it('does not begin a call whose signal is aborted', async () => {
    const ref = zoneOf('z5');
    await expect(engine.ensureZone(ref, { serial: 1, records: [] }, AbortSignal.abort())).rejects.toThrow();
    expect(await engine.observeZone(ref)).toBeNull();
  });
});
