/** Backups that policies are going to make count for budgets and approvals from the call that sets them. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../../../engines/compute/sandbox/store.ts';
import { micro } from '../../../../kernel/micro.ts';
import { loadsOf } from '../../../../money/budgets/figures.ts';
import { formatMoney } from '../../../../money/prices/format.ts';
import { createKey, type TestKey } from '../../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../../testing/app.ts';
import { settle } from '../../../../testing/operations.ts';
import { planFaults } from '../../../../testing/planned-backups.ts';
import { VpsAccount } from '../../../../testing/vps.ts';
import { backupRuns } from '../../backup-runs/runs.ts';
import { backups } from '../../backups/resource.ts';
import type { Backup } from '../../backups/schema.ts';
import { BYTES_PER_GB } from '../../gigabytes.ts';
import type { Vm } from '../../vms/schema.ts';
import type { BackupPolicy } from '../schema.ts';

let app: TestApp;
let mine: VpsAccount;
/** Reads and writes as the preset `ai-agent` does, and does not set budgets. */
let agent: TestKey;
let vm: Vm;

beforeAll(async () => {
  app = await createTestApp();
});
beforeEach(async () => {
  mine = await VpsAccount.open(app);
  agent = await createKey(app.services.db, mine.account, {
    permissions: ['flexible-vps:*:read', 'flexible-vps:*:write', 'account:*:read'],
    approval: 'destructive',
  });
  vm = await mine.vm();
});
afterEach(async () => {
  await clearFaults(app.services.db);
  expect(await planFaults(app.services.db, mine.account.id)).toEqual([]);
});
afterAll(() => app.close());

const refused = { kind: 'fail', code: 'engine_failed', detail: 'Told to.' } as const;
const DISK_GB = 80;
const EVERY_FOUR_HOURS = { frequency: 'every_n_hours', every_hours: 4, hour: 0 };

const as = (key: string, method: 'POST' | 'PATCH', path: string, payload: object) =>
  app.call({ method, url: `/flexible-vps/v1/${path}`, payload, key });

async function newPolicy(members: object = {}, key = mine.key): Promise<BackupPolicy> {
  const answer = await as(key, 'POST', 'backup-policies', {
    name: `p-${Math.random().toString(36).slice(2, 10)}`,
    schedule: EVERY_FOUR_HOURS,
    retention: { keep_last: 3 },
    ...members,
  });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<BackupPolicy>();
}

const give = (policy: { id: string } | null, key = mine.key, query = '') =>
  as(key, 'PATCH', `vms/${vm.id}${query}`, { backup_policy_id: policy?.id ?? null });
const readPolicy = async (id: string) =>
  (await mine.send('GET', `backup-policies/${id}`)).json<BackupPolicy>();
const backupsOf = async (policyId: string) =>
  (await mine.send('GET', `backups?policy_id=${policyId}`)).json<{ data: Backup[] }>().data;

async function setBudget(amount: string, scope?: object): Promise<void> {
  const payload = {
    amount,
    thresholds: [{ percent: 100 }],
    action: 'block_new_cost',
    ...(scope && { scope }),
  };
  const url = '/account/v1/budgets/tight';
  const answer = await app.call({ method: 'PUT', url, payload, key: mine.key });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
}
const ofAgent = () => ({ api_key_ids: [agent.id] });

/** What a backup of the whole disk costs in a month. */
async function most(): Promise<bigint> {
  const answer = await mine.send('POST', 'backups?dry_run=true', { vm_id: vm.id });
  return micro(answer.json<{ cost: { monthly: string } }>().cost.monthly);
}

async function committed(keys: string[] | null = null): Promise<bigint> {
  const scope = { families: null, label_selector: null, api_key_ids: keys };
  const { db, tariff } = app.services;
  const [load] = await loadsOf(db, mine.account.id, [{ id: '', scope }], new Date(), tariff);
  return load!.committed;
}

