/** The row of a new backup, for calls, policies, deletions and restores alike. */
import type { Call } from '../../../kernel/call.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import type { NewRow } from '../../../resources/owned/table.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import type { VmRow } from '../vms/table.ts';
import { backups } from './resource.ts';
import type { BackupKind, BackupRow } from './table.ts';

const NO_STORE = 'The provider stores no backups of machines in this location.';
const LONGEST_NAME = 63;

/** Throws 409 if the location has no store for backups. */
export function requireStore({ objects }: Pick<Services, 'objects'>, location: string): void {
  if (objects.at(location) === undefined)
    throw new Problem('capability_missing', { detail: NO_STORE, extra: { capability: 'backups' } });
}

/** A manual backup is called like its machine: other backups may have the same name. */
function nameOfBackup({ name }: Pick<VmRow, 'name'>, kind: BackupKind): string {
  const end = kind === 'manual' ? '' : `-${kind}`;
  return `${name.slice(0, LONGEST_NAME - end.length).replace(/-+$/, '')}${end}`;
}

/** What a backup copies from its machine. */
export const columnsOf = (vm: VmRow, kind: BackupKind): NewRow<'vm_backups'> & { readonly id: string } => ({
  id: backups.newId(),
  name: nameOfBackup(vm, kind),
  status: 'creating',
  kind,
  vm_id: vm.id,
  vm_name: vm.name,
  location: vm.location,
  disk_gb: vm.disk_gb,
  memory_mb: vm.memory_mb,
  vcpus: vm.vcpus,
  architecture: vm.architecture,
  boot_mode: vm.boot_mode,
  secure_boot: vm.secure_boot,
  image: vm.image,
});

/** The size is known only when the backup is made, so the cost is that of a copy of the whole disk. */
export async function reportMost(
  call: Pick<Call, 'warn'> & Parameters<typeof backups.reportCost>[0],
  row: BackupRow,
): Promise<void> {
  const detail = `The price depends on the size of the finished backup; this is the most it can cost, for ${row.disk_gb} GB.`;
  call.warn({ code: 'cost_follows_size', detail });
  await backups.reportCost(call, [row], { status: 'available', size_bytes: row.disk_gb * BYTES_PER_GB });
}
