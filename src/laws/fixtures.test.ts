/** A resource that a fixture makes is like one that its create endpoint makes, in the tables, at the engine and in answers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { settle } from '../testing/operations.ts';
import { disagreements } from './engine-agreement.ts';
import { fixtures } from './fixtures.ts';
import { sampleBy } from './sample.ts';
import { callTo, endpoints, paramNames, paramsFor, urlOf } from './walk.ts';
import { createWorld, type World } from './world.ts';

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

/** The members of an answer and which of them are null; the values differ from one resource to the next. */
function shapeOf(value: unknown): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object') return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

const made = fixtures.flatMap(({ collection, make }) => {
  const creator = endpoints.find(({ path, resource }) => path === collection && resource.role === 'create');
  const reader = endpoints.find(
    ({ path, resource }) => path.startsWith(`${collection}/{`) && resource.role === 'read',
  );
  if (collection === undefined || make === undefined || creator === undefined || reader === undefined)
    return [];
  return [{ collection, make, creator, reader }];
});

it('there are fixtures', () => {
  expect(made.length).toBeGreaterThan(4);
});

it('every fixture names a collection of an endpoint, each once', () => {
  const collections = fixtures.flatMap(({ collection }) => collection ?? []);
  expect(new Set(collections).size).toBe(collections.length);
  const strays = collections.filter(
    (collection) => !endpoints.some(({ path }) => path.startsWith(collection)),
  );
  expect(strays).toEqual([]);
});

describe.each(sampleBy(made, ({ creator }) => creator))(
  '$collection',
  ({ collection, make, creator, reader }) => {
    const [name = ''] = paramNames(reader).slice(-1);

    async function readOne(world: World, create: (outer: Record<string, string>) => Promise<string>) {
      const outer = await paramsFor({ path: collection }, world);
      const id = await create(outer);
      const url = urlOf(reader, { ...outer, [name]: id });
      const answer = await app.call({ method: 'GET', url, key: world.key.key });
      expect(answer.statusCode).toBe(200);
      return answer.json<{ status?: string; labels?: unknown }>();
    }

    it('creates the same resource as its endpoint does, also at the engine', async () => {
      const [one, other] = [await createWorld(app), await createWorld(app)];
      const byFixture = await readOne(one, (outer) => make(one, outer));
      const byEndpoint = await readOne(other, async (params) => {
        const answer = await callTo(creator, other, { params });
        expect(answer.statusCode).toBeLessThan(300);
        await settle(app);
        return answer.json<{ id: string }>().id;
      });
      const alike = ({ labels: _, ...rest }: object & { labels?: unknown }) => shapeOf(rest);
      expect(alike(byFixture)).toEqual(alike(byEndpoint));
      expect(byFixture.status).toBe(byEndpoint.status);
      expect([await disagreements(one), await disagreements(other)]).toEqual([[], []]);
    });
  },
);
