/** Tests metering with a real database: from inventory changes to spans, readings and costs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../kernel/ids.ts';
import { divide, micro } from '../../kernel/micro.ts';
import { parseLabelSelector } from '../../kernel/pages/label-selector.ts';
import { forgetWhatExpired } from '../../kernel/retention/store.ts';
import { forgetResource, noteResource } from '../../resources/inventory/store.ts';
import { type Db, openDatabase, openPool } from '../../store/database.ts';
import { createAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import type { Tariff } from '../prices/tariff.ts';
import { repriceSpans } from './price-changes.ts';
import { addReading } from './readings/add-reading.ts';
import { forecast, spentBetween } from './spent.ts';

let t: TestApp;
let db: Db;
let tariff: Tariff;

beforeAll(async () => {
  t = await createTestApp();
  db = t.services.db;
  tariff = t.services.tariff;
});
afterAll(() => t.close());

const at = (text: string): Date => new Date(`2027-${text}${text.length > 5 ? '' : 'T00:00:00'}Z`);
const march = { from: at('03-01'), to: at('04-01') };

interface Thing {
  readonly id: string;
  readonly accountId: string;
  note(when: Date, changes?: Changes, prices?: Tariff): Promise<unknown>;
  forget(when: Date): Promise<void>;
  spans(): Promise<{ from: string; to: string | null; labels: object; monthly: string[] }[]>;
  spent(until?: Date): Promise<bigint>;
}

interface Changes {
  readonly type?: string;
  readonly labels?: Record<string, string>;
  readonly size_gb?: number;
  readonly configuration?: Record<string, unknown> | null;
  readonly apiKeyId?: string;
  readonly name?: string;
  readonly isStopped?: boolean;
}

/** By default a volume of 100 GB, which costs 4.40 a month in fra1. */
async function thing(accountId?: string): Promise<Thing> {
  const owner = accountId ?? (await createAccount(db)).id;
  const id = newId('request').replace(/^req/, 'vol');
  return {
    id,
    accountId: owner,
    note(when, changes = {}, prices = tariff) {
      const {
        type = 'volume',
        labels = {},
        size_gb = 100,
        apiKeyId,
        name = 'v',
        isStopped = false,
      } = changes;
      const base = { id, account_id: owner, family: 'flexible-vps', type, name, labels, status: 'ready' };
      const note = {
        ...base,
        location: 'fra1',
        parent_id: null,
        api_key_id: apiKeyId ?? null,
        is_stopped: isStopped,
      };
      const { configuration = { location: 'fra1', size_gb } } = changes;
      return db.transaction().execute(async (tx) => {
        if (configuration === null) await noteResource(tx, { ...note, configuration }, { at: when });
        else await noteResource(tx, { ...note, configuration }, { at: when, tariff: prices });
      });
    },
    forget: (when) => db.transaction().execute((tx) => forgetResource(tx, id, { at: when })),
    async spans() {
      const rows = await db
        .selectFrom('meter_spans')
        .selectAll()
        .where('resource_id', '=', id)
        .orderBy('started_at')
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        from: row.started_at.toISOString().slice(5, 16),
        to: row.ended_at?.toISOString().slice(5, 16) ?? null,
        labels: row.labels,
        monthly: row.lines.map(({ monthly }) => monthly),
      }));
    },
    spent: (until = at('04-01')) => spentBetween(db, owner, march, {}, until),
  };
}

/**
 * The price list with another volume price, valid from that day; without a day, as if it had always been valid.
 */
function dearer(unitPrice: string, from?: Date): Tariff {
  const prices = tariff.catalogue.prices.flatMap((entry) => {
    if (entry.sku !== 'volume.standard') return [entry];
    const next = { ...entry, prices: entry.prices.map((row) => ({ ...row, unit_price: Number(unitPrice) })) };
    return from === undefined ? [next] : [entry, { ...next, valid_from: from.toISOString() }];
  });
  return { ...tariff, catalogue: { ...tariff.catalogue, prices } };
}

const ignore = () => undefined;

