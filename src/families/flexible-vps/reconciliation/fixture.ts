/** Differences between engines and rows that the reconcilers correct with a call to the engine. */
import { type ComputeEngine, computePort, type Ref } from '../../../engines/compute/port.ts';
import { engineAt } from '../../../engines/engine-step.ts';
import type { Fixture } from '../../../laws/fixture.ts';
import type { World } from '../../../laws/world.ts';
import { makeVm, stopVm } from '../vms/fixture.ts';
import { refOf } from '../vms/guest.ts';
import { readVm, updateVm } from '../vms/store.ts';
import { makeVolume } from '../volumes/fixture.ts';
import { readVolume } from '../volumes/store.ts';

interface Made {
  readonly engine: ComputeEngine;
  readonly ref: Ref;
}

const madeOf = (
  { app }: World,
  row: { readonly id: string; readonly account_id: string; readonly location: string },
): Made => ({ engine: engineAt(computePort.engines(app.services), row.location), ref: refOf(row) });

async function newVm(world: World): Promise<Made> {
  return madeOf(world, (await readVm(world.app.services.db, await makeVm(world)))!);
}

async function newVolume(world: World): Promise<Made> {
  return madeOf(world, (await readVolume(world.app.services.db, await makeVolume(world)))!);
}

const RESCUE = { sshKeys: [], passwordHash: null };

export const fixture: Fixture = {
  drifts: {
    'a machine that is larger than it is sold': async (world) => {
      const { engine, ref } = await newVm(world);
      await stopVm(world, ref.id);
      const { size } = (await engine.observeInstance(ref))!;
      await engine.ensureSize(ref, { ...size, vcpus: size.vcpus + 1 });
    },
    'a machine that boots its rescue system next': async (world) => {
      const { engine, ref } = await newVm(world);
      await engine.ensureRescue(ref, RESCUE);
    },
    'a failed creation that left a machine': async (world) => {
      const { ref } = await newVm(world);
      const failed = { status: 'error', is_billed: false, host_group: null, failed_at: new Date() } as const;
      await updateVm(world.app.services.db, ref.id, failed);
    },
    'a volume that is on a machine': async (world) => {
      const [vm, { engine, ref }] = [await newVm(world), await newVolume(world)];
      await engine.ensureVolumeAttached(ref, { instance: vm.ref.id, mayMove: true });
    },
    'a volume that is smaller than it is sold': async (world) => {
      const { ref } = await newVolume(world);
      await world.app.services.db
        .updateTable('vps_volumes')
        .set({ size_gb: 5000 })
        .where('id', '=', ref.id)
        .execute();
    },
  },
};
