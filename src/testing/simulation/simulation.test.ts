import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { openSimulationHome, type SimulationHome } from './home.ts';
import { explain, simulateMany } from './many.ts';
import { simulate } from './world.ts';

/** While one world waits for its database, others go on. */
const HOMES = 3;
const WORLDS = 2000;
const BLOCK = 250;

let databases: TestDatabase[] = [];
let homes: SimulationHome[] = [];

beforeAll(async () => {
  for (let i = 0; i < HOMES; i++) databases.push(await createTestDatabase());
  homes = await Promise.all(databases.map(({ connection }) => openSimulationHome(connection)));
});
afterAll(async () => {
  for (const home of homes) await home.close();
  for (const database of databases) await database.drop();
  databases = [];
});

describe('in a simulated world of crashes, delays and lost words', () => {
  it.each(Array.from({ length: WORLDS / BLOCK }, (_, i) => 1 + i * BLOCK))(
    `every promise is kept, seeds %i and the ${BLOCK - 1} after it`,
    async (from) => {
      const { broken, accepted } = await simulateMany(homes, { from, count: BLOCK }, 1);
      expect(broken.map(explain).join('\n\n')).toBe('');
      expect(accepted).toBeGreaterThan(BLOCK);
    },
    600_000,
  );

  it('the same seed is the same world, to the last word', async () => {
    for (const seed of [3, 1415, 92_653]) {
      const [once, again] = [await simulate(homes[0]!, seed), await simulate(homes[1]!, seed)];
      expect(again.trace.join('\n')).toBe(once.trace.join('\n'));
      expect(once.trace.length).toBeGreaterThan(20);
    }
  });
});
