/** Backups of real machines on Incus and LXD, restored to the same machine and to a new one. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon } from '../../../testing/incus/daemon.ts';
import { PATIENCE, Place } from '../../../testing/incus/place.ts';
import { whyNoIncus } from '../../../testing/incus/programs.ts';
import { furnishForDemo } from '../../../testing/incus/provider.ts';
import type { Vm } from '../vms/schema.ts';
import type { Backup } from './schema.ts';

describe.each(['incus', 'lxd'] as const)('backups on %s', (engine) => {
  const reason = whyNoIncus(engine);

  describe.skipIf(reason !== null)(reason ?? 'that is there', () => {
    let place: Place;
    let vm: Vm;
    beforeAll(async () => {
      const daemon = await startDaemon(engine);
      await furnishForDemo(daemon);
      place = await Place.on(daemon);
      vm = await place.create();
    });
    afterAll(async () => {
      await place?.removeAll();
      await place?.close();
    });

    const done = async (operation: string): Promise<void> =>
      expect(await place.endOf(operation)).toMatchObject({ status: 'succeeded', error: null });
    const write = (text: string) => place.exec(vm.id, ['sh', '-c', `printf ${text} > /var/www/note; sync`]);
    const noteOf = (machine: Vm) => expect.poll(() => place.page(machine, 'note').catch(() => ''), PATIENCE);
    const images = async (): Promise<number> =>
      (await place.daemon.client.ask<string[]>('GET', '/1.0/images')).length;

    it('keep the disk of a running machine, and leave nothing at the engine', async () => {
      const before = await images();
      await write('old');
      const operation = await place.act('POST', 'backups', { vm_id: vm.id });
      await done(operation);
      const list = await place.vps.send('GET', `backups?vm_id=${vm.id}`);
      const [backup] = list.json<{ data: Backup[] }>().data;
      expect(backup).toMatchObject({ status: 'available', consistency: 'crash' });
      expect(await images()).toBe(before);

      await write('new');
      const restored = await place.act('POST', `vms/${vm.id}/restore`, {
        source: { type: 'backup', backup_id: backup!.id },
        confirm: vm.name,
      });
      await done(restored);
      await noteOf(vm).toBe('old');

      const safety = await place.vps.send('GET', 'backups?kind=safety');
      const [kept] = safety.json<{ data: Backup[] }>().data;
      const copy = await place.create({ source: { type: 'backup', backup_id: kept!.id } });
      await noteOf(copy).toBe('new');
      expect(await images()).toBe(before);

      const link = await place.vps.send('POST', `backups/${backup!.id}/download`, {});
      const { pathname, search } = new URL(link.json<{ url: string }>().url);
      const file = await place.app.app.inject({ method: 'GET', url: pathname + search });
      expect(createHash('sha256').update(file.rawPayload).digest('hex')).toBe(backup!.sha256);
    });
  });
});
