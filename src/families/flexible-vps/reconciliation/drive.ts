/**
 * Reconciles the drive. The row decides which ISO is in it. Whether the next start boots the ISO is up to the engine,
 * because a guest that reboots by itself uses that start.
 */
import type { Instance } from '../../../engines/compute/port.ts';
import { setIsoKind } from '../vm-drive/kind.ts';
import { vms } from '../vms/resource.ts';
import { updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import type { Held, Part } from './parts.ts';
import { startRepair } from './repairs.ts';

type Row = Pick<VmRow, 'iso_id' | 'iso_boot_once'>;

const hasOther = (row: Row, { drive: seen }: Instance): boolean => (seen?.iso ?? null) !== row.iso_id;
const hasBooted = (row: Row, { drive: seen }: Instance): boolean =>
  row.iso_boot_once && seen?.bootOnce === false;

/** An operation changes the drive, because the engine may have to copy the ISO first. */
async function repair({ services, tx, row, seen }: Held): Promise<void> {
  const content = { iso_id: row.iso_id, boot_once: row.iso_boot_once };
  const input = { wanted: content, before: content, restart: false };
  const isStarted = await startRepair(services, tx, row.account_id, {
    kind: setIsoKind,
    input,
    resource: vms.ref(row),
  });
  if (!isStarted) return;
  services.metrics.alarms.inc({ alarm: 'drive_drift' });
  services.log.warn({ vm: row.id, iso: row.iso_id, has: seen.drive?.iso }, 'a drive has another content');
}

export const drive: Part = {
  differs: (row, seen) => hasOther(row, seen) || hasBooted(row, seen),
  async align(held) {
    const { tx, row, seen } = held;
    if (hasOther(row, seen)) await repair(held);
    else if (hasBooted(row, seen)) await updateVm(tx, row.id, { iso_boot_once: false });
    return undefined;
  },
};
