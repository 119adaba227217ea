import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createAccount, createKey } from '../../../testing/accounts.ts';
import { databaseAt, dropOlderDatabases } from '../../../testing/older-database.ts';
import { migrate } from '../migrate.ts';

dropOlderDatabases();

it('after an upgrade, backups and keys from before have links that end with them', async () => {
  const { db } = await databaseAt('0038-key-lineages');
  const account = await createAccount(db);
  const keys = [await createKey(db, account), await createKey(db, account), await createKey(db, account)];
  for (const [i, { id }] of keys.entries())
    await sql`
      insert into vm_backups (id, account_id, name, status, vm_id, vm_name, kind, location, disk_gb, memory_mb, vcpus,
        architecture, boot_mode, secure_boot)
      values (${`bkp_${i}`}, ${account.id}, 'b', 'available', ${`vm_${id}`}, 'web', 'manual', 'fra1', 80, 4096, 2,
        'amd64', 'uefi', true)`.execute(db);
  await migrate(db);
  for (const [i, { id }] of keys.entries())
    await sql`
      insert into download_links (id, account_id, resource_id, api_key_id, token_hash, expires_at)
      values (${`link_${i}`}, ${account.id}, ${`bkp_${i}`}, ${id}, ${Buffer.from(id)}, now() + interval '1 hour')`.execute(
      db,
    );
  const left = async (): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`select id from download_links order by id`.execute(db);
    return rows.map(({ id }) => id);
  };
  await db.updateTable('api_keys').set({ status: 'revoked' }).where('id', '=', keys[0]!.id).execute();
  expect(await left()).toEqual(['link_1', 'link_2']);
  await sql`update vm_backups set status = 'deleting' where id = 'bkp_1'`.execute(db);
  expect(await left()).toEqual(['link_2']);
  await db.updateTable('accounts').set({ status: 'suspended' }).where('id', '=', account.id).execute();
  expect(await left()).toEqual([]);
});
