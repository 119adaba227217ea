import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { foldMeter } from '../../money/metering/totals/folding.ts';
import { createAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { runCommand, urlOf } from '../../testing/command-line.ts';
import { spend } from '../../testing/spent-money.ts';
import { VpsAccount } from '../../testing/vps.ts';
import type { Finding } from './doctor/check.ts';

let t: TestApp;

beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t.close());

const run = (...argv: readonly string[]) =>
  runCommand(argv, {
    env: { HOSTPLANE_DATABASE_URL: urlOf(t.database.connection), HOSTPLANE_PORT: '0' },
    registry: t.registry,
  });

async function finding(wanted = 'Meter totals'): Promise<Finding | undefined> {
  const { checks } = JSON.parse((await run('doctor', '--json')).out) as { checks: Finding[] };
  return checks.find(({ name }) => name === wanted);
}

const right = { name: 'Meter totals', status: 'ok', detail: 'the same as the spans of the meter' };

it('doctor names the accounts whose totals are wrong, and recount computes only those again', async () => {
  const { db } = t.services;
  const [whole, damaged] = [await createAccount(db), await createAccount(db)];
  for (const { id } of [whole, damaged]) await spend(db, id, '1.50');
  await foldMeter(db);
  expect(await finding()).toMatchObject(right);
  expect(await run('recount')).toMatchObject({ code: 0, out: 'All totals and counts were right.\n' });

  await db
    .deleteFrom('meter_totals' as never)
    .where('account_id' as never, '=', damaged.id as never)
    .execute();
  const wrong = await finding();
  expect(wrong).toMatchObject({ status: 'failed', fix: 'Run: hostplane admin recount' });
  expect(wrong?.detail).toContain(damaged.id);
  expect(wrong?.detail).not.toContain(whole.id);

  const json = await run('recount', '--json');
  expect([json.code, JSON.parse(json.out)]).toEqual([0, { recounted: [damaged.id] }]);
  expect(await finding()).toMatchObject(right);
});

it('recount prints for people what it computed again', async () => {
  const { db } = t.services;
  const { id } = await createAccount(db);
  await spend(db, id, '2.50');
  await foldMeter(db);
  await db
    .deleteFrom('meter_totals' as never)
    .where('account_id' as never, '=', id as never)
    .execute();
  expect(await run('recount')).toMatchObject({ code: 0, out: `Computed again: ${id}\n` });
  expect((await run('recount')).out).toBe('All totals and counts were right.\n');
});

it('doctor names the accounts whose counts of limits are wrong, and recount corrects them', async () => {
  const { db } = t.services;
  const mine = await VpsAccount.open(t);
  await mine.vm();
  const counts = () => finding('Counts of limits');
  expect(await counts()).toMatchObject({ status: 'ok' });
  await sql`delete from kept_counts where account_id = ${mine.account.id}`.execute(db);
  const wrong = await counts();
  expect(wrong).toMatchObject({ status: 'failed', fix: 'Run: hostplane admin recount' });
  expect(wrong?.detail).toContain(mine.account.id);
  expect(JSON.parse((await run('recount', '--json')).out)).toEqual({ recounted: [mine.account.id] });
  expect(await counts()).toMatchObject({ status: 'ok' });
});
