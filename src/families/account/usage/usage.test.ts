import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spentBetween } from '../../../money/metering/spent.ts';
import { formatMoney } from '../../../money/prices/format.ts';
import { createAccount, createKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';

let t: TestApp;
let key: string;

beforeAll(async () => {
  t = await createTestApp();
  key = (await createKey(t.services.db, await createAccount(t.services.db))).key;
});
afterAll(() => t.close());

const usage = (query = '') => t.call({ url: `/account/v1/usage${query}`, key });

describe('getUsage', () => {
  it('200: shows the current UTC month by default, marked as not an invoice', async () => {
    const { period, is_invoice, accrued } = (await usage()).json();
    const from = new Date(period.from);
    expect([from.getUTCDate(), from.getUTCHours(), new Date(period.to).getUTCDate()]).toEqual([1, 0, 1]);
    expect([period.is_billing_period, is_invoice, accrued.total]).toEqual([true, false, '0.00']);
  });

  it.each([
    ['?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', 'query/to', 'out_of_range'],
    ['?from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'query/to', 'out_of_range'],
    ['?group_by=label', 'query/label_key', 'required'],
    ['?label_key=env', 'query/label_key', 'incompatible'],
    ['?group_by=day&by_day=true', 'query/by_day', 'incompatible'],
    ['?from=2026-02-30T00:00:00Z', 'query/from', 'invalid_format'],
  ])('422: %s', async (query, pointer, code) => {
    const response = await usage(query);
    expect([response.statusCode, response.json().errors]).toEqual([
      422,
      [expect.objectContaining({ pointer, code })],
    ]);
  });

  it('200: a custom period is not a billing period', async () => {
    const { period } = (await usage('?from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z')).json();
    expect(period).toEqual({
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-03-02T00:00:00.000Z',
      is_billing_period: false,
    });
  });

  it('200: groups add up to the total in every grouping', async () => {
    const home = await createAccount(t.services.db);
    const own = (await createKey(t.services.db, home)).key;
    const widgets = '/workshop/v1/widgets';
    const make = async (name: string, size: number, labels = {}) => {
      const payload = { name, size, labels };
      return (await t.call({ method: 'POST', url: widgets, key: own, payload })).json<{ id: string }>().id;
    };
    const web = await make('web', 10, { env: 'prod' });
    await make('db', 5, { env: 'test' });
    const gone = await make('gone', 1);
    await t.call({ method: 'PATCH', url: `${widgets}/${web}`, key: own, payload: { labels: {} } });
    await t.call({ method: 'DELETE', url: `${widgets}/${gone}`, key: own });
    // Move the meter spans created above five days into the past.
    await sql`
      update meter_spans set started_at = started_at - interval '5 days', ended_at = ended_at - interval '4 days'
      where account_id = ${home.id}`.execute(t.services.db);
    const from = new Date(Date.now() - 6 * 86_400_000).toISOString();
    const to = new Date(Date.now() + 86_400_000).toISOString();
    const keys: Record<string, unknown[]> = {};
    for (const by of [
      ...['family', 'type', 'resource', 'label', 'location', 'day'],
      ...['type&by_day=true', 'resource&by_day=true', 'label&by_day=true'],
    ]) {
      const label = by.startsWith('label') ? '&label_key=env' : '';
      const url = `/account/v1/usage?from=${from}&to=${to}&group_by=${by}${label}`;
      const { accrued, forecast, groups } = (await t.call({ url, key: own })).json();
      const add = (amounts: string[]): number =>
        amounts.reduce((sum, one) => sum + Math.round(Number(one) * 1e6), 0);
      const total = add([accrued.total]);
      expect([by, total > 0, add(groups.map((group: { cost: string }) => group.cost))]).toEqual([
        by,
        true,
        total,
      ]);
      expect(add([forecast.total])).toBeGreaterThan(total);
      keys[by] = groups.map(({ key }: { key: unknown }) => key);
      const { sku, name, unit, quantity, included, billable } = groups[0].quantities[0];
      expect([sku, name, unit, included]).toEqual(['volume.standard', 'Volume standard', 'gb_month', '0']);
      expect(quantity).toBe(billable);
    }
    expect(keys).toMatchObject({
      family: [{ family: 'workshop' }],
      type: [{ family: 'workshop', resource_type: 'widget' }],
      location: [{ location: 'fra1' }],
      label: expect.arrayContaining([
        { label_value: 'prod' },
        { label_value: 'test' },
        { label_value: null },
      ]),
    });
    expect([keys.resource?.length, (keys.day?.length ?? 0) >= 5]).toEqual([3, true]);
    const [type] = keys['type'] ?? [];
    expect(keys['type&by_day=true']).toEqual(keys.day?.map((day) => Object.assign({}, type, day)));
    const dayOf = (key: unknown): string => (key as { day: string }).day;
    for (const by of ['resource', 'label']) {
      const byDay = keys[`${by}&by_day=true`] ?? [];
      expect([...new Set(byDay.map(dayOf))].toSorted()).toEqual(keys.day?.map(dayOf));
      const withoutDay = byDay.map((key) => ({ ...(key as object), day: undefined }));
      for (const key of keys[by] ?? []) expect(withoutDay).toContainEqual(key);
    }
  });

  it('200: a dry run, the estimate, the resource and the usage have the same price', async () => {
    const home = await createAccount(t.services.db);
    const own = (await createKey(t.services.db, home)).key;
    const post = async (url: string, payload: object) =>
      (await t.call({ method: 'POST', url, key: own, payload })).json();
    const widget = { name: 'one', size: 7 };
    const { cost } = await post('/workshop/v1/widgets?dry_run=true', widget);
    const item = { resource_type: 'volume', configuration: { location: 'fra1', size_gb: 70 } };
    const { totals } = await post('/account/v1/pricing/estimate', { items: [item] });
    await post('/workshop/v1/widgets', widget);
    const [{ price }] = (await t.call({ url: '/account/v1/resources', key: own })).json().data;
    await sql`update meter_spans set started_at = '2027-05-01' where account_id = ${home.id}`.execute(
      t.services.db,
    );
    const may = { from: new Date('2027-05-01T00:00:00Z'), to: new Date('2027-06-01T00:00:00Z') };
    const metered = formatMoney(await spentBetween(t.services.db, home.id, may, {}, may.to));
    expect([cost.monthly, totals.monthly, price.monthly, metered]).toEqual(Array(4).fill('3.08'));
    expect([cost.hourly, price.hourly]).toEqual([totals.hourly, totals.hourly]);
  });

  it('200: counts nothing of other accounts', async () => {
    const stranger = (await createKey(t.services.db, await createAccount(t.services.db))).key;
    const { accrued, groups } = (await t.call({ url: '/account/v1/usage', key: stranger })).json();
    expect([accrued.total, groups]).toEqual(['0.00', []]);
  });

  it('200: a past month is a billing period with complete data', async () => {
    const answer = (await usage('?from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:00Z')).json();
    expect([answer.period.is_billing_period, answer.data_complete_until, answer.forecast.confidence]).toEqual(
      [true, '2026-03-01T00:00:00.000Z', 'high'],
    );
  });
});
