import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase, openPool } from '../../../store/database.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts';
import { openSandbox } from '../../../testing/sandbox.ts';
import { Lab } from '../contract/lab.ts';
import { EngineRefused, type Placement, type Ref, type Size } from '../port.ts';
import type { Sandbox } from './sandbox.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(openPool(database.connection));
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const MACHINES = 6;
const hosts = [1, 2].map((n) => ({ name: `host-${n}`, vcpus: 8, memoryMb: 8192, diskGb: 100 }));

const size: fc.Arbitrary<Size> = fc.record({
  vcpus: fc.integer({ min: 1, max: 6 }),
  memoryMb: fc.integer({ min: 512, max: 6144 }),
  diskGb: fc.integer({ min: 10, max: 60 }),
});
const deeds = ['make', 'resize', 'move', 'remove', 'lose'] as const;
const policy = fc.constantFrom('spread' as const, 'compact' as const);
const machine = fc.integer({ min: 0, max: MACHINES - 1 });
const deed = fc.record({ machine, does: fc.constantFrom(...deeds), size, policy });

async function perform(
  does: (typeof deeds)[number],
  engine: Sandbox,
  ref: Ref,
  spec: { size: Size; placement: Placement; lab: Lab },
): Promise<unknown> {
  const { size, placement, lab } = spec;
  switch (does) {
    case 'make':
      return engine.ensureInstance(ref, lab.spec({ size, placement }));
    case 'resize':
      return engine.ensureSize(ref, size);
    case 'move':
      return engine.ensurePlacement(ref, placement);
    case 'remove':
      return engine.removeInstance(ref);
    case 'lose':
      return engine.core.lose({ project: ref.account, id: ref.id });
  }
}

async function expectBalance(engine: Sandbox): Promise<void> {
  const instances = await engine.observeInstances();
  for (const { host, total, free } of await engine.readCapacity()) {
    const here = instances.filter((instance) => instance.host === host);
    for (const part of ['vcpus', 'memoryMb', 'diskGb'] as const) {
      const used = here.reduce((sum, instance) => sum + instance.size[part], 0);
      expect(free[part]).toBe(total[part] - used);
      expect(free[part]).toBeGreaterThanOrEqual(0);
    }
  }
}

describe('the capacity of the sandbox', () => {
  it('is always the total minus its machines, even if several processes change it at the same time', async () => {
    const rounds = fc.array(fc.array(deed, { maxLength: 5 }), { maxLength: 5 });
    const hold = fc.asyncProperty(rounds, async (rounds) => {
      const harness = openSandbox(db, { hosts });
      const cores = [harness.engine, await harness.reopen()];
      const lab = new Lab(harness);
      const refs = Array.from({ length: MACHINES }, () => lab.ref());
      const group = lab.group({ strict: false, others: refs.map(({ id }) => id) });
      for (const round of rounds) {
        const work = round.map(({ does, machine, size, policy }, i) =>
          perform(does, cores[i % 2]!, refs[machine]!, { size, lab, placement: { ...group, policy } }),
        );
        const ended = await Promise.allSettled(work);
        for (const end of ended)
          if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(EngineRefused);
        await expectBalance(harness.engine);
      }
    });
    await fc.assert(hold, { numRuns: 25 });
  });
});
