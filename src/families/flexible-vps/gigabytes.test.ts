import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { VpsAccount } from '../../testing/vps.ts';
import { configurationOf } from './images/resource.ts';
import { snapshots } from './snapshots/resource.ts';

let t: TestApp;
beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t.close());

it('an image and a snapshot of the same size are billed for the same number of GB', async () => {
  const { db } = t.services;
  const vps = await VpsAccount.open(t);
  const vm = await vps.vm();
  const { id } = await vps.do('POST', `vms/${vm.id}/snapshots`, { name: 's' });
  await snapshots.change(db, id, { size_bytes: 10 * 2 ** 30 }, { services: t.services });
  const { configuration } = await db
    .selectFrom('resources')
    .select('configuration')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(configuration).toEqual({ location: 'fra1', size_gb: 10 });
  expect(configurationOf({ locations: ['fra1'], size_bytes: 10 * 2 ** 30 })).toEqual(configuration);
});