/** The next window of the policy begins now, and its backups are started. */
async function begin(policyId: string): Promise<void> {
  await sql`
    update backup_policies set next_run_at = now(), set_back_before = now() - interval '1 day'
    where id = ${policyId}`.execute(app.services.db);
  await backupRuns.run(app.services);
}
async function serve(policyId: string): Promise<void> {
  await begin(policyId);
  await settle(app);
}

interface Skipped {
  readonly message: string;
  readonly resource: { readonly id: string };
  readonly data: Readonly<Record<string, unknown>>;
}
const skips = async () =>
  (await app.call({ url: '/account/v1/events?types=backup.skipped', key: mine.key })).json<{
    data: Skipped[];
  }>().data;

describe('a call that causes backups in the future', () => {
  it('is refused if the budget of its key cannot cover them, and no backup is made', async () => {
    await setBudget('0.01', ofAgent());
    const policy = await newPolicy({}, agent.key);
    for (const query of ['?dry_run=true', '']) {
      const refused = await give(policy, agent.key, query);
      expect(refused.json()).toMatchObject({
        code: 'budget_exceeded',
        amount: '0.01',
        requested: formatMoney(3n * (await most())),
      });
    }
    await serve(policy.id);
    expect(await backupsOf(policy.id)).toEqual([]);
  });

  it('is refused for a new machine with the policy as well', async () => {
    const policy = await newPolicy();
    const body = { location: 'fra1', plan: 'flex-2-4', source: { type: 'image', image_id: 'ubuntu-24.04' } };
    const create = (more: object, query = '') =>
      as(agent.key, 'POST', `vms${query}`, { name: 'm', ...body, ...more });
    const { cost } = (await create({}, '?dry_run=true')).json<{ cost: { monthly: string } }>();
    await setBudget(cost.monthly, ofAgent());
    expect((await create({}, '?dry_run=true')).statusCode).toBe(200);
    expect((await create({ backup_policy_id: policy.id })).json()).toMatchObject({
      code: 'budget_exceeded',
      requested: formatMoney(micro(cost.monthly) + 3n * (await most())),
    });
  });

  it('lists the future costs in its dry run', async () => {
    const policy = await newPolicy();
    const price = formatMoney(3n * (await most()));
    expect((await give(policy, mine.key, '?dry_run=true')).json()).toMatchObject({
      cost: {
        monthly: price,
        lines: [{ description: expect.stringMatching(/^At most, for backups/), monthly: price }],
      },
      warnings: [{ code: 'cost_arises_later', detail: expect.stringContaining(price) }],
    });
  });

  it('needs approval if the key may not add so much cost', async () => {
    const frugal = await createKey(app.services.db, mine.account, { approval_over_monthly: '0.01' });
    const policy = await newPolicy({}, frugal.key);
    expect((await give(policy, frugal.key)).json()).toMatchObject({ code: 'approval_required' });
    expect((await give(policy, mine.key)).statusCode).toBe(200);
    const raised = await as(frugal.key, 'PATCH', `backup-policies/${policy.id}`, {
      retention: { keep_last: 4 },
    });
    expect(raised.json()).toMatchObject({ code: 'approval_required' });
    const lowered = await as(frugal.key, 'PATCH', `backup-policies/${policy.id}`, {
      retention: { keep_last: 2 },
    });
    expect(lowered.statusCode).toBe(200);
  });

  it.each([
    ['a higher retention', { retention: { keep_last: 60 } }],
    ['enabling it', { enabled: true }],
    ['a schedule with more windows', { schedule: { frequency: 'daily' } }],
  ])('is refused for %s of a policy that machines use', async (_, change) => {
    const monthly = { frequency: 'monthly', day_of_month: 1, hour: 0 };
    const isOff = 'enabled' in change;
    const schedule = 'schedule' in change ? monthly : EVERY_FOUR_HOURS;
    const policy = await newPolicy({ schedule, enabled: !isOff });
    expect((await give(policy)).statusCode).toBe(200);
    await setBudget('0.01', ofAgent());
    const refused = await as(agent.key, 'PATCH', `backup-policies/${policy.id}`, change);
    expect(refused.json()).toMatchObject({ code: 'budget_exceeded' });
  });

  it('is refused for a larger disk, and counts backups of the new disk size', async () => {
    const policy = await newPolicy();
    await give(policy);
    const before = await committed();
    const price = await most();
    await setBudget('0.01', ofAgent());
    const grow = { plan: 'flex-2-4', disk_gb: 2 * DISK_GB };
    expect((await as(agent.key, 'PATCH', `vms/${vm.id}`, grow)).json()).toMatchObject({
      code: 'budget_exceeded',
    });
    await mine.do('PATCH', `vms/${vm.id}`, grow);
    expect((await committed()) - before).toBeGreaterThanOrEqual(3n * price);
  });

  it('records who set the policy', async () => {
    const policy = await newPolicy({}, agent.key);
    expect(policy.set_by).toEqual({ kind: 'api_key', api_key_id: agent.id, member_id: mine.account.ownerId });
    const patch = (body: object) => mine.send('PATCH', `backup-policies/${policy.id}`, body);
    expect((await patch({ labels: { a: 'b' } })).json()).toMatchObject({ set_by: policy.set_by });
    const changed = (await patch({ retention: { keep_last: 9 } })).json<BackupPolicy>();
    expect(changed.set_by?.api_key_id).not.toBe(agent.id);
  });
});

