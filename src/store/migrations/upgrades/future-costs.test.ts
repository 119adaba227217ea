/** The plans of backups after an upgrade: those of the policies, machines and backups that former versions wrote. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createAccount, type TestAccount } from '../../../testing/accounts.ts';
import { databaseAt, dropOlderDatabases } from '../../../testing/older-database.ts';
import { planFaults } from '../../../testing/planned-backups.ts';
import type { Db } from '../../database.ts';
import { migrate } from '../migrate.ts';

dropOlderDatabases();

const times = { every_hours: null, hour: 2, weekday: null, day_of_month: null, window_hours: 4 };
const schedules = {
  every_4_hours: { ...times, frequency: 'every_n_hours', every_hours: 4 },
  every_12_hours: { ...times, frequency: 'every_n_hours', every_hours: 12 },
  daily: { ...times, frequency: 'daily' },
  weekly: { ...times, frequency: 'weekly', weekday: 'mon' },
  monthly: { ...times, frequency: 'monthly', day_of_month: 1 },
};
const retentions = {
  last_3: { keep_last: 3, keep_days: null },
  last_1000: { keep_last: 1000, keep_days: null },
  days_10: { keep_last: 90, keep_days: 10 },
};

/** What budgets look up. Some rows of former versions may lack it. */
async function addResource(db: Db, account: TestAccount, type: string, id: string): Promise<void> {
  await sql`
    insert into resources (id, account_id, family, type, name, status, location)
    values (${id}, ${account.id}, 'flexible-vps', ${type}, ${id}, 'running', 'fra1')`.execute(db);
}

async function addPolicy(db: Db, account: TestAccount, id: string, members: object): Promise<void> {
  const { enabled, schedule, retention } = members as Record<string, unknown>;
  await sql`
    insert into backup_policies (id, account_id, name, enabled, schedule, retention)
    values (${id}, ${account.id}, ${id}, ${enabled}, ${JSON.stringify(schedule)}::jsonb,
      ${JSON.stringify(retention)}::jsonb)`.execute(db);
  await addResource(db, account, 'backup_policy', id);
}

interface Machine {
  readonly policy: string | null;
  readonly status?: string;
  readonly diskGb?: number;
  readonly isListed?: boolean;
}

async function addMachine(db: Db, account: TestAccount, id: string, machine: Machine): Promise<void> {
  const { policy, status = 'running', diskGb = 80, isListed = true } = machine;
  await sql`
    insert into vms (id, account_id, name, status, location, plan, requested, vcpus, memory_mb, disk_gb, architecture,
      hostname, source, boot_mode, secure_boot, seed, configuration, backup_policy_id)
    values (${id}, ${account.id}, ${id}, ${status}, 'fra1', 'flex-2-4', '{}', 2, 4096, ${diskGb}, 'amd64', ${id}, '{}',
      'uefi', true, 'seed', '{}', ${policy})`.execute(db);
  if (isListed) await addResource(db, account, 'vm', id);
}

let lastBackup = 0;
async function addBackup(
  db: Db,
  account: TestAccount,
  vm: string,
  policy: string,
  columns: { kind?: string; status?: string; failed?: boolean; expired?: boolean } = {},
): Promise<void> {
  const { kind = 'scheduled', status = 'available', failed = false, expired = false } = columns;
  await sql`
    insert into vm_backups (id, account_id, name, status, vm_id, vm_name, kind, policy_id, location, disk_gb, memory_mb,
      vcpus, architecture, boot_mode, secure_boot, failed_at, expires_at)
    values (${`bkp_${++lastBackup}`}, ${account.id}, 'b', ${status}, ${vm}, ${vm}, ${kind}, ${policy}, 'fra1', 80, 4096,
      2, 'amd64', 'uefi', true, case when ${failed} then now() end,
      now() + case when ${expired} then interval '-1 hour' else interval '90 days' end)`.execute(db);
}

/** Policies of each frequency, retention and state; each has a machine without backups and one with some. */
async function fill(db: Db, account: TestAccount): Promise<void> {
  for (const [frequency, schedule] of Object.entries(schedules))
    for (const [kept, retention] of Object.entries(retentions))
      for (const enabled of [true, false]) {
        const name = [frequency, kept, enabled ? 'on' : 'off'].join('.');
        await addPolicy(db, account, name, { enabled, schedule, retention });
        await addMachine(db, account, `new.${name}`, { policy: name });
        await addMachine(db, account, `old.${name}`, { policy: name, diskGb: 160 });
        for (let i = 0; i < 2; i++) await addBackup(db, account, `old.${name}`, name);
        // None of these counts as kept by the policy.
        await addBackup(db, account, `old.${name}`, name, { status: 'failed', failed: true });
        await addBackup(db, account, `old.${name}`, name, { expired: true });
        await addBackup(db, account, `old.${name}`, name, { kind: 'manual' });
        await addBackup(db, account, `old.${name}`, 'another');
      }
  const policy = 'daily.last_3.on';
  await addMachine(db, account, 'full', { policy });
  for (let i = 0; i < 5; i++) await addBackup(db, account, 'full', policy);
  await addMachine(db, account, 'going', { policy, status: 'deleting' });
  await addMachine(db, account, 'unlisted', { policy, isListed: false });
  await addMachine(db, account, 'free', { policy: null });
}

it.each(['0034-fair-slots', '0038-key-lineages'])(
  'an upgrade from %s plans the backups that running code would plan',
  async (last) => {
    const { db } = await databaseAt(last);
    const [account, other] = [await createAccount(db), await createAccount(db)];
    await fill(db, account);
    await migrate(db);
    expect(await planFaults(db, account.id)).toEqual([]);
    const rows = await db.selectFrom('future_costs').selectAll().execute();
    const quantities = Object.fromEntries(rows.map(({ resource_id, quantity }) => [resource_id, quantity]));
    expect(quantities).toMatchObject({
      'new.every_4_hours.last_3.on': 3,
      'new.every_4_hours.last_1000.on': 186,
      'new.every_4_hours.days_10.on': 61,
      'old.every_4_hours.days_10.on': 59,
      'new.daily.days_10.on': 11,
      'old.daily.days_10.on': 9,
      'old.daily.last_3.on': 1,
      'new.weekly.last_1000.on': 4,
      'new.monthly.last_1000.on': 1,
      'new.daily.last_1000.off': 0,
      full: 0,
    });
    for (const id of ['going', 'unlisted', 'free']) expect(quantities).not.toHaveProperty([id]);
    expect(rows.every(({ api_key_id, member_id }) => api_key_id === null && member_id === null)).toBe(true);
    expect(rows.some(({ account_id }) => account_id === other.id)).toBe(false);
  },
);
