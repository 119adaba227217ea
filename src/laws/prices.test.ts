/**
 * A machine has the same price everywhere: before it is created (estimate, dry run), while it exists (the machine, the
 * inventory), and afterwards (usage, budgets). All use the same price function, so they agree to the cent.
 */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families, unbuiltFamilies } from '../families/index.ts';
import { HOUR_MS, type Period } from '../money/metering/calendar.ts';
import { ExpectedUsage } from '../money/prices/usage.ts';
import { createAccount, createKey, type TestAccount } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { settle } from '../testing/operations.ts';

interface Amounts {
  readonly hourly: string;
  readonly monthly: string;
}

const image = { source: { type: 'image', image_id: 'ubuntu-24.04' } };
const configurations: Readonly<Record<string, object>> = {
  'a plan': { location: 'fra1', plan: 'flex-2-4', ...image },
  'a plan with a larger disk': { location: 'fra1', plan: 'flex-2-4', disk_gb: 123, ...image },
  'a size of its own': {
    location: 'fra1',
    custom_size: { vcpus: 3, memory_mb: 5632, disk_gb: 47 },
    ...image,
  },
  'a plan without an IPv4 address': {
    location: 'fra1',
    plan: 'flex-1-1',
    public_ipv4: { mode: 'none' },
    ...image,
  },
  'a plan with a licence': {
    location: 'fra1',
    plan: 'flex-4-8',
    source: { type: 'image', image_id: 'windows-server-2025' },
  },
  'a plan elsewhere': { location: 'hel1', plan: 'flex-8-16', disk_gb: 300, ...image },
};

let app: TestApp;
let serial = 0;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());

const cents = (amount: string | number): number => Math.round(Number(amount) * 100);

/** The last complete month of 31 days, which is long enough that all hourly prices reach their monthly cap. */
function longMonth(): Period {
  const now = new Date();
  for (let back = 1; ; back++) {
    const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back));
    const to = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1));
    if (to.getTime() - from.getTime() === 31 * 24 * HOUR_MS) return { from, to };
  }
}
const month = longMonth();
const hour = (hours: number): Date => new Date(month.from.getTime() + hours * HOUR_MS);

class Customer {
  readonly account: TestAccount;
  readonly key: string;
  constructor(account: TestAccount, key: string) {
    this.account = account;
    this.key = key;
  }

