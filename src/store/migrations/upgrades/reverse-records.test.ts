/** After an upgrade, the IPv4 addresses that accounts hold already have their records. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createAccount } from '../../../testing/accounts.ts';
import { databaseAt, dropOlderDatabases } from '../../../testing/older-database.ts';
import { migrate } from '../migrate.ts';

dropOlderDatabases();

it('after an upgrade, the IPv4 addresses that are held have records, and free ones have none', async () => {
  const { db } = await databaseAt('0046-approval-changes');
  const account = await createAccount(db);
  const rows = [
    ['ip_1', account.id, '203.0.113.20/32'],
    ['ip_2', account.id, '2001:db8::/64'],
    ['ip_3', null, '203.0.113.21/32'],
  ] as const;
  for (const [id, holder, block] of rows)
    await sql`
      insert into public_addresses (id, account_id, pool, location, block, kind, quarantined_until)
      values (${id}, ${holder}, 'a', 'fra1', ${block}::cidr, 'reserved', ${holder === null ? new Date(0) : null})`.execute(
      db,
    );
  await migrate(db);
  const records = await sql`
    select id, account_id, address_id, host(address) as address, sync_status from reverse_records`.execute(
    db,
  );
  expect(records.rows).toEqual([
    {
      id: 'rdns_00000000000000007zzz5g0w8m',
      account_id: account.id,
      address_id: 'ip_1',
      address: '203.0.113.20',
      sync_status: 'pending',
    },
  ]);
});
