/** Whole backups and restores while the store in S3 fails. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { diskOf, writeInside } from '../../../engines/compute/sandbox/guest-actions.ts';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { startCeph, type TestCeph, whyNoCeph } from '../../../testing/ceph.ts';
import { type FaultyStore, openFaultyStore, type StoreFault } from '../../../testing/faulty-store.ts';
import { settle } from '../../../testing/operations.ts';
import { makeBucket, type TestBucket } from '../../../testing/s3-bucket.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';
import type { Backup } from './schema.ts';

const reason = whyNoCeph();

describe.skipIf(reason !== null)(`a store in S3 that fails${reason === null ? '' : `: ${reason}`}`, () => {
  let ceph: TestCeph;
  let proxy: FaultyStore;
  let bucket: TestBucket;
  let app: TestApp;
  let mine: VpsAccount;
  let vm: Vm;

  beforeAll(async () => {
    ceph = await startCeph();
    proxy = await openFaultyStore(ceph.endpoint);
    bucket = await makeBucket(ceph, proxy.endpoint);
    app = await createTestApp({
      provider: (config) => ({
        ...config,
        catalogue: {
          ...config.catalogue,
          locations: config.catalogue.locations.map((location) => ({ ...location, backups: bucket.setting })),
        },
      }),
    });
  });
  beforeEach(async () => {
    mine = await VpsAccount.open(app);
    vm = await mine.vm();
  });
  afterEach(() => {
    proxy.faultOf = () => null;
  });
  afterAll(async () => {
    await app?.close();
    await proxy?.close();
    await bucket?.close();
    await ceph?.stop();
  });

  const sandbox = (): Sandbox => app.services.compute.at('fra1') as Sandbox;
  const refOf = (id: string) => ({ account: mine.account.id, id });
  const write = (text: string) => writeInside(sandbox().core, refOf(vm.id), '/note', text);
  const note = async () => (await diskOf(sandbox().core, refOf(vm.id)))['/note'];
  const stored = () => app.services.objects.at('fra1')!.list(`${mine.account.id}/`);
  const read = async (id: string): Promise<Backup> =>
    (await mine.send('GET', `backups/${id}`)).json<Backup>();

  /** As often as the driver repeats a request, and once more, so that the operation has to be tried again. */
  const failing = (method: string, fault: StoreFault, times = 4): void => {
    let left = times;
    proxy.faultOf = (asked) => (asked === method && left-- > 0 ? fault : null);
  };

  /** Runs operations to their end, without the pauses before they are tried again. */
  async function finish(): Promise<void> {
    const { db } = app.services;
    for (;;) {
      await settle(app);
      const sleeping = await db
        .updateTable('operations')
        .set({ run_at: sql<Date>`now()` })
        .where('finished_at', 'is', null)
        .returning('id')
        .execute();
      if (sleeping.length === 0) return;
    }
  }

  async function backUp(): Promise<Backup> {
    const answer = await mine.send('POST', 'backups', { vm_id: vm.id });
    await finish();
    return read(answer.json<Backup>().id);
  }
  const faults: [string, StoreFault][] = [
    ['errors', { status: 500, code: 'InternalError' }],
    ['requests to slow down', { status: 503, code: 'SlowDown' }],
    ['cut connections', { cutAfter: 10 }],
  ];

  it.each(faults)('contains the complete backup after %s', async (_, fault) => {
    failing('PUT', fault);
    expect(await backUp()).toMatchObject({ status: 'available' });
    expect(await stored()).toHaveLength(1);
  });

  it.each([...faults.slice(0, 2), ['answers that are cut off', { cutAnswerAfter: 10 }] as const])(
    'can be restored from after %s',
    async (_, fault) => {
      await write('old');
      const backup = await backUp();
      await write('new');
      failing('GET', fault);
      const source = { type: 'backup', backup_id: backup.id };
      const body = { source, safety_backup: false, confirm: vm.name };
      await mine.send('POST', `vms/${vm.id}/restore`, body);
      await finish();
      expect(await note()).toBe('old');
      expect(await mine.readVm(vm.id)).toMatchObject({ status: 'running', operation: null });
    },
  );

  it('that is full fails the backup, and stores nothing of it', async () => {
    failing('PUT', { status: 403, code: 'QuotaExceeded' }, 1);
    const backup = await backUp();
    expect(backup).toMatchObject({ status: 'failed', failure: { code: 'capacity_unavailable' } });
    expect(await stored()).toEqual([]);
    expect(await sandbox().observeImage(refOf(backup.id))).toBeNull();
    expect((await sandbox().observeInstance(refOf(vm.id)))?.snapshots).toEqual([]);
    expect(await mine.readVm(vm.id)).toMatchObject({ status: 'running', operation: null });
  });

  it('deletes a backup after it was retried', async () => {
    const backup = await backUp();
    failing('POST', { status: 500, code: 'InternalError' });
    await mine.send('DELETE', `backups/${backup.id}`);
    await finish();
    expect(await stored()).toEqual([]);
    expect((await mine.send('GET', `backups/${backup.id}`)).statusCode).toBe(404);
  });
});
