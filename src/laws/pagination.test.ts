/**
 * Every list, read page by page, returns each row once and in the declared order, even if rows are added meanwhile.
 * Cursors are valid only for the list and query that returned them.
 */
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Address, parseAddress } from '../kernel/net/address.ts';
import { createKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import type { JsonSchema } from '../testing/arbitrary.ts';
import { exemptFrom } from './exemptions.ts';
import { filterQueries, sortsOf } from './list-queries.ts';
import { outcomeOf } from './responses.ts';
import { addRow, addRowTo, fill, hasOwnRows } from './rows.ts';
import { sample } from './sample.ts';
import { createWorld, listParams, lists, type Query, urlOf, type World } from './walk.ts';

const ROWS = 15;

let app: TestApp;
let full: World;
let stranger: World;
/** The account whose lists grow while they are read; shared by all lists whose fixtures can add rows. */
let shared: World | undefined;

beforeAll(async () => {
  app = await createTestApp();
  [full, stranger] = [await createFilled('page'), await createFilled('other')];
});

afterAll(() => app.close());

async function createFilled(mark: string): Promise<World> {
  const world = await createWorld(app);
  await fill(world, ROWS, mark);
  // In report-only mode each call of the walk would add a row to the list of would-be denials.
  await app.services.db.updateTable('ip_allowlists').set({ mode: 'off' }).execute();
  const readMode = async () =>
    (await app.call({ url: '/account/v1/whoami', key: world.key.key })).json().client.allowlist.mode;
  await vi.waitFor(async () => expect(await readMode()).toBe('off'), { timeout: 120_000 });
  await app.services.denials.flush();
  return world;
}

type Row = Readonly<Record<string, unknown>>;

interface Page {
  readonly data: Row[];
  readonly next_cursor: string | null;
}

/** Identifies a row in any list. */
const nameOf = (row: Row): string =>
  [row['id'] ?? row['operation_id'] ?? row['sku'] ?? row['slug'], row['location'], row['valid_from']]
    .filter(Boolean)
    .join(' ');

const fieldOf = (row: Row, sort: string): unknown =>
  sort
    .replace(/^-/, '')
    .split('.')
    .reduce<unknown>((value, name) => (value as Row | null)?.[name] ?? 0, row);

/** IPv4 before IPv6, then by the bits. */
const placeOf = ({ w0, w1, w2, w3 }: Address): string =>
  [w0, w1, w2, w3].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');

function inOrder(a: unknown, b: unknown): boolean {
  const [first, second] = [a, b].map((value) => parseAddress(String(value)));
  if (first && second) return placeOf(first) <= placeOf(second);
  const [left, right] = [a, b].map((value) =>
    Number.isFinite(Number(value)) ? Number(value) : String(value),
  );
  return left! <= right!;
}

const inMemory = exemptFrom('listsOfRows');

describe.each(sample(lists))('$id', (list) => {
  const properties = (list.query as JsonSchema).properties ?? {};
  const sorts = sortsOf(list);
  const most = properties['limit']?.maximum ?? 0;

  const get = async (query: Query, world = full): Promise<LightMyRequestResponse> =>
    app.call({ url: urlOf(list, await listParams(list, world), query), key: world.key.key });

  async function page(query: Query, world = full): Promise<Page> {
    const response = await get(query, world);
    expect([query, response.statusCode]).toEqual([query, 200]);
    return response.json<Page>();
  }

  /** Reads all pages; calls `between` after each page. */
  async function walk(query: Query, world = full, between?: () => Promise<void>): Promise<Row[]> {
    const rows: Row[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data, next_cursor }: Page = await page(cursor === '' ? query : { ...query, cursor }, world);
      expect(data.length).toBeLessThanOrEqual(Number(query['limit']));
      if (next_cursor !== null) expect(data).toHaveLength(Number(query['limit']));
      rows.push(...data);
      // Stops the test if the cursors form a loop.
      expect(rows.length).toBeLessThan(1000);
      cursor = next_cursor;
      await between?.();
    }
    return rows;
  }

  it.each(sorts)('sorted by %s has the same rows with any page size', async (sort) => {
    const { data: whole, next_cursor } = await page({ sort, limit: most });
    const names = whole.map(nameOf);
    expect(next_cursor).toBeNull();
    expect(names.length).toBeGreaterThanOrEqual(inMemory.includes(list.id) ? 3 : ROWS);
    expect(new Set(names).size).toBe(names.length);
    for (const limit of [1, 2, 7]) {
      expect([limit, (await walk({ sort, limit })).map(nameOf)]).toEqual([limit, names]);
    }
  });

  it.each(sorts)('sorted by %s is in that order', async (sort) => {
    const { data } = await page({ sort, limit: most });
    const values = data.map((row) => fieldOf(row, sort));
    if (sort.startsWith('-')) values.reverse();
    const runs = values.filter((value, i) => value !== values[i - 1]);
    if (sort === 'family') expect(runs).toHaveLength(new Set(runs).size);
    else expect(values.filter((value, i) => i > 0 && !inOrder(values[i - 1], value))).toEqual([]);
    const turned = sort.startsWith('-') ? sort.slice(1) : `-${sort}`;
    if (sorts.includes(turned)) {
      const { data: other } = await page({ sort: turned, limit: most });
      expect(other.map(nameOf).reverse()).toEqual(data.map(nameOf));
    }
  });

  if (!inMemory.includes(list.id)) {
    let growing: World;
    let count = 100;
    const growsAlone = hasOwnRows(list.path);

    beforeAll(async () => {
      shared ??= await createFilled('growing');
      growing = growsAlone ? shared : await createFilled('growing');
    });

    it.each(sorts)('sorted by %s shows each row once while rows are added', async (sort) => {
      const before = (await walk({ sort, limit: most }, growing)).map(nameOf);
      const last = count + 6;
      const rows = await walk({ sort, limit: 4 }, growing, async () => {
        if (count >= last) return;
        // Names that sort before, between and after the existing names.
        const mark = ['a', 'growing-1', 'z'][count % 3] ?? '';
        count++;
        if (growsAlone) await addRowTo(list.path, growing, `${mark}-${count}`, count);
        else await addRow(growing, mark, count);
      });
      const seen = rows.map(nameOf);
      expect(seen.filter((name) => before.includes(name))).toEqual(before);
      expect(new Set(seen).size).toBe(seen.length);
      expect((await walk({ sort, limit: most }, growing)).length).toBeGreaterThan(before.length);
    });

    it('of an empty account has one page', async () => {
      const poor = await createWorld(app);
      // Resources of the provider are in the lists of every account, so only those of the account are listed.
      const kinds = (properties['kind']?.enum as string[] | undefined) ?? [];
      const own = kinds.includes('public') ? kinds.filter((kind) => kind !== 'public') : [];
      const response = await get(own.length === 0 ? {} : { kind: own[0] }, poor);
      const { data, next_cursor } = response.json<Page>();
      expect([next_cursor, response.headers['link'], data.length <= 1]).toEqual([null, undefined, true]);
    });
  }

  it('links to its next page', async () => {
    const names = (await page({ limit: most })).data.map(nameOf);
    const seen: string[] = [];
    for (let url = urlOf(list, await listParams(list, full), { limit: 3 }); url !== ''; ) {
      const response = await app.call({ url, key: full.key.key });
      const { data, next_cursor } = response.json<Page>();
      seen.push(...data.map(nameOf));
      expect(seen.length).toBeLessThan(1000);
      const link = /^<https:\/\/api\.example\.test(\/[^>]+)>; rel="next"$/.exec(
        String(response.headers['link']),
      );
      expect(link === null).toBe(next_cursor === null);
      url = link?.[1] ?? '';
    }
    expect(seen).toEqual(names);
  });

  it('accepts a cursor with another limit, but refuses it with another filter, sort, list or account', async () => {
    const { next_cursor: cursor } = await page({ limit: 2 });
    expect(cursor).not.toBeNull();
    expect((await get({ cursor, limit: 5 })).statusCode).toBe(200);
    const otherQueries: Query[] = [...filterQueries(list), ...sorts.slice(1).map((sort) => ({ sort }))];
    for (const query of otherQueries) {
      expect([query, outcomeOf(await get({ ...query, cursor }))]).toEqual([query, '400 invalid_cursor']);
    }
    // The cursor of each list is sent to the next one: to all others would be the square of their number.
    const other = lists[(lists.indexOf(list) + 1) % lists.length]!;
    const url = urlOf(other, await listParams(other, full), { cursor });
    const elsewhere = await app.call({ url, key: full.key.key });
    expect([other.id, outcomeOf(elsewhere)]).toEqual([other.id, '400 invalid_cursor']);
    expect(outcomeOf(await get({ cursor }, stranger))).toBe('400 invalid_cursor');
    const letters = String(cursor);
    const altered = [0, 10, 25, letters.length - 1].map(
      (i) => letters.slice(0, i) + (letters[i] === 'A' ? 'B' : 'A') + letters.slice(i + 1),
    );
    for (const text of [
      ...altered,
      letters.slice(1),
      `${letters}A`,
      `${letters}=`,
      letters.slice(0, 20),
      'x',
      '',
      ' ',
    ])
      expect([text, outcomeOf(await get({ cursor: text }))]).toEqual([text, '400 invalid_cursor']);
  });

  it('accepts a limit from 1 to its maximum', async () => {
    for (const limit of [0, -1, most + 1, 1.5, 'x', '', '1e1']) {
      expect([limit, outcomeOf(await get({ limit }))]).toEqual([limit, '422 validation_failed']);
    }
    for (const limit of [1, most]) expect((await get({ limit })).statusCode).toBe(200);
  });
});

describe('a list in memory', () => {
  it('asks to start again when the row of the cursor is gone', async () => {
    const permissions = ['account:profile:read', 'account:members:read', 'account:limits:read'];
    const { id, key } = await createKey(app.services.db, full.account, { permissions });
    const get = (query: Query) =>
      app.call({ url: urlOf(lists.find((list) => list.id === 'listMyApis')!, {}, query), key });
    const first = (await get({ allowed: true, limit: 1 })).json<Page>();
    expect(first.data[0]).toMatchObject({ operation_id: 'getAccountProfile' });
    await app.services.db
      .updateTable('api_keys')
      .set({ permissions: permissions.slice(1) })
      .where('id', '=', id)
      .execute();
    await expect
      .poll(async () => outcomeOf(await get({ allowed: true, limit: 1, cursor: first.next_cursor })))
      .toBe('400 invalid_cursor');
  });
});