describe('the committed cost', () => {
  it('is the same before and during a planned backup, and then follows the size of the backup', async () => {
    const before = await committed();
    const policy = await newPolicy();
    await give(policy, agent.key);
    const price = await most();
    expect(await committed()).toBe(before + 3n * price);
    expect(await committed([agent.id])).toBe(3n * price);
    await begin(policy.id);
    expect(await committed()).toBe(before + 3n * price);
    expect(await committed([agent.id])).toBe(3n * price);
    await settle(app);
    const real = (await committed()) - before - 2n * price;
    expect(real).toBeLessThan(price);
    expect(await committed([agent.id])).toBe(2n * price + real);
    for (let i = 0; i < 2; i++) await serve(policy.id);
    expect(await committed()).toBe(before + 3n * real);
  });

  it('no longer contains planned backups when the policy is removed, disabled or deleted, or the machine is deleted', async () => {
    const before = await committed();
    const policy = await newPolicy();
    for (const end of [
      () => give(null),
      () => mine.send('PATCH', `backup-policies/${policy.id}`, { enabled: false }),
      () => mine.send('DELETE', `backup-policies/${policy.id}?detach=true`),
    ]) {
      await mine.send('PATCH', `backup-policies/${policy.id}`, { enabled: true });
      expect((await give(policy)).statusCode).toBe(200);
      expect(await committed()).toBeGreaterThan(before);
      expect((await end()).statusCode).toBeLessThan(300);
      expect(await committed()).toBe(before);
    }
    await give(await newPolicy());
    const saved = await mine.send('DELETE', `vms/${vm.id}?dry_run=true`);
    expect(micro(saved.json<{ cost: { monthly: string } }>().cost.monthly)).toBeLessThan(
      -3n * (await most()),
    );
    await mine.do('DELETE', `vms/${vm.id}`);
    expect(
      await app.services.db
        .selectFrom('future_totals')
        .selectAll()
        .where('account_id', '=', mine.account.id)
        .execute(),
    ).toEqual([]);
  });

  it('contains a planned backup again after it failed or was deleted', async () => {
    const policy = await newPolicy();
    await give(policy);
    const planned = await committed();
    await addFault(app.services.db, { call: 'ensureImage', times: 1, effect: refused });
    await serve(policy.id);
    expect((await readPolicy(policy.id)).last_run).toMatchObject({ failed: 1 });
    expect(await committed()).toBe(planned);
    await serve(policy.id);
    const [made] = (await backupsOf(policy.id)).filter(({ status }) => status === 'available');
    await mine.do('DELETE', `backups/${made!.id}`);
    expect(await committed()).toBeGreaterThanOrEqual(planned);
  });

  it('counts for the key that raised the retention last', async () => {
    const policy = await newPolicy();
    await give(policy);
    const raise = await as(agent.key, 'PATCH', `backup-policies/${policy.id}`, {
      retention: { keep_last: 5 },
    });
    expect(raise.statusCode).toBe(200);
    expect(await committed([agent.id])).toBe(5n * (await most()));
    await mine.send('PATCH', `backup-policies/${policy.id}`, { retention: { keep_last: 2 } });
    expect(await committed([agent.id])).toBe(2n * (await most()));
  });
});

