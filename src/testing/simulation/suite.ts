/** The seeds are divided among several test files, so that the files run in parallel. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { openSimulationHome, type SimulationHome } from './home.ts';
import { explain, simulateMany } from './many.ts';

/** While one world waits for its database, the others continue. */
const HOMES = 3;
const BLOCK = 250;

export function openHomes(): readonly SimulationHome[] {
  const databases: TestDatabase[] = [];
  const homes: SimulationHome[] = [];
  beforeAll(async () => {
    for (let i = 0; i < HOMES; i++) databases.push(await createTestDatabase());
    for (const { connection } of databases) homes.push(await openSimulationHome(connection));
  });
  afterAll(async () => {
    for (const home of homes) await home.close();
    for (const database of databases) await database.drop();
  });
  return homes;
}

export function describeWorlds(homes: readonly SimulationHome[], from: number, count: number): void {
  const block = Math.min(BLOCK, count);
  describe('in a simulation with crashes, delays and lost notifications', () => {
    it.each(Array.from({ length: count / block }, (_, i) => from + i * block))(
      `every guarantee holds for seed %i and the ${block - 1} after it`,
      async (first) => {
        const { broken, accepted } = await simulateMany(homes, { from: first, count: block }, 1);
        expect(broken.map(explain).join('\n\n')).toBe('');
        expect(accepted).toBeGreaterThan(block);
      },
      600_000,
    );
  });
}
