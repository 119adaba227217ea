/** Backups of real machines on Incus and LXD: restored to the same machine and to a new one, and while the engine dies. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BackupStore } from '../../../engines/objects/settings.ts';
import { folderStore } from '../../../testing/app.ts';
import { startCeph, type TestCeph, whyNoCeph } from '../../../testing/ceph.ts';
import { startDaemon } from '../../../testing/incus/daemon.ts';
import { PATIENCE, Place } from '../../../testing/incus/place.ts';
import { engineKinds, whyNoIncus } from '../../../testing/incus/programs.ts';
import { furnishForDemo } from '../../../testing/incus/provider.ts';
import { makeBucket, type TestBucket } from '../../../testing/s3-bucket.ts';
import type { Vm } from '../vms/schema.ts';
import type { Backup } from './schema.ts';

/** Slow enough that an upload of some parts can be interrupted. */
const MEGABYTES_PER_SECOND = 8;

describe.each(engineKinds)('backups on %s', (engine) => {
  const reason = whyNoIncus(engine);

  describe.skipIf(reason !== null)(reason ?? 'that is there', () => {
    let place: Place;
    let folder: string;
    let ceph: TestCeph | null = null;
    let bucket: TestBucket | null = null;
    let vm: Vm;
    let before: number;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'hostplane-real-backups-'));
      // LXD stores in a folder, Incus in S3 where Ceph is there.
      if (engine === 'incus' && whyNoCeph() === null) {
        ceph = await startCeph();
        bucket = await makeBucket(ceph);
      }
      const backups: BackupStore = {
        ...(bucket?.setting ?? folderStore(folder)),
        megabytes_per_second: MEGABYTES_PER_SECOND,
      };
      const daemon = await startDaemon(engine);
      await furnishForDemo(daemon);
      place = await Place.on(daemon, {}, (config) => ({
        ...config,
        catalogue: {
          ...config.catalogue,
          locations: config.catalogue.locations.map((location) => ({ ...location, backups })),
        },
      }));
      before = await images();
    });
    afterAll(async () => {
      await place?.close();
      await bucket?.close();
      await ceph?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const done = async (operation: string): Promise<void> =>
      expect(await place.endOf(operation)).toMatchObject({ status: 'succeeded', error: null });
    const write = (text: string) => place.exec(vm.id, ['sh', '-c', `printf ${text} > /var/www/note; sync`]);
    const noteOf = (machine: Vm) => expect.poll(() => place.page(machine, 'note').catch(() => ''), PATIENCE);
    const images = async (): Promise<number> =>
      (await place.daemon.client.ask<string[]>('GET', '/1.0/images')).length;
    const list = async (query: string): Promise<Backup[]> =>
      (await place.vps.send('GET', `backups?${query}`)).json<{ data: Backup[] }>().data;
    const partsOf = (id: string) =>
      place.app.services.db.selectFrom('backup_parts').selectAll().where('backup_id', '=', id).execute();

    it('store the disk of a running machine in several parts, and leave nothing at the engine', async () => {
      vm = await place.create();
      // Random bytes, which cannot be compressed, so that the archive has several parts.
      await place.exec(vm.id, ['sh', '-c', 'dd if=/dev/urandom of=/root/much bs=1024 count=24576; sync']);
      await write('old');
      await done(await place.act('POST', 'backups', { vm_id: vm.id }));
      const [backup] = await list(`vm_id=${vm.id}`);
      expect(backup).toMatchObject({ status: 'available', consistency: 'crash' });
      expect(await partsOf(backup!.id)).toHaveLength(Math.ceil(backup!.size_bytes! / (8 * 1024 * 1024)));
      expect(backup!.size_bytes).toBeGreaterThan(24_000_000);
      expect(await images()).toBe(before);
      const link = await place.vps.send('POST', `backups/${backup!.id}/download`, {});
      const { pathname, search } = new URL(link.json<{ url: string }>().url);
      const file = await place.app.app.inject({ method: 'GET', url: pathname + search });
      expect(createHash('sha256').update(file.rawPayload).digest('hex')).toBe(backup!.sha256);
    });

    it('restore their content, and the content before the restore is kept', async () => {
      const [backup] = await list(`vm_id=${vm.id}`);
      await write('new');
      const source = { type: 'backup', backup_id: backup!.id };
      await done(await place.act('POST', `vms/${vm.id}/restore`, { source, confirm: vm.name }));
      await noteOf(vm).toBe('old');
      expect(await list('kind=safety')).toMatchObject([{ status: 'available' }]);
      expect(await images()).toBe(before);
    });

    it('continue with the missing parts after the engine was killed', async () => {
      const started = await place.vps.send('POST', 'backups', { vm_id: vm.id });
      const { id, operation } = started.json<{ id: string; operation: { id: string } }>();
      await expect.poll(async () => (await partsOf(id)).length, PATIENCE).toBeGreaterThan(0);
      await place.daemon.kill();
      await place.daemon.start();
      await done(operation.id);
      expect(await images()).toBe(before);
    });

    it('can be the source of a machine after their own machine is deleted', async () => {
      await done(await place.act('DELETE', `vms/${vm.id}`));
      const [kept] = await list('kind=safety');
      expect(kept).toMatchObject({ vm_deleted: true });
      const copy = await place.create({ source: { type: 'backup', backup_id: kept!.id } });
      await noteOf(copy).toBe('new');
      expect(await images()).toBe(before);
      await place.removeAll();
    });
  });
});
