import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import { backupRuns } from '../backup-runs/runs.ts';
import { backupExpiry } from '../backups/schedule.ts';
import type { Backup } from '../backups/schema.ts';
import type { Vm } from '../vms/schema.ts';
import type { BackupPolicy } from './schema.ts';

let app: TestApp;
let mine: VpsAccount;
let policy: BackupPolicy;
let vm: Vm;

/** As many as a test has at once, so that another one is too many. */
const MOST = 4;

beforeAll(async () => {
  app = await createTestApp({
    provider: (config) => ({
      ...config,
      catalogue: {
        ...config.catalogue,
        limits: config.catalogue.limits.map((limit) =>
          limit.id === 'flexible-vps.backups' ? { ...limit, limit: MOST } : limit,
        ),
      },
    }),
  });
});
beforeEach(async () => {
  mine = await VpsAccount.open(app);
  policy = await newPolicy({});
  vm = await mine.vm({ backup_policy_id: policy.id });
});
afterEach(() => clearFaults(app.services.db));
afterAll(() => app.close());

async function newPolicy(members: object): Promise<BackupPolicy> {
  const answer = await mine.send('POST', 'backup-policies', {
    name: `p-${Math.random().toString(36).slice(2, 10)}`,
    schedule: { frequency: 'daily', hour: 2 },
    retention: { keep_last: 2 },
    ...members,
  });
  expect(answer.statusCode).toBe(201);
  return answer.json<BackupPolicy>();
}

const read = async (id = policy.id): Promise<BackupPolicy> =>
  (await mine.send('GET', `backup-policies/${id}`)).json<BackupPolicy>();
const patch = (payload: object, query = '') =>
  mine.send('PATCH', `backup-policies/${policy.id}${query}`, payload);
const backupsOf = async (id = policy.id): Promise<Backup[]> =>
  (await mine.send('GET', `backups?policy_id=${id}`)).json<{ data: Backup[] }>().data;

/** As if the clock had moved on: the next window of the policy begins this much earlier. */
async function pass(interval: string, id = policy.id): Promise<void> {
  await sql`
    update backup_policies set next_run_at = next_run_at - ${interval}::interval,
      set_back_before = set_back_before - ${interval}::interval
    where id = ${id}`.execute(app.services.db);
}

async function run(): Promise<void> {
  await backupRuns.run(app.services);
  await settle(app);
}

/** One window that is served. */
async function serve(): Promise<void> {
  await pass('1 day');
  await run();
}

const endWindow = () =>
  sql`update backup_jobs set window_ends_at = now() where account_id = ${mine.account.id}`.execute(
    app.services.db,
  );
const jobs = () =>
  app.services.db.selectFrom('backup_jobs').selectAll().where('account_id', '=', mine.account.id).execute();

