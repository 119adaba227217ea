import { sql } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { type Db, openDatabase, openPool } from '../database.ts';
import { migrations } from './migrate.ts';

let database: TestDatabase;
let db: Db;

afterEach(async () => {
  await db.destroy();
  await database.drop();
});

const NAME = '0042-kept-counts';

it('the upgrade of a database with rows counts them', async () => {
  database = await createTestDatabase();
  db = openDatabase(openPool({ ...database.connection, maxConnections: 1 }));
  await sql`drop schema public cascade`.execute(db);
  await sql`create schema public`.execute(db);
  for (const [name, { up }] of Object.entries(migrations)) if (name < NAME) await up(db);
  await sql`
    insert into accounts (id, name, currency, country, timezone)
    select 'acc_' || n, 'A', 'EUR', 'DE', 'UTC' from generate_series(1, 2) n`.execute(db);
  await sql`
    insert into vms (id, account_id, name, status, location, plan, requested, vcpus, memory_mb, disk_gb, architecture,
      hostname, source, boot_mode, secure_boot, seed, configuration)
    select 'vm_' || n, 'acc_1', 'm' || n, 'running', 'fra1', 'p', '{}', 2, 4096, 40, 'amd64', 'm' || n, '{}', 'uefi',
      false, 's', '{}' from generate_series(1, 3) n`.execute(db);
  await sql`
    insert into resources (id, account_id, family, type, name, status, location)
    select 'r_' || n, 'acc_' || 1 + n % 2, 'flexible-vps', 'volume', 'r', 'available', case when n > 1 then 'fra1' end
    from generate_series(1, 5) n`.execute(db);
  await sql`
    insert into public_addresses (id, account_id, former_account_id, pool, location, block, kind, quarantined_until)
    values ('ip_1', 'acc_1', null, 'p', 'fra1', '192.0.2.1/32', 'ephemeral', null),
      ('ip_2', null, 'acc_1', 'p', 'fra1', '192.0.2.2/32', 'ephemeral', now() + interval '1 day'),
      ('ip_3', null, 'acc_1', 'p', 'fra1', '192.0.2.3/32', 'ephemeral', now() - interval '1 day'),
      ('ip_4', 'acc_1', null, 'p', 'fra1', '192.0.2.4/32', 'reserved', null)`.execute(db);
  await migrations[NAME]?.up(db);
  const { rows } = await sql<{ counts: string }>`
    select concat_ws(' ', account_id, what, location, sum(amount)) as counts from kept_counts
    where since <= now() group by account_id, what, location order by 1`.execute(db);
  expect(rows.map(({ counts }) => counts)).toEqual([
    'acc_1 public_address.ipv4_of_machines fra1 2',
    'acc_1 vm.memory_mb fra1 12288',
    'acc_1 vm.vcpus fra1 6',
    'acc_1 volume fra1 2',
    'acc_2 volume  1',
    'acc_2 volume fra1 2',
  ]);
  await sql`delete from vms`.execute(db);
  await sql`update resources set location = 'ams1'`.execute(db);
  const left = await sql`select * from count_differences(array['acc_1', 'acc_2'])`.execute(db);
  expect(left.rows).toEqual([]);
});