describe('the meter', () => {
  it('runs from the creation of a resource to its deletion', async () => {
    const volume = await thing();
    await volume.note(at('03-01'));
    await volume.forget(at('03-16T12:00:00'));
    expect(await volume.spent()).toBe(micro('2.2'));
    expect(await volume.spent(at('03-08T18:00:00'))).toBe(micro('1.1'));
  });

  it('splits a span when labels or the configuration change, and not otherwise', async () => {
    const volume = await thing();
    await volume.note(at('03-01'));
    await volume.note(at('03-02'), { name: 'renamed' });
    await volume.note(at('03-03'), { labels: { env: 'prod' } });
    await volume.note(at('03-04'), { labels: { env: 'prod' }, size_gb: 200 });
    await volume.note(at('03-05'), { labels: { env: 'prod' }, size_gb: 200 });
    expect(await volume.spans()).toEqual([
      { from: '03-01T00:00', to: '03-03T00:00', labels: {}, monthly: ['4400000'] },
      { from: '03-03T00:00', to: '03-04T00:00', labels: { env: 'prod' }, monthly: ['4400000'] },
      { from: '03-04T00:00', to: null, labels: { env: 'prod' }, monthly: ['8800000'] },
    ]);
  });

  it('can change labels without a price list', async () => {
    const volume = await thing();
    await volume.note(at('03-01'));
    const note = { id: volume.id, account_id: volume.accountId, family: 'flexible-vps', type: 'volume' };
    const labels = { env: 'test' };
    await noteResource(
      db,
      { ...note, name: 'v', status: 'busy', location: 'fra1', labels },
      { at: at('03-11') },
    );
    expect((await volume.spans()).map((span) => span.labels)).toEqual([{}, labels]);
    expect(await volume.spent()).toBe(micro('4.4'));
  });

  it('pauses while a resource is free, and continues afterwards', async () => {
    const volume = await thing();
    await volume.note(at('03-01'), { configuration: null });
    await volume.note(at('03-11'));
    await volume.note(at('03-16'), { configuration: null });
    await volume.note(at('03-27'));
    expect((await volume.spans()).map(({ from, to }) => [from, to])).toEqual([
      ['03-11T00:00', '03-16T00:00'],
      ['03-27T00:00', null],
    ]);
  });

  it('continues with a configuration that can no longer be ordered, and charges one-time prices once', async () => {
    const vm = await thing();
    const grown = { location: 'fra1', plan: 'flex-1-2', disk_gb: 20 };
    await vm.note(at('03-01'), { type: 'vm', configuration: { ...grown, plan: 'flex-1-1' } });
    await vm.note(at('03-02'), { type: 'vm', configuration: grown });
    await vm.note(at('03-03'), { type: 'vm', configuration: null });
    await vm.note(at('03-04'), { type: 'vm', configuration: grown });
    const [, was, is] = await vm.spans();
    expect([is?.from, is?.monthly]).toEqual(['03-04T00:00', was?.monthly]);
    const server = await thing();
    const metal = { product_id: 'metal-8-64', site_preferences: ['fra1'] };
    for (const configuration of [metal, null, metal])
      await server.note(at('03-01'), { type: 'dedicated_server', configuration });
    expect(await server.spent(at('03-01T00:00:00.001'))).toBe(micro('49'));
  });

  it('counts only the reserved parts of a stopped machine', async () => {
    const vm = await thing();
    const configuration = { location: 'fra1', plan: 'flex-2-4' };
    await vm.note(at('03-01'), { type: 'vm', configuration });
    await vm.note(at('03-02'), { type: 'vm', configuration, isStopped: true });
    await vm.note(at('03-31'), { type: 'vm', configuration });
    // Two days of the plan, and the address for the whole month.
    expect(await vm.spent()).toBe(micro('0.011') * 48n + micro('0.5'));
  });

  it('charges one-time prices exactly once', async () => {
    const server = await thing();
    const metal = { product_id: 'metal-8-64', site_preferences: ['fra1'] };
    const make = { type: 'dedicated_server', configuration: metal };
    await server.note(at('03-01'), make);
    expect(await server.spent(at('03-01T00:00:00.001'))).toBe(micro('49'));
    await server.note(at('03-05'), { ...make, labels: { a: '1' } });
    await server.note(at('03-06'), { ...make, labels: { a: '2' } });
    await server.note(at('03-07'), { ...make, configuration: { ...metal, extra_ipv4: 0 } });
    await repriceSpans(db, tariff, at('03-08'), ignore);
    expect(await server.spent()).toBe(micro('49') + micro('79'));
  });

  it('refuses an unknown resource type, and keeps the price of a SKU that was removed', async () => {
    const volume = await thing();
    await expect(volume.note(at('03-01'), { type: 'castle' })).rejects.toThrow('cannot be priced');
    await volume.note(at('03-01'));
    const { catalogue } = tariff;
    const left = catalogue.prices.filter(({ sku }) => sku !== 'volume.standard');
    const gone = { ...tariff, catalogue: { ...catalogue, prices: left } };
    await volume.note(at('03-02'), { labels: { a: 'b' } }, gone);
    const kept: string[] = [];
    await repriceSpans(db, gone, at('03-03'), ({ resourceId }) => {
      if (resourceId === volume.id) kept.push(resourceId);
    });
    expect([kept.length, await volume.spent()]).toEqual([1, micro('4.4')]);
  });
});

