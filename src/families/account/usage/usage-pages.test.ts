/** Groups by resource and by label are as many as the resources of an account, so they are read in pages. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldMeter } from '../../../money/metering/totals/folding.ts';
import type { Db } from '../../../store/database.ts';
import { createAccount, createKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { spend } from '../../../testing/spent-money.ts';

/** More than one page has. */
const RESOURCES = 1_003;
const MONTH = 'from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z';
const at = new Date('2026-03-10T00:00:00Z');

const BATCH = 200;

let t: TestApp;
let key: string;

/**
 * Copies the first span of the account for other resources, with other labels. Their costs are parts of monthly prices
 * that end in no whole millionth, so the groups add up only if they are rounded together.
 */
async function copySpans(db: Db, accountId: string, from: number, to: number): Promise<void> {
  await sql`
    insert into meter_spans (account_id, resource_id, family, type, name, location, labels, priced_as, contract_months,
      is_stopped, configuration, lines, priced_at, started_at, ended_at)
    select account_id, resource_id || '-' || n, family, type, name, location,
      case when n % 100 = 0 then '{}' else jsonb_build_object('owner', 'o-' || n % 1000) end, priced_as,
      contract_months, is_stopped, configuration,
      jsonb_set(lines, '{0}', lines -> 0 || jsonb_build_object('pace', 'month', 'monthly', (n % 9 * 1001 + 7)::text)),
      priced_at, started_at, started_at + n * interval '1237 seconds'
    from generate_series(${from}::int, ${to}::int) n,
      (select * from meter_spans where account_id = ${accountId} order by id limit 1) first`.execute(db);
}

beforeAll(async () => {
  t = await createTestApp();
  const { db } = t.services;
  const account = await createAccount(db);
  key = (await createKey(db, account)).key;
  await spend(db, account.id, '0.003', { at, labels: { owner: 'first' } });
  for (let n = 2; n <= RESOURCES; n += BATCH)
    await copySpans(db, account.id, n, Math.min(n + BATCH - 1, RESOURCES));
});
afterAll(() => t.close());

interface Group {
  readonly key: { readonly day?: string };
  readonly cost: string;
}

interface Page {
  readonly accrued: { readonly total: string };
  readonly groups: readonly Group[];
  readonly next_cursor: string | null;
}

const read = (query: string) => t.call({ url: `/account/v1/usage?${MONTH}&${query}`, key });

async function readAll(query: string): Promise<Page[]> {
  const pages: Page[] = [];
  for (let cursor = ''; ; ) {
    const answer = await read(query + cursor);
    expect(answer.statusCode, answer.body).toBe(200);
    const page = answer.json<Page>();
    pages.push(page);
    if (page.next_cursor === null) return pages;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

const micros = (amount: string): number => Math.round(Number(amount) * 1e6);

const groupings = [
  ['group_by=resource', RESOURCES],
  // 991 values, and the resources without the label.
  ['group_by=label&label_key=owner', 992],
] as const;

describe.each(groupings)('getUsage with %s', (query, count) => {
  it.each(['before', 'after'])(
    'shows each group once on its pages, which add up to the total, %s the totals are folded',
    async (when) => {
      if (when === 'after') await foldMeter(t.services.db);
      const [whole, rest] = [await readAll(query), await readAll(`${query}&limit=400`)];
      expect(whole.map(({ groups }) => groups.length)).toEqual(
        count > 1_000 ? [1_000, count - 1_000] : [count],
      );
      expect(rest.map(({ groups }) => groups.length)).toEqual([400, 400, count - 800]);
      for (const pages of [whole, rest]) {
        const groups = pages.flatMap((page) => page.groups);
        expect(new Set(groups.map((group) => JSON.stringify(group.key))).size).toBe(count);
        const total = groups.reduce((sum, { cost }) => sum + micros(cost), 0);
        expect(pages.map(({ accrued }) => micros(accrued.total))).toEqual(pages.map(() => total));
        expect(total).toBeGreaterThan(0);
      }
      expect(rest.flatMap(({ groups }) => groups)).toEqual(whole.flatMap(({ groups }) => groups));
    },
  );

  it('has all days of a group on one page, and all groups once on its pages', async () => {
    const byDay = `${query}&by_day=true`;
    const pages = await readAll(byDay);
    const groups = pages.flatMap((page) => page.groups);
    const total = groups.reduce((sum, { cost }) => sum + micros(cost), 0);
    expect(pages.map(({ accrued }) => micros(accrued.total))).toEqual(pages.map(() => total));
    const without = ({ key: { day, ...rest } }: Group): string => JSON.stringify(rest);
    const onPages = pages.map((page) => [...new Set(page.groups.map(without))]);
    expect(onPages.map((names) => names.length).slice(0, -1)).toEqual(onPages.slice(1).map(() => 32));
    expect(new Set(onPages.flat()).size).toBe(onPages.flat().length);
    expect(onPages.flat().length).toBe(count);
    expect(new Set(groups.map(({ key }) => key.day)).size).toBeGreaterThan(5);
    const { next_cursor } = (await read(`${byDay}&limit=1`)).json<Page>();
    const cursor = `cursor=${encodeURIComponent(next_cursor ?? '')}`;
    expect((await read(`${query}&${cursor}`)).json()).toMatchObject({ code: 'invalid_cursor' });
  });

  it('400: a cursor of another grouping or period is refused', async () => {
    const { next_cursor } = (await read(`${query}&limit=10`)).json<Page>();
    const cursor = `cursor=${encodeURIComponent(next_cursor ?? '')}`;
    const [[first], [second]] = groupings;
    const other = query === first ? second : first;
    expect((await read(`${query}&${cursor}`)).statusCode).toBe(200);
    expect((await read(`${other}&${cursor}`)).json()).toMatchObject({ code: 'invalid_cursor' });
    const shifted = `/account/v1/usage?from=2026-02-01T00:00:00Z&${query}&${cursor}`;
    expect((await t.call({ url: shifted, key })).json()).toMatchObject({ code: 'invalid_cursor' });
  });
});
