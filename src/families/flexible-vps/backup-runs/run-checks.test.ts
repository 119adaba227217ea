/** What a policy may do when its window begins: no more than a call of the account, and within budgets by label. */
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AccountStatus } from '../../../kernel/access/tables.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { BackupPolicy } from '../backup-policies/schema.ts';
import type { Backup } from '../backups/schema.ts';
import type { Vm } from '../vms/schema.ts';
import { backupRuns } from './runs.ts';

let app: TestApp;
let mine: VpsAccount;
let vm: Vm;
let policy: BackupPolicy;

beforeAll(async () => {
  app = await createTestApp();
});
beforeEach(async () => {
  mine = await VpsAccount.open(app);
  const made = await mine.send('POST', 'backup-policies', {
    name: 'nightly',
    schedule: { frequency: 'daily', hour: 2 },
    retention: { keep_last: 7 },
  });
  policy = made.json<BackupPolicy>();
  vm = await mine.vm({ backup_policy_id: policy.id, labels: { env: 'prod', team: 'a' } });
});
afterAll(() => app.close());

async function serve(): Promise<void> {
  await sql`
    update backup_policies set next_run_at = now(), set_back_before = now() - interval '1 day'
    where id = ${policy.id}`.execute(app.services.db);
  await backupRuns.run(app.services);
  await settle(app);
}
const backups = async () =>
  (await mine.send('GET', `backups?policy_id=${policy.id}`)).json<{ data: Backup[] }>().data;
const lastRun = async () =>
  (await mine.send('GET', `backup-policies/${policy.id}`)).json<BackupPolicy>().last_run;
const skips = async () => {
  const answer = await app.call({ url: '/account/v1/events?types=backup.skipped', key: mine.key });
  return answer.json<{ data: { message: string; data: object }[] }>().data;
};
const setStatus = (status: AccountStatus) =>
  app.services.db.updateTable('accounts').set({ status }).where('id', '=', mine.account.id).execute();
const switchProduct = (enabled: boolean) =>
  app.services.db
    .updateTable('account_products')
    .set({ enabled })
    .where('account_id', '=', mine.account.id)
    .where('family', '=', 'flexible-vps')
    .execute();

describe('a window of a policy', () => {
  it.each([
    ['suspended', () => setStatus('suspended'), 'The account is suspended.'],
    ['closing', () => setStatus('closing'), 'The account is closing.'],
    ['restricted', () => setStatus('restricted'), 'The account is restricted.'],
    ['without the product', () => switchProduct(false), 'product'],
  ])(
    'is skipped with one event for an account that is %s, and the next one is served',
    async (_, end, why) => {
      await end();
      await serve();
      await backupRuns.run(app.services);
      await setStatus('active');
      await switchProduct(true);
      expect(await backups()).toEqual([]);
      expect(await skips()).toMatchObject([
        { message: expect.stringContaining(why), data: { reason: 'not_allowed', policy_id: policy.id } },
      ]);
      expect(await lastRun()).toMatchObject({ succeeded: 0, failed: 0, skipped: 1, over_budget: 0 });
      await serve();
      expect(await backups()).toMatchObject([{ status: 'available' }]);
      expect(await skips()).toHaveLength(1);
    },
  );

  it('makes backups with the labels that their machines have then', async () => {
    await serve();
    await mine.send('PATCH', `vms/${vm.id}`, { labels: { env: 'test' } });
    await serve();
    expect((await backups()).map(({ labels }) => labels)).toEqual([
      { env: 'test', team: 'a' },
      { env: 'prod', team: 'a' },
    ]);
  });

  it('is skipped if a budget that selects the machine by its labels has no room', async () => {
    const url = '/account/v1/budgets/prod';
    const budget = { amount: '0.01', thresholds: [{ percent: 100 }], action: 'block_new_cost' };
    const declare = (label_selector: string) =>
      app.call({ method: 'PUT', url, key: mine.key, payload: { ...budget, scope: { label_selector } } });
    await declare('env=prod');
    await serve();
    expect(await backups()).toEqual([]);
    expect(await skips()).toMatchObject([{ data: { reason: 'budget_exceeded' } }]);
    await declare('env=test');
    await serve();
    expect(await backups()).toHaveLength(1);
  });
});
