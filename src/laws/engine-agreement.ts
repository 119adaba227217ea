/** Compares the rows of an account with the state of its engines, and finds what remains after all was deleted. */
import type { Lifecycle } from '../kernel/lifecycle.ts';
import type { TestApp } from '../testing/app.ts';
import { readTogether, rowsIn } from './account-rows.ts';
import { work } from './crashes.ts';
import { type EngineFamily, engineFamilies } from './engine-families.ts';
import type { World } from './walk.ts';

const lifecycles: readonly Lifecycle[] = engineFamilies.flatMap(({ family }) => family.lifecycles ?? []);
/** Of the families whose resources can be deleted. */
const ofDeletable: readonly Lifecycle[] = engineFamilies
  .filter(({ agreement }) => Object.keys(agreement.collections).length > 0)
  .flatMap(({ family }) => family.lifecycles ?? []);

async function inEach(find: (each: EngineFamily) => Promise<string[]>): Promise<string[]> {
  const found: string[] = [];
  for (const each of engineFamilies) found.push(...(await find(each)));
  return found;
}

/** Lists differences between rows and engines, and rows that are still in a transitional status. */
export async function disagreements(world: World): Promise<string[]> {
  const faults: string[] = [];
  for (const { resource, table, transitional } of lifecycles)
    for (const row of await rowsIn(world, table))
      if (transitional.includes(row.status)) faults.push(`the ${resource} is still ${row.status}`);
  return [...faults, ...(await inEach(({ agreement }) => agreement.disagreements(world)))];
}

/**
 * Deletes all resources of these accounts through the API, in the order of `collections`. Returns the calls that were
 * refused.
 */
export const deleteAll = (app: TestApp, worlds: readonly World[]): Promise<string[]> =>
  inEach(async ({ family, agreement }) => {
    const refusals: string[] = [];
    for (const [table, collection] of Object.entries(agreement.collections)) {
      await readTogether(worlds, async () => {
        for (const world of worlds)
          for (const { id } of await rowsIn(world, table)) {
            const url = `/${family.name}/v1/${collection}/${id}`;
            const answer = await app.call({ method: 'DELETE', url, key: world.key.key });
            if (![202, 204].includes(answer.statusCode))
              refusals.push(`DELETE of ${collection}: ${answer.statusCode} ${answer.body}`);
          }
      });
      await work(app);
    }
    return refusals;
  });

export async function leftovers(world: World): Promise<string[]> {
  const faults: string[] = [];
  for (const { resource, table } of ofDeletable)
    for (const { status } of await rowsIn(world, table))
      faults.push(`deleted, but a ${resource} is ${status}`);
  const { db } = world.app.services;
  const things = await db
    .selectFrom('sandbox_things')
    .select('kind')
    .where('project', '=', world.account.id)
    .execute();
  for (const { kind } of things) faults.push(`deleted, but the engine has a ${kind}`);
  const listed = await db
    .selectFrom('resources')
    .select('type')
    .where('account_id', '=', world.account.id)
    .where(
      'family',
      'in',
      engineFamilies.map(({ family }) => family.name),
    )
    .execute();
  for (const { type } of listed) faults.push(`deleted, but a ${type} is in the inventory`);
  return [...faults, ...(await inEach(({ agreement }) => agreement.leftovers(world)))];
}
