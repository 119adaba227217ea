import { expect, it } from 'vitest';
import { createAccount } from '../../testing/accounts.ts';
import { createTestApp } from '../../testing/app.ts';
import { configurationOf } from './images/resource.ts';
import { noteAvailable } from './snapshots/inventory.ts';
import type { SnapshotRow } from './snapshots/table.ts';

it('an image and a snapshot of the same size are billed for the same number of GB', async () => {
  const t = await createTestApp();
  const { db } = t.services;
  const account = await createAccount(db);
  const vm = { id: 'vm_1', location: 'fra1' };
  const snapshot = {
    id: 'snap_1',
    account_id: account.id,
    name: 's',
    status: 'available',
    labels: {},
    vm_id: vm.id,
    size_bytes: 10 * 2 ** 30,
  };
  await noteAvailable(t.services, db, snapshot as unknown as SnapshotRow, vm);
  const { configuration } = await db
    .selectFrom('resources')
    .select('configuration')
    .where('id', '=', snapshot.id)
    .executeTakeFirstOrThrow();
  expect(configuration).toEqual({ location: 'fra1', size_gb: 10 });
  expect(configurationOf({ locations: ['fra1'], size_bytes: 10 * 2 ** 30 })).toEqual(configuration);
  await t.close();
});