describe('a new price', () => {
  const noon = at('03-16T12:00:00');
  const both = micro('2.2') + micro('4.4');

  it('applies from its start, however late it is noticed, and is processed once', async () => {
    const volume = await thing();
    await volume.note(at('03-01'));
    const prices = dearer('0.088', noon);
    await repriceSpans(db, prices, at('03-10'), ignore);
    expect(await volume.spans()).toHaveLength(1);
    await Promise.all([1, 2, 3].map(() => repriceSpans(db, prices, at('03-25'), ignore)));
    await repriceSpans(db, prices, at('03-26'), ignore);
    expect(await volume.spans()).toEqual([
      { from: '03-01T00:00', to: '03-16T12:00', labels: {}, monthly: ['4400000'] },
      { from: '03-16T12:00', to: null, labels: {}, monthly: ['8800000'] },
    ]);
    expect(await volume.spent()).toBe(both);
    const row = await db.selectFrom('resources').selectAll().where('id', '=', volume.id).executeTakeFirst();
    expect(row?.price_monthly_micros).toBe(8_800_000);
  });

  it('without a start applies from when it is noticed', async () => {
    const volume = await thing();
    await volume.note(at('03-01'));
    await repriceSpans(db, dearer('0.088'), noon, ignore);
    await repriceSpans(db, dearer('0.088'), at('03-20'), ignore);
    expect(await volume.spent()).toBe(both);
    expect(await volume.spans()).toHaveLength(2);
    await repriceSpans(db, tariff, at('04-02'), ignore);
  });

  it('applies to spans that were relabelled or ended before it was noticed', async () => {
    const volume = await thing();
    const prices = dearer('0.088', noon);
    await volume.note(at('03-01'));
    const note = { id: volume.id, account_id: volume.accountId, family: 'flexible-vps', type: 'volume' };
    const labels = { env: 'test' };
    await noteResource(
      db,
      { ...note, name: 'v', status: 'ready', location: 'fra1', labels },
      { at: at('03-20') },
    );
    await volume.forget(at('03-31T12:00:00'));
    await Promise.all([1, 2].map(() => repriceSpans(db, prices, at('04-01'), ignore)));
    await repriceSpans(db, prices, at('04-02'), ignore);
    expect(await volume.spent()).toBe(micro('2.2') + divide(micro('8.8') * 15n, 31n));
    expect((await volume.spans()).filter(({ from, to }) => from !== to)).toHaveLength(3);
  });

  it('can apply at the same moment as another change', async () => {
    const volume = await thing();
    await volume.note(at('03-01'));
    const prices = dearer('0.088', noon);
    await Promise.all([
      repriceSpans(db, prices, at('03-20'), ignore),
      volume.note(at('03-20'), { labels: { a: 'b' } }, prices),
    ]);
    await repriceSpans(db, prices, at('03-21'), ignore);
    expect(await volume.spent()).toBe(both);
  });
});