describe('a backup run that no longer fits into a budget', () => {
  it('is skipped with one event per window, and the next one is made when the budget has room', async () => {
    await setBudget('1000', ofAgent());
    const policy = await newPolicy({}, agent.key);
    expect((await give(policy, agent.key)).statusCode).toBe(200);
    await setBudget('0.01', ofAgent());
    await serve(policy.id);
    await backupRuns.run(app.services);
    expect(await backupsOf(policy.id)).toEqual([]);
    const told = await skips();
    expect(told).toMatchObject([
      {
        resource: { id: vm.id },
        message: expect.stringContaining('The budget tight is 0.01'),
        data: {
          reason: 'budget_exceeded',
          policy_id: policy.id,
          budget_id: expect.stringMatching(/^bud_/),
          api_key_id: agent.id,
          member_id: mine.account.ownerId,
        },
      },
    ]);
    expect((await readPolicy(policy.id)).last_run).toMatchObject({
      succeeded: 0,
      skipped: 0,
      over_budget: 1,
    });
    await setBudget('1000', ofAgent());
    await serve(policy.id);
    expect(await backupsOf(policy.id)).toHaveLength(1);
    expect(await skips()).toHaveLength(1);
  });

  it('is skipped even if the key was revoked: the policy and its budget stay in force', async () => {
    const policy = await newPolicy({}, agent.key);
    await give(policy, agent.key);
    await app.services.db
      .updateTable('api_keys')
      .set({ status: 'revoked' })
      .where('id', '=', agent.id)
      .execute();
    await serve(policy.id);
    expect(await backupsOf(policy.id)).toHaveLength(1);
    await setBudget('0.01', ofAgent());
    await serve(policy.id);
    expect(await backupsOf(policy.id)).toHaveLength(1);
    expect(await skips()).toHaveLength(1);
  });

  it('is made if it replaces the oldest backup of the same size', async () => {
    const policy = await newPolicy({ retention: { keep_last: 1 } });
    await give(policy, agent.key);
    await serve(policy.id);
    const [first] = await backupsOf(policy.id);
    const { db } = app.services;
    // As if the backup were as large as the disk, and the budget had room for exactly one.
    const size = DISK_GB * BYTES_PER_GB;
    await sql`update vm_backups set size_bytes = ${size} where id = ${first!.id}`.execute(db);
    await backups.change(db, first!.id, {}, { services: app.services });
    await setBudget(formatMoney(await committed([agent.id])), ofAgent());
    await serve(policy.id);
    expect(await skips()).toEqual([]);
    expect(await backupsOf(policy.id)).toHaveLength(2);
  });

  it('is skipped for one of two machines if there is room for one backup', async () => {
    const other = await mine.vm();
    const policy = await newPolicy({ retention: { keep_last: 1 } });
    await give(policy, agent.key);
    await as(agent.key, 'PATCH', `vms/${other.id}`, { backup_policy_id: policy.id });
    await setBudget(formatMoney(await most()), ofAgent());
    await sql`
      update backup_policies set next_run_at = now(), set_back_before = now() - interval '1 day'
      where id = ${policy.id}`.execute(app.services.db);
    await Promise.all([backupRuns.run(app.services), backupRuns.run(app.services)]);
    await backupRuns.run(app.services);
    expect(await skips()).toHaveLength(1);
    expect(await backupsOf(policy.id)).toHaveLength(1);
    await settle(app);
  });
});
