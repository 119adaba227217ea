/** Kills workers while they restore disks and volumes of real machines. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Vm } from '../../families/flexible-vps/vms/schema.ts';
import { KilledRestores } from '../../testing/incus/killed-restores.ts';
import { whyNoIncus } from '../../testing/incus/programs.ts';
import type { Kill } from '../../testing/killed-workers.ts';

const reason = whyNoIncus('incus');
const TIMEOUT_MS = 900_000;

describe.skipIf(reason !== null)(
  `restores whose workers are killed${reason === null ? '' : `: ${reason}`}`,
  () => {
    let scene: KilledRestores;
    let vm: Vm;
    let backup: string;
    let kept: string;

    beforeAll(async () => {
      scene = await KilledRestores.open({ megabytes: 24, withHoles: 400, megabytesPerSecond: 16 });
      vm = await scene.createVm();
      kept = await scene.refill(vm.id);
      backup = await scene.finish(await scene.start('POST', 'backups', { vm_id: vm.id }));
    }, TIMEOUT_MS);
    afterAll(() => scene?.close());

    const restore = (source: object) =>
      scene.start('POST', `vms/${vm.id}/restore`, { source, confirm: vm.name });

    it(
      'a restored disk has the data of the backup, and the safety backup is made once',
      async () => {
        expect(await scene.refill(vm.id)).not.toBe(kept);
        const kills: Kill[] = [
          { step: 'pack', afterMs: 200 },
          { step: 'store', isReached: async () => (await scene.partsOfSafety()) > 1 },
          { step: 'fetch', afterMs: 100 },
          { step: 'restore', afterMs: 50 },
          { step: 'tidy' },
        ];
        await scene.finish(await restore({ type: 'backup', backup_id: backup }), kills);
        expect(scene.workers.kills).toBeGreaterThan(2);
        expect(await scene.readVm(vm.id)).toMatchObject({ status: 'running', operation: null });
        expect(await scene.sums(vm.id)).toBe(kept);
        expect(await scene.backupsOfKind('safety')).toBe(1);
        expect(await scene.countOf('vm.restored')).toBe(1);
        await scene.expectNothingLeft();
      },
      TIMEOUT_MS,
    );

    it(
      'a restored disk has the data of the backup although PostgreSQL ends all connections repeatedly',
      async () => {
        await scene.refill(vm.id);
        const { operation } = await restore({ type: 'backup', backup_id: backup });
        const pauses = Array.from({ length: 12 }, (_, i) => 50 + 40 * i);
        expect(await scene.workers.endOfCutOff(operation, pauses)).toMatchObject({ status: 'succeeded' });
        expect(await scene.sums(vm.id)).toBe(kept);
        expect(await scene.backupsOfKind('safety')).toBe(2);
        await scene.expectNothingLeft();
      },
      TIMEOUT_MS,
    );

    it(
      'a restored disk has the data of the snapshot',
      async () => {
        const before = await scene.refill(vm.id);
        const taken = await scene.start('POST', `vms/${vm.id}/snapshots`, {});
        const snapshot_id = await scene.finish(taken, [{ step: 'take', afterMs: 20 }]);
        await scene.refill(vm.id);
        const kills = [{ step: 'stop' }, { step: 'restore', afterMs: 20 }, { step: 'start' }];
        await scene.finish(await restore({ type: 'snapshot', snapshot_id }), kills);
        expect(await scene.sums(vm.id)).toBe(before);
        await scene.expectNothingLeft();
        await scene.finish(await scene.start('DELETE', `vms/${vm.id}/snapshots/${snapshot_id}`), [
          { step: 'remove' },
        ]);
        await scene.expectNothingLeft();
      },
      TIMEOUT_MS,
    );

    it(
      'a new machine has the disk of the backup',
      async () => {
        const kills = [{ step: 'disk', afterMs: 300 }, { step: 'disk', afterMs: 900 }, { step: 'boot' }];
        const copy = await scene.createVm({ type: 'backup', backup_id: backup }, kills);
        expect(copy.status).toBe('running');
        expect(await scene.sums(copy.id)).toBe(kept);
        await scene.expectNothingLeft();
        await scene.finish(await scene.start('DELETE', `vms/${copy.id}`));
      },
      TIMEOUT_MS,
    );

    it(
      'a restored volume has the data of its snapshot',
      async () => {
        const { id, device_path } = await scene.createVolume(vm.id);
        const before = await scene.refill(vm.id, device_path);
        const snapshot_id = await scene.finish(await scene.start('POST', `volumes/${id}/snapshots`, {}), [
          { step: 'take', afterMs: 20 },
          { step: 'take', afterMs: 60 },
        ]);
        await scene.expectNothingLeft();
        expect(await scene.refill(vm.id, device_path)).not.toBe(before);
        const name = 'data';
        await scene.power(vm.id, 'power_off');
        const restored = await scene.start('POST', `volumes/${id}/actions`, {
          type: 'restore',
          snapshot_id,
          confirm: name,
        });
        await scene.finish(restored, [{ step: 'remove-newer' }, { step: 'restore', afterMs: 20 }]);
        await scene.power(vm.id, 'power_on');
        expect(await scene.sums(vm.id, device_path)).toBe(before);
        await scene.expectNothingLeft();
        await scene.finish(await scene.start('DELETE', `volumes/${id}/snapshots/${snapshot_id}`), [
          { step: 'remove', afterMs: 10 },
        ]);
        await scene.expectNothingLeft();
      },
      TIMEOUT_MS,
    );
  },
);