describe('spentBetween and forecast', () => {
  it('count what the scope covers, with one cap across labels', async () => {
    const volume = await thing();
    const { accountId } = volume;
    await volume.note(at('03-01'), { apiKeyId: 'key_a', labels: { env: 'prod' } });
    await volume.note(at('03-16T12:00:00'), { apiKeyId: 'key_b', labels: { env: 'test' } });
    const spent = (scope: Parameters<typeof spentBetween>[3]) =>
      spentBetween(db, accountId, march, scope, at('04-01'));
    expect(await spent({})).toBe(micro('4.4'));
    expect(await spent({ selector: parseLabelSelector('env=prod') })).toBe(micro('2.2'));
    expect(await spent({ selector: parseLabelSelector('!env') })).toBe(0n);
    // A key that changes the resource later is not its creator.
    expect([await spent({ apiKeyIds: ['key_a'] }), await spent({ apiKeyIds: ['key_b'] })]).toEqual([
      micro('4.4'),
      0n,
    ]);
    expect([await spent({ families: ['flexible-vps'] }), await spent({ families: ['storage'] })]).toEqual([
      micro('4.4'),
      0n,
    ]);
  });

  it('forecast what runs until the end of the period', async () => {
    const volume = await thing();
    const { accountId } = volume;
    await volume.note(at('03-01'));
    const confidence = async (now: Date) => (await forecast(db, accountId, march, {}, now)).confidence;
    const early = await forecast(db, accountId, march, {}, at('03-02'));
    expect([early.total, early.confidence]).toEqual([micro('4.4'), 'low']);
    expect(await confidence(at('03-10T00:00:00.001'))).toBe('medium');
    expect(await confidence(at('03-20'))).toBe('high');
    await volume.note(at('03-19'), { size_gb: 1000 });
    expect(await confidence(at('03-20'))).toBe('low');
    expect(await confidence(at('04-02'))).toBe('high');
  });

  it('need nothing in memory: another process returns the same', async () => {
    const volume = await thing();
    await volume.note(at('03-01'));
    const other = openDatabase(openPool(t.database.connection));
    expect(await spentBetween(other, volume.accountId, march, {}, at('03-10'))).toBe(
      await volume.spent(at('03-10')),
    );
    await other.destroy();
  });
});

describe('readings of metered use', () => {
  it('are totals of the month: repeating them adds nothing, and the included amount is free', async () => {
    const volume = await thing();
    await volume.note(at('03-01'), { configuration: { location: 'fra1', size_gb: 10 } });
    const read = (when: Date, gb: number) =>
      db.transaction().execute((tx) =>
        addReading(tx, tariff.catalogue, {
          resourceId: volume.id,
          sku: 'traffic.out',
          quantity: micro(gb),
          included: micro(100),
          at: when,
        }),
      );
    const metered = async (until: Date) => (await volume.spent(until)) - (await fixedUntil(volume, until));
    await read(at('03-02'), 90);
    await Promise.all([1, 2, 3, 4].map(() => read(at('03-03'), 1100)));
    await read(at('03-03T00:00:01'), 1100);
    expect(await metered(at('03-03'))).toBe(0n);
    expect(await metered(at('03-04'))).toBe(micro('1'));
    await read(at('03-05'), 3100);
    await volume.forget(at('03-06'));
    await read(at('03-06T01:00:00'), 4100);
    expect(await metered(at('04-01'))).toBe(micro('4'));
    await read(at('04-01'), 90);
    expect(await metered(at('04-01'))).toBe(micro('4'));
  });
});

it('spans are kept as long as usage can be queried, and a month longer', async () => {
  const day = 86_400_000;
  const ago = (days: number) => new Date(Date.now() - days * day);
  const volume = await thing();
  for (const days of [500, 436.5, 434]) {
    await volume.note(ago(days));
    await volume.forget(ago(days - 1));
  }
  await volume.note(ago(500));
  await forgetWhatExpired(db);
  expect((await volume.spans()).map(({ to }) => to === null)).toEqual([true, false]);
});

async function fixedUntil(volume: Thing, until: Date): Promise<bigint> {
  const [span] = await volume.spans();
  const end = Math.min(until.getTime(), span?.to == null ? until.getTime() : Date.parse(`2027-${span.to}Z`));
  return divide(micro('0.44') * BigInt(end - march.from.getTime()), BigInt(31 * 86_400_000));
}
