/** The sums of the meter after an upgrade: those of the spans and readings that former versions wrote. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type Micro, ONE } from '../../../kernel/micro.ts';
import { loadsOf } from '../../../money/budgets/figures.ts';
import { monthAt } from '../../../money/metering/calendar.ts';
import { addToDay } from '../../../money/metering/readings/store.ts';
import type { Reading, Span } from '../../../money/metering/span.ts';
import { spentBetween } from '../../../money/metering/spent.ts';
import { addSpan, endSpan } from '../../../money/metering/store.ts';
import { examineTotals } from '../../../money/metering/totals/examination.ts';
import { foldMeter } from '../../../money/metering/totals/folding.ts';
import { createAccount, createKey, type TestAccount } from '../../../testing/accounts.ts';
import { FIRST, LAST, ledger } from '../../../testing/ledgers.ts';
import { databaseAt, dropOlderDatabases } from '../../../testing/older-database.ts';
import type { Db } from '../../database.ts';
import { migrate } from '../migrate.ts';

dropOlderDatabases();

const RANDOM = { numRuns: 10, seed: 40 };
const MONTHS = ['2023-11', '2023-12', '2024-01', '2024-02', '2024-03', '2024-04'];

interface Written {
  readonly spans: readonly Span[];
  readonly readings: readonly Reading[];
}

/** A machine that reaches its monthly price after 100 hours of each month, and pays for its traffic. */
function cappedMachine(apiKeyId: string): Written {
  const hourly = { sku: 'capped', unit: 'hour', pace: 'hour', hourly: ONE * 10_000n, monthly: ONE } as const;
  const origin = { resourceId: 'capped', family: 'flexible-vps', type: 'vm', location: 'fra1', apiKeyId };
  const lines = [{ ...hourly, quantity: ONE, billable: ONE }];
  const moved = Date.parse('2024-01-20T10:00:00Z');
  const of = { ...origin, labels: { env: 'prod' } };
  const reading = (time: string, cost: Micro): Reading => {
    const amounts = { quantity: 3n * ONE, billable: 2n * ONE, cost };
    return { ...of, sku: 'traffic', unit: 'gb', readAt: Date.parse(time), ...amounts };
  };
  return {
    spans: [
      { ...of, lines, startedAt: FIRST, endedAt: moved },
      { ...of, labels: {}, lines, startedAt: moved, endedAt: null },
    ],
    readings: [
      reading('2023-12-01T00:00:00Z', 120_000n),
      reading('2024-01-31T23:59:59Z', 7_000n),
      reading('2024-02-01T08:00:00Z', 450_000n),
    ],
  };
}

async function write(db: Db, account: TestAccount, { spans, readings }: Written): Promise<void> {
  const accountId = account.id;
  const nameOf = (id: string): string => `${accountId}-${id}`;
  for (const { startedAt, endedAt, ...span } of spans) {
    const made = { name: 'r', pricedAs: span.type, configuration: {}, startedAt: new Date(startedAt) };
    const { id } = await addSpan(db, { ...span, ...made, accountId, resourceId: nameOf(span.resourceId) });
    if (endedAt !== null) await endSpan(db, id, new Date(endedAt));
  }
  for (const { resourceId, apiKeyId, sku, unit, readAt, quantity, billable, cost, ...of } of readings) {
    const origin = { ...of, account_id: accountId, resource_id: nameOf(resourceId), api_key_id: apiKeyId };
    const at = new Date(readAt);
    const day = at.toISOString().slice(0, 10);
    await addToDay(db, origin, { sku, day, unit, readAt: at, quantity, billable, cost });
  }
}

const SCOPES = {
  all: { families: null, label_selector: null, api_key_ids: null },
  labelled: { families: null, label_selector: 'env=prod', api_key_ids: null },
};

async function addBudgets(db: Db, accountId: string, keyId: string): Promise<void> {
  const scopes = { ...SCOPES, of_key: { ...SCOPES.labelled, api_key_ids: [keyId] } };
  for (const [name, scope] of Object.entries(scopes))
    await sql`
      insert into budgets (id, account_id, name, amount, currency, scope, thresholds, action, period)
      values (${`${accountId}-${name}`}, ${accountId}, ${name}, 1, 'EUR', ${JSON.stringify(scope)}::jsonb, '[]',
        'notify', '2024-01')`.execute(db);
}

