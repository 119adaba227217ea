/** Restores the size that is sold. Disks cannot shrink: if a disk has grown, the row and the price follow. */
import { EngineRefused } from '../../../engines/compute/port.ts';
import { patience } from '../../../engines/reconciler/observation.ts';
import { configurationWithDisk } from '../resize/target.ts';
import { refOf } from '../vms/guest.ts';
import { noteVm } from '../vms/inventory.ts';
import { vms } from '../vms/resource.ts';
import { isSameSize, sizeOf, sizeToGive } from '../vms/size.ts';
import { updateVm } from '../vms/store.ts';
import type { Held, Part } from './parts.ts';
import { tell } from './reconcile.ts';

/** If the engine refuses the size now, the next start of the machine tries again. */
async function give({ services, engine, row, seen }: Held): Promise<void> {
  const size = sizeToGive(row, seen);
  if (isSameSize(size, seen.size)) return;
  try {
    await engine.ensureSize(refOf(row), size, patience());
  } catch (error) {
    if (!(error instanceof EngineRefused)) throw error;
    services.log.warn(
      { err: error, vm: row.id },
      'the engine refused to restore the size that is sold; the next start of the machine tries again',
    );
  }
}

async function keepDisk({ services, tx, row, seen, at }: Held): Promise<void> {
  const { diskGb: disk_gb } = seen.size;
  if (disk_gb <= row.disk_gb) return;
  const configuration = configurationWithDisk(services, row, disk_gb);
  const grown = await updateVm(tx, row.id, { disk_gb, configuration });
  if (grown !== undefined) await noteVm(services, tx, grown, new Date(at));
  const message = `The disk of the machine ${row.name} has ${disk_gb} GB.`;
  await tell(services, tx, row, vms.event('resized', row, { message }));
}

export const size: Part = {
  differs: (row, seen) => !isSameSize(sizeOf(row), seen.size),
  async align(held) {
    const { services, row, seen } = held;
    if (isSameSize(sizeOf(row), seen.size)) return;
    services.metrics.alarms.inc({ alarm: 'size_drift' });
    services.log.warn(
      { vm: row.id, sold: sizeOf(row), has: seen.size },
      'the size of a machine at the engine differs from the size that is sold',
    );
    await give(held);
    await keepDisk(held);
  },
};
