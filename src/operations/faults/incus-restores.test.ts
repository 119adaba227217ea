/**
 * Kills workers at chosen requests of a real engine, while they restore disks and snapshot volumes. That the steps
 * themselves can be repeated is tested on the sandbox, for every kind; this is about what the engine has half done.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Vm } from '../../families/flexible-vps/vms/schema.ts';
import type { Deadly } from '../../testing/incus/deadly-door.ts';
import { KilledRestores } from '../../testing/incus/killed-restores.ts';
import { whyNoIncus } from '../../testing/incus/programs.ts';

const reason = whyNoIncus('incus');

const after = (request: RegExp): Deadly => ({ request, at: 'answer' });
const UPLOAD = /^POST \/1.0\/images\?project=default/;
const PACK = /^POST \/1.0\/images\?project=acc-/;

describe.skipIf(reason !== null)(
  `a worker killed at a request of the engine${reason === null ? '' : `: ${reason}`}`,
  () => {
    let scene: KilledRestores;
    let vm: Vm;

    beforeAll(async () => {
      scene = await KilledRestores.open({ megabytes: 4, megabytesPerSecond: 500 });
      vm = await scene.createVm();
    });
    afterAll(() => scene?.close());

    it('restored disks have the data of the backup, and nothing is left over', async () => {
      const kept = await scene.refill(vm.id);
      const backup_id = await scene.finish(await scene.start('POST', 'backups', { vm_id: vm.id }));
      expect(await scene.refill(vm.id)).not.toBe(kept);
      const source = { type: 'backup', backup_id };
      await scene.finishKilledAt(
        [
          after(PACK),
          { request: UPLOAD, at: 'body' },
          after(/^PUT \/1.0\/images\//),
          after(/^POST \S+\/rebuild/),
        ],
        () => scene.start('POST', `vms/${vm.id}/restore`, { source, confirm: vm.name }),
      );
      expect(await scene.sums(vm.id)).toBe(kept);
      expect(await scene.backupsOfKind('safety')).toBe(1);
      expect(await scene.countOf('vm.restored')).toBe(1);
      const copy = await scene.finishKilledAt([after(UPLOAD), after(/^POST \/1.0\/instances\?/)], () =>
        scene.startVm(source),
      );
      expect(await scene.sums(copy)).toBe(kept);
      await scene.expectNothingLeft();
      await scene.cancelKilledAt(after(UPLOAD), () => scene.startVm(source));
      await scene.expectNothingLeft();
    });

    it('a restored volume has the data of its snapshot, and nothing is left over', async () => {
      const { id, device_path } = await scene.createVolume(vm.id);
      const before = await scene.refill(vm.id, device_path);
      const snapshot_id = await scene.finishKilledAt(
        [after(/^POST \S+\/custom\/\S+\/snapshots/), after(/^PUT \S+\/custom\/\S+\/snapshots\//)],
        () => scene.start('POST', `volumes/${id}/snapshots`, {}),
      );
      expect(await scene.refill(vm.id, device_path)).not.toBe(before);
      await scene.power(vm.id, 'power_off');
      await scene.finishKilledAt([after(/^PUT \S+\/custom\/[^/]+$/)], () =>
        scene.start('POST', `volumes/${id}/actions`, { type: 'restore', snapshot_id, confirm: 'data' }),
      );
      await scene.power(vm.id, 'power_on');
      expect(await scene.sums(vm.id, device_path)).toBe(before);
      await scene.finishKilledAt([after(/^DELETE \S+\/custom\/\S+\/snapshots\//)], () =>
        scene.start('DELETE', `volumes/${id}/snapshots/${snapshot_id}`),
      );
      await scene.expectNothingLeft();
    });
  },
);