describe('a policy', () => {
  it('backs up its machines once in a window, and no others', async () => {
    await mine.vm();
    await run();
    expect(await backupsOf()).toEqual([]);
    await pass('1 day');
    await Promise.all([backupRuns.run(app.services), backupRuns.run(app.services)]);
    await run();
    expect(await backupsOf()).toMatchObject([
      { vm_id: vm.id, kind: 'scheduled', status: 'available', name: `${vm.name}-scheduled` },
    ]);
    const { last_run, next_run_at, vm_count } = await read();
    expect(last_run).toMatchObject({ succeeded: 1, failed: 0, skipped: 0 });
    expect(Date.parse(next_run_at!)).toBeGreaterThan(Date.now());
    expect(vm_count).toBe(1);
  });

  it('makes up for many missed windows by one backup', async () => {
    await pass('40 days');
    await run();
    await run();
    expect(await backupsOf()).toHaveLength(1);
    expect(Date.parse((await read()).next_run_at!)).toBeLessThanOrEqual(Date.now() + 24 * 3_600_000);
  });

  it('does not serve a window again when the clock is set back a little, and finds its way when it is set back far', async () => {
    await serve();
    await pass('-1 day');
    await run();
    expect(await backupsOf()).toHaveLength(1);
    await pass('-30 days');
    await run();
    expect(await backupsOf()).toHaveLength(1);
    expect(Date.parse((await read()).next_run_at!)).toBeLessThanOrEqual(Date.now() + 24 * 3_600_000);
  });

  it('leaves machines alone whose policy has its window later', async () => {
    const other = await newPolicy({});
    await mine.vm({ backup_policy_id: other.id });
    await serve();
    expect(await backupsOf()).toHaveLength(1);
    expect(await backupsOf(other.id)).toEqual([]);
  });

  it('serves its own machines when another policy has its window at the same time', async () => {
    const other = await newPolicy({});
    const second = await mine.vm({ backup_policy_id: other.id });
    await pass('1 day');
    await pass('1 day', other.id);
    await run();
    expect(await backupsOf()).toMatchObject([{ vm_id: vm.id }]);
    expect(await backupsOf(other.id)).toMatchObject([{ vm_id: second.id }]);
  });

  it('keeps the last backups it made, and all that others made', async () => {
    await mine.do('POST', 'backups', { vm_id: vm.id });
    for (let i = 0; i < 3; i++) await serve();
    await backupExpiry.run(app.services);
    await settle(app);
    expect(await backupsOf()).toHaveLength(2);
    expect((await mine.send('GET', 'backups?kind=manual')).json<{ data: unknown[] }>().data).toHaveLength(1);
  });

  it('never lets the newest backup expire by its age', async () => {
    await serve();
    await serve();
    await sql`update vm_backups set created_at = created_at - interval '9 days' where policy_id = ${policy.id}`.execute(
      app.services.db,
    );
    const dry = await patch({ retention: { keep_days: 5 } }, '?dry_run=true');
    const made = (await backupsOf()).map(({ id }) => id).sort();
    expect(dry.json()).toMatchObject({ effects: [{ action: 'update' }, { action: 'delete', id: made[0] }] });
  });

  it('names what a lower retention gives up, and gives it up with the next run', async () => {
    await serve();
    await serve();
    const [oldest] = (await backupsOf()).map(({ id }) => id).sort();
    const lower = { retention: { keep_last: 1 } };
    const dry = await patch(lower, '?dry_run=true');
    expect(dry.json()).toMatchObject({
      effects: [{ action: 'update' }, { action: 'delete', type: 'backup', id: oldest }],
      warnings: [{ code: 'backups_expire' }],
    });
    expect((await patch(lower)).statusCode).toBe(200);
    await backupExpiry.run(app.services);
    await settle(app);
    expect(await backupsOf()).toHaveLength(2);
    await serve();
    await backupExpiry.run(app.services);
    await settle(app);
    expect(await backupsOf()).toHaveLength(1);
  });
});

describe('a busy machine', () => {
  it('is tried again in the window, then skipped', async () => {
    await mine.send('POST', `vms/${vm.id}/actions`, { type: 'restart' });
    await pass('1 day');
    await backupRuns.run(app.services);
    expect(await jobs()).toHaveLength(1);
    expect((await read()).last_run).toMatchObject({ succeeded: 0, skipped: 0 });
    await endWindow();
    // The clock of the worker is behind that of the database.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    await backupRuns.run(app.services).finally(() => vi.useRealTimers());
    expect(await jobs()).toEqual([]);
    expect((await read()).last_run).toMatchObject({ succeeded: 0, skipped: 1 });
    const told = await app.call({ url: '/account/v1/events?types=backup.skipped', key: mine.key });
    expect(told.json()).toMatchObject({ data: [{ severity: 'warning', resource: { id: vm.id } }] });
    await settle(app);
  });

  it.each([
    ['lost its policy', () => mine.send('PATCH', `vms/${vm.id}`, { backup_policy_id: null })],
    ['was disabled with its policy', () => patch({ enabled: false })],
  ])('is not backed up if it %s meanwhile', async (_, withdraw) => {
    await mine.send('POST', `vms/${vm.id}/actions`, { type: 'restart' });
    await pass('1 day');
    await backupRuns.run(app.services);
    expect((await withdraw()).statusCode).toBe(200);
    await settle(app);
    await run();
    expect(await jobs()).toEqual([]);
    expect(await backupsOf()).toEqual([]);
  });

  it('is backed up as soon as it is free, also when the window has ended meanwhile', async () => {
    await mine.send('POST', `vms/${vm.id}/actions`, { type: 'restart' });
    await pass('1 day');
    await backupRuns.run(app.services);
    await settle(app);
    await endWindow();
    await run();
    expect(await backupsOf()).toMatchObject([{ status: 'available' }]);
  });
});