/** An account with a key that was rolled, budgets, and what its resources have cost. */
async function history(
  db: Db,
  of: Written,
  hasLineages: boolean,
): Promise<{ account: TestAccount; fill: () => Promise<void> }> {
  const account = await createAccount(db);
  const [first, second] = [await createKey(db, account), await createKey(db, account)];
  await db.updateTable('api_keys').set({ replaced_by: second.id }).where('id', '=', first.id).execute();
  if (hasLineages)
    await db.updateTable('api_keys').set({ first_key_id: first.id }).where('id', '=', second.id).execute();
  await addBudgets(db, account.id, first.id);
  return {
    account,
    async fill() {
      await write(db, account, of);
      await write(db, account, cappedMachine(second.id));
    },
  };
}

/** All sums of an account, without the ids that differ between accounts. */
async function sumsOf(db: Db, { id }: TestAccount): Promise<unknown[]> {
  const { rows } = await sql`
    select replace(scope, ${id}, '') as scope, kind, month::text, period_start::text, family, type, location, sku, unit, pace,
      cap_ms, api_key_id is null as has_no_key, cost_slope::text, cost_base::text, quantity_slope::text,
      quantity_base::text, billable_slope::text, billable_base::text, due::text, committed::text
    from meter_totals where account_id = ${id} order by ${sql.raw(Array.from({ length: 20 }, (_, i) => i + 1).join())}
  `.execute(db);
  return rows;
}

/** Sums are rounded once, and parts one by one: they may differ by one millionth for each part. */
const isNear = (a: Micro, b: Micro, parts: number): boolean => (a > b ? a - b : b - a) <= BigInt(parts);

async function compareSpent(db: Db, { id }: TestAccount, of: Written): Promise<void> {
  const budgets = Object.entries(SCOPES).map(([name, scope]) => ({ id: `${id}-${name}`, scope }));
  const selector = [{ operator: 'equals', key: 'env', value: 'prod' }] as const;
  for (const month of MONTHS) {
    const { from, to } = monthAt(Date.parse(`${month}-02`));
    const now = new Date(Math.min(to - 1, LAST));
    const loads = await loadsOf(db, id, budgets, now, null);
    const period = { from: new Date(from), to: new Date(to) };
    for (const [i, scope] of [{}, { selector }].entries()) {
      const spent = await spentBetween(db, id, period, scope, now);
      const counted = loads[i]?.spent ?? -1n;
      const parts = 4 * (of.spans.length + 5);
      expect([month, i, counted, isNear(counted, spent, parts)]).toEqual([month, i, counted, true]);
    }
  }
}

it.each(['0034-fair-slots', '0038-key-lineages'])(
  'an upgrade from %s writes the sums that running code writes, and those that the spans say',
  async (last) => {
    const { db } = await databaseAt(last);
    const histories = fc.sample(ledger, RANDOM);
    const older = [];
    for (const of of histories) {
      const { account, fill } = await history(db, of, last !== '0034-fair-slots');
      await fill();
      older.push(account);
    }
    const silent = await createAccount(db);
    await migrate(db);
    expect(await examineTotals(db)).toEqual([
      { name: 'Meter totals', detail: expect.stringContaining('same') },
    ]);
    expect(await sumsOf(db, silent)).toEqual([]);
    for (const [i, of] of histories.entries()) {
      const twin = await history(db, of, true);
      await twin.fill();
      await foldMeter(db);
      const sums = await sumsOf(db, older[i]!);
      expect(sums.length).toBeGreaterThan(0);
      expect(sums).toEqual(await sumsOf(db, twin.account));
      await compareSpent(db, older[i]!, of);
    }
  },
);

it('a budget of a rolled key counts after an upgrade what its replacement has spent before', async () => {
  const { db } = await databaseAt('0034-fair-slots');
  const { account, fill } = await history(db, { spans: [], readings: [] }, false);
  await fill();
  await migrate(db);
  const { rows } = await sql<{ scope: string }>`
    select distinct scope from meter_totals where account_id = ${account.id} and sku = 'capped' and kind = 'cap'
    order by scope`.execute(db);
  expect(rows.map(({ scope }) => scope.replace(account.id, ''))).toEqual(['', '-labelled', '-of_key']);
});
