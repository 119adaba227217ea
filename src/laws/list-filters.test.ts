/** Every list can be filtered by the fields that its rows have: name, labels and creation time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import type { JsonSchema } from '../testing/arbitrary.ts';
import { fill } from './rows.ts';
import { sample } from './sample.ts';
import { createWorld, listParams, lists, type Query, urlOf, type World } from './walk.ts';

const ROWS = 5;

interface Row {
  readonly id: string;
  readonly name?: string;
  readonly created_at: string;
}

let app: TestApp;
let world: World;

beforeAll(async () => {
  app = await createTestApp();
  world = await createWorld(app);
  await fill(world, ROWS, 'filter');
});

afterAll(() => app.close());

const membersOf = (schema: JsonSchema | undefined): string[] => Object.keys(schema?.properties ?? {});

/** Lists of the product whose rows have a creation time. Lists of past events have the filter `since` instead. */
const made = lists.filter(({ path, answers, query }) => {
  const { properties } = answers[200] as JsonSchema;
  return (
    families.some(({ name }) => path.startsWith(`/${name}/`)) &&
    membersOf(properties?.['data']?.items as JsonSchema).includes('created_at') &&
    !membersOf(query as JsonSchema).includes('since')
  );
});

describe.each(sample(made))('$id', (list) => {
  const rowMembers = membersOf((list.answers[200] as JsonSchema).properties?.['data']?.items as JsonSchema);
  const offered = membersOf(list.query as JsonSchema);

  async function rowsOf(query: Query): Promise<Row[]> {
    const url = urlOf(list, await listParams(list, world), { limit: 200, ...query });
    const response = await app.call({ url, key: world.key.key });
    expect([query, response.statusCode]).toEqual([query, 200]);
    return response.json<{ data: Row[] }>().data;
  }
  const idsOf = (rows: readonly Row[]): string[] => rows.map(({ id }) => id).sort();

  it('offers the filters that its columns allow', () => {
    const wanted = [
      'created_after',
      'created_before',
      ...(rowMembers.includes('name') ? ['name'] : []),
      ...(rowMembers.includes('labels') ? ['label_selector'] : []),
    ];
    expect(wanted.filter((name) => !offered.includes(name))).toEqual([]);
  });

  it('can be split by a time', async () => {
    const whole = await rowsOf({});
    const times = whole.map(({ created_at }) => created_at).sort();
    expect(new Set(times).size).toBeGreaterThan(1);
    const moment = times.at(-1) ?? '';
    const later = await rowsOf({ created_after: moment });
    const earlier = await rowsOf({ created_before: moment });
    expect(idsOf(later)).toEqual(idsOf(whole.filter(({ created_at }) => created_at >= moment)));
    expect(idsOf(earlier)).toEqual(idsOf(whole.filter(({ created_at }) => created_at < moment)));
    expect(await rowsOf({ created_after: moment, created_before: moment })).toEqual([]);
  });

  it.runIf(rowMembers.includes('name'))('can be filtered by name', async () => {
    const whole = await rowsOf({});
    const name = whole.find((row) => row.name !== undefined)?.name;
    expect(idsOf(await rowsOf({ name }))).toEqual(idsOf(whole.filter((row) => row.name === name)));
    expect(await rowsOf({ name: 'nobody-has-this-name' })).toEqual([]);
  });

  it.runIf(rowMembers.includes('labels'))('can be filtered by labels', async () => {
    expect(await rowsOf({ label_selector: 'nobody/has=this' })).toEqual([]);
    expect(idsOf(await rowsOf({ label_selector: '!nobody/has' }))).toEqual(idsOf(await rowsOf({})));
  });
});