  async ask<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: object): Promise<T> {
    const answer = await app.call({ method, url, key: this.key, ...(payload ? { payload } : {}) });
    if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.body}`);
    await settle(app);
    return answer.json<T>();
  }

  async estimate(item: object): Promise<Amounts & { readonly difference?: Amounts }> {
    const url = '/account/v1/pricing/estimate';
    const payload = { items: [{ resource_type: 'vm', ...item }] };
    const { totals, items } = await this.ask<{ totals: Amounts; items: { difference?: Amounts }[] }>(
      'POST',
      url,
      payload,
    );
    return { ...items[0], ...totals };
  }

  async priceOf(vmId: string, which: 'price' | 'price_running' = 'price'): Promise<Amounts> {
    return (await this.ask<Record<typeof which, Amounts>>('GET', `/flexible-vps/v1/vms/${vmId}`))[which];
  }

  async inInventory(vmId: string): Promise<Amounts | null> {
    const url = '/account/v1/resources?type=vm';
    const { data } = await this.ask<{ data: { id: string; price: Amounts | null }[] }>('GET', url);
    return data.find(({ id }) => id === vmId)?.price ?? null;
  }

  /** Moves the spans that the meter recorded so far to these times: one pair of start and end for each span. */
  async lay(...times: readonly (readonly [Date, Date | null])[]): Promise<void> {
    const { db } = app.services;
    const spans = await db
      .selectFrom('meter_spans')
      .select('id')
      .where('account_id', '=', this.account.id)
      .orderBy('id')
      .execute();
    expect(spans.length, 'spans of the meter').toBe(times.length);
    for (const [i, { id }] of spans.entries()) {
      const [from, to] = times[i] ?? [];
      await sql`update meter_spans set started_at = ${from}, ended_at = ${to} where id = ${id}`.execute(db);
    }
  }

  /** The cost of the account, which has only one machine. */
  async usage(period?: Period): Promise<string> {
    const query = period ? `?from=${period.from.toISOString()}&to=${period.to.toISOString()}` : '';
    const url = `/account/v1/usage${query}`;
    return (await this.ask<{ accrued: { total: string } }>('GET', url)).accrued.total;
  }

  async spent(): Promise<string> {
    const payload = { amount: '1000', thresholds: [{ percent: 100 }] };
    const scope = { families: ['flexible-vps'] };
    const url = '/account/v1/budgets/all';
    return (await this.ask<{ spent: string }>('PUT', url, { ...payload, scope })).spent;
  }
}

async function openAccount(): Promise<Customer> {
  const account = await createAccount(app.services.db);
  return new Customer(account, (await createKey(app.services.db, account)).key);
}

const make = async (customer: Customer, configuration: object): Promise<string> =>
  (
    await customer.ask<{ id: string }>('POST', '/flexible-vps/v1/vms', {
      ...configuration,
      name: `priced-${++serial}`,
    })
  ).id;

const none = { hourly: '0.000000', monthly: '0.00' };
const pick = ({ hourly, monthly }: Amounts): Amounts => ({ hourly, monthly });
const minus = (a: Amounts, b: Amounts): Amounts => ({
  hourly: (Number(a.hourly) - Number(b.hourly)).toFixed(6),
  monthly: (Number(a.monthly) - Number(b.monthly)).toFixed(2),
});

describe.each(Object.entries(configurations))('%s', (_, configuration) => {
  it('costs what was estimated, in the dry run, the inventory, the usage and the budget', async () => {
    const customer = await openAccount();
    const estimated = pick(await customer.estimate({ configuration }));
    expect(Number(estimated.hourly)).toBeGreaterThan(0);

    const payload = { ...configuration, name: 'dry' };
    const dry = '/flexible-vps/v1/vms?dry_run=true';
    expect(pick((await customer.ask<{ cost: Amounts }>('POST', dry, payload)).cost)).toEqual(estimated);

    const id = await make(customer, configuration);
    expect(pick(await customer.priceOf(id))).toEqual(estimated);
    expect(pick((await customer.inInventory(id)) ?? none)).toEqual(estimated);

    await customer.lay([month.from, null]);
    expect(cents(await customer.usage(month))).toBe(cents(estimated.monthly));
    const tenHours = await customer.usage({ from: month.from, to: hour(10) });
    expect(Math.abs(Number(tenHours) - 10 * Number(estimated.hourly))).toBeLessThan(0.01);

    const now = new Date();
    await customer.lay([month.from, now]);
    expect(cents(await customer.spent())).toBe(cents(await customer.usage()));
    await customer.lay([new Date(now.getTime() - 5 * HOUR_MS), now]);
    expect(cents(await customer.spent())).toBe(cents(await customer.usage()));
  });

  it('costs the estimated price of a stopped resource while stopped, and nothing after its deletion', async () => {
    const customer = await openAccount();
    const id = await make(customer, configuration);
    const running = pick(await customer.priceOf(id));
    await customer.ask('POST', `/flexible-vps/v1/vms/${id}/actions`, { type: 'power_off' });
    const stopped = await customer.estimate({ configuration, hours_per_month: 0 });
    expect(cents(stopped.monthly)).toBeLessThan(cents(running.monthly));
    const held = (await customer.inInventory(id)) ?? none;
    expect(pick(await customer.priceOf(id))).toEqual(pick(held));
    expect(pick(await customer.priceOf(id, 'price_running'))).toEqual(running);
    expect(cents(held.monthly)).toBe(cents(stopped.monthly));
    // An hourly price has a monthly cap, so 730 times the hourly price may be a little more than the monthly price.
    expect(Math.abs(730 * Number(held.hourly) - Number(held.monthly))).toBeLessThan(0.02);

    // Both spans start before the month, so the machine is stopped for the whole month.
    await customer.lay([hour(-2), hour(-1)], [hour(-1), null]);
    expect(cents(await customer.usage(month))).toBe(cents(stopped.monthly));

    await customer.ask('DELETE', `/flexible-vps/v1/vms/${id}`);
    const metered = await app.services.db
      .selectFrom('meter_spans')
      .select('id')
      .where('account_id', '=', customer.account.id)
      .where('ended_at', 'is', null)
      .execute();
    expect(metered).toEqual([]);
    expect(await customer.inInventory(id)).toBeNull();
  });

  it('costs what was estimated for a resize after it', async () => {
    const customer = await openAccount();
    const id = await make(customer, configuration);
    const before = pick(await customer.priceOf(id));
    const target = { plan: 'flex-8-16', disk_gb: 400 };
    const { custom_size: _, ...rest } = configuration as { custom_size?: object };
    const estimated = pick(await customer.estimate({ configuration: { ...rest, ...target } }));

    const url = `/flexible-vps/v1/vms/${id}/resize`;
    const { cost } = await customer.ask<{ cost: Amounts }>('POST', `${url}?dry_run=true`, target);
    expect(pick(cost)).toEqual(minus(estimated, before));
    const change = { resource_id: id, configuration: { ...rest, ...target } };
    expect((await customer.estimate({ change })).difference).toEqual(minus(estimated, before));

    await customer.ask('POST', url, target);
    expect(pick(await customer.priceOf(id))).toEqual(estimated);
    expect(pick((await customer.inInventory(id)) ?? none)).toEqual(estimated);

    await customer.lay([month.from, hour(10)], [hour(10), null]);
    const both = Number(await customer.usage({ from: month.from, to: hour(20) }));
    expect(Math.abs(both - 10 * (Number(before.hourly) + Number(estimated.hourly)))).toBeLessThan(0.01);
  });
});

it('each metered use in an estimate is charged by a resource type', () => {
  const charged = [...families, ...unbuiltFamilies].flatMap(({ pricedTypes = {} }) =>
    Object.values(pricedTypes).flatMap(({ usage }) => usage),
  );
  expect([...new Set(charged)].sort()).toEqual(Object.keys(ExpectedUsage.properties).sort());
});