describe('a machine of an account that has as many backups as it may have', () => {
  it('is skipped, and its owner is told why', async () => {
    for (let i = 0; i < MOST; i++) await mine.do('POST', 'backups', { vm_id: vm.id });
    await serve();
    expect(await backupsOf()).toEqual([]);
    await endWindow();
    await run();
    expect((await read()).last_run).toMatchObject({ succeeded: 0, skipped: 1 });
    const told = await app.call({ url: '/account/v1/events?types=backup.skipped', key: mine.key });
    expect(told.json()).toMatchObject({
      data: [{ message: expect.stringContaining(`limit flexible-vps.backups is ${MOST}`) }],
    });
  });
});

describe('a machine', () => {
  it('changes and loses its policy, and is listed by it', async () => {
    expect(vm.backup_policy_id).toBe(policy.id);
    const listed = async () =>
      (await mine.send('GET', `vms?backup_policy_id=${policy.id}`)).json<{ data: Vm[] }>().data.length;
    expect(await listed()).toBe(1);
    await pass('1 day');
    const answer = await mine.send('PATCH', `vms/${vm.id}`, { backup_policy_id: null });
    expect(answer.json()).toMatchObject({ backup_policy_id: null });
    expect(await listed()).toBe(0);
    await run();
    expect(await backupsOf()).toEqual([]);
  });

  it('422: with a policy of another account', async () => {
    const theirs = await VpsAccount.open(app);
    const answer = await theirs.send('POST', 'vms', {
      name: 'thief',
      location: 'fra1',
      plan: 'flex-2-4',
      source: { type: 'image', image_id: 'ubuntu-24.04' },
      backup_policy_id: policy.id,
    });
    expect(answer.json()).toMatchObject({
      errors: [{ pointer: '/backup_policy_id', code: 'unknown_reference' }],
    });
  });
});

describe('a deletion', () => {
  it('409: while machines have the policy; with detach it takes it from them, and the backups stay', async () => {
    await serve();
    const refused = await mine.send('DELETE', `backup-policies/${policy.id}`);
    expect(refused.json()).toMatchObject({
      code: 'resource_in_use',
      used_by: [{ type: 'vm', id: vm.id }],
      used_by_count: 1,
    });
    const gone = await mine.send('DELETE', `backup-policies/${policy.id}?detach=true`);
    expect(gone.statusCode).toBe(204);
    expect((await mine.readVm(vm.id)).backup_policy_id).toBeNull();
    expect(await backupsOf()).toHaveLength(1);
  });
});

describe('a schedule', () => {
  const errorsOf = async (answer: ReturnType<typeof patch>) =>
    (await answer)
      .json<{ errors: { pointer: string; code: string }[] }>()
      .errors.map(({ pointer, code }) => `${pointer} ${code}`);

  it('422: without the member of its frequency, or with that of another', async () => {
    expect(await errorsOf(patch({ schedule: { frequency: 'weekly' } }))).toEqual([
      '/schedule/weekday required',
    ]);
    expect(await errorsOf(patch({ schedule: { day_of_month: 3 } }))).toEqual([
      '/schedule/day_of_month incompatible',
    ]);
  });

  it('drops the member of the frequency that it had', async () => {
    await patch({ schedule: { frequency: 'weekly', weekday: 'sun' } });
    const answer = await patch({ schedule: { frequency: 'monthly', day_of_month: 1 } });
    expect(answer.json<BackupPolicy>().schedule).toMatchObject({ weekday: null, day_of_month: 1 });
  });

  it('makes no backups while the policy is disabled, and does not make up for them', async () => {
    await pass('1 day');
    expect((await patch({ enabled: false })).json()).toMatchObject({ next_run_at: null });
    await run();
    await patch({ enabled: true });
    await run();
    expect(await backupsOf()).toEqual([]);
    expect(Date.parse((await read()).next_run_at!)).toBeGreaterThan(Date.now());
  });
});
