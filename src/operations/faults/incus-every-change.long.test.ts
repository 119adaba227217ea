/** Kills a worker after each single request with which a restore or a snapshot of a volume changes a real engine. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Vm } from '../../families/flexible-vps/vms/schema.ts';
import { KilledRestores } from '../../testing/incus/killed-restores.ts';
import { whyNoIncus } from '../../testing/incus/programs.ts';

const reason = whyNoIncus('incus');
const TIMEOUT_MS = 1_800_000;

describe.skipIf(reason !== null)(
  `a worker killed after any change of the engine${reason === null ? '' : `: ${reason}`}`,
  () => {
    let scene: KilledRestores;
    let vm: Vm;

    beforeAll(async () => {
      scene = await KilledRestores.open({ megabytes: 2, withHoles: 8, megabytesPerSecond: 500 });
      vm = await scene.createVm();
    });
    afterAll(() => scene?.close());

    it(
      'a restored volume has the data of its snapshot, and nothing is left over',
      async () => {
        const { id, device_path } = await scene.createVolume(vm.id);
        const before = await scene.refill(vm.id, device_path);
        let snapshot_id = '';
        const changes = await scene.forEachChange(async () => {
          snapshot_id = await scene.finish(await scene.start('POST', `volumes/${id}/snapshots`, {}));
          await scene.finish(await scene.start('DELETE', `volumes/${id}/snapshots/${snapshot_id}`));
          await scene.expectNothingLeft();
        });
        expect(changes).toBe(3);
        snapshot_id = await scene.finish(await scene.start('POST', `volumes/${id}/snapshots`, {}));
        const restores = await scene.forEachChange(async () => {
          await scene.refill(vm.id, device_path);
          await scene.power(vm.id, 'power_off');
          const restore = { type: 'restore', snapshot_id, confirm: 'data' };
          await scene.finish(await scene.start('POST', `volumes/${id}/actions`, restore));
          await scene.power(vm.id, 'power_on');
          expect(await scene.sums(vm.id, device_path)).toBe(before);
        });
        expect(restores).toBeGreaterThan(3);
        await scene.finish(await scene.start('DELETE', `volumes/${id}/snapshots/${snapshot_id}`));
        await scene.expectNothingLeft();
      },
      TIMEOUT_MS,
    );

    it(
      'restored disks have the data of the backup, and nothing is left over',
      async () => {
        const kept = await scene.refill(vm.id);
        const backup_id = await scene.finish(await scene.start('POST', 'backups', { vm_id: vm.id }));
        const source = { type: 'backup', backup_id };
        const creations = await scene.forEachChange(async () => {
          const copy = await scene.createVm(source);
          expect(await scene.sums(copy.id)).toBe(kept);
          await scene.finish(await scene.start('DELETE', `vms/${copy.id}`));
          await scene.expectNothingLeft();
        });
        expect(creations).toBeGreaterThan(6);
        const restores = await scene.forEachChange(async () => {
          await scene.refill(vm.id);
          const body = { source, confirm: vm.name };
          await scene.finish(await scene.start('POST', `vms/${vm.id}/restore`, body));
          expect(await scene.sums(vm.id)).toBe(kept);
          await scene.expectNothingLeft();
        });
        expect(restores).toBeGreaterThan(12);
      },
      TIMEOUT_MS,
    );
  },
);
