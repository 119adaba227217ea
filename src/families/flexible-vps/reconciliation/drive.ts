/**
 * Reconciles the drive. The row decides which ISO is in it. Whether the next start boots the ISO is up to the engine,
 * because a guest that reboots by itself uses that start.
 */
import { type Drive, EngineRefused, type Instance } from '../../../engines/compute/port.ts';
import { patience } from '../../../engines/reconciler/observation.ts';
import { refOf } from '../vms/guest.ts';
import { updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import type { Part } from './parts.ts';

type Row = Pick<VmRow, 'iso_id' | 'iso_boot_once'>;

const wantedBy = ({ iso_id, iso_boot_once }: Row): Drive | null =>
  iso_id === null ? null : { iso: iso_id, bootOnce: iso_boot_once };

const hasOther = (row: Row, { drive: seen }: Instance): boolean => (seen?.iso ?? null) !== row.iso_id;
const hasBooted = (row: Row, { drive: seen }: Instance): boolean =>
  row.iso_boot_once && seen?.bootOnce === false;

export const drive: Part = {
  differs: (row, seen) => hasOther(row, seen) || hasBooted(row, seen),
  async align({ services, tx, engine, row, seen }) {
    if (!hasOther(row, seen)) {
      if (hasBooted(row, seen)) await updateVm(tx, row.id, { iso_boot_once: false });
      return;
    }
    services.metrics.alarms.inc({ alarm: 'drive_drift' });
    services.log.warn({ vm: row.id, iso: row.iso_id, has: seen.drive?.iso }, 'a drive has another content');
    try {
      await engine.ensureDrive(refOf(row), wantedBy(row), patience());
    } catch (error) {
      if (!(error instanceof EngineRefused)) throw error;
      services.log.warn({ err: error, vm: row.id }, 'the engine refused to change the drive');
    }
  },
};
