/** Builds the specification of an instance from the stored rows, and creates the instance at the engine. */
import type { ComputeEngine, ImageRef, InstanceSpec, Source } from '../../../engines/compute/port.ts';
import type { Db } from '../../../store/database.ts';
import { findImageRow } from '../images/store.ts';
import { nicsOf } from '../interface-changes/engine-nics.ts';
import { placementOf } from '../placement-groups/store.ts';
import { guestOf, refOf } from '../vms/guest.ts';
import type { VmRow } from '../vms/table.ts';
import { volumesOf } from '../volumes/store.ts';

/** The origin names an image of the account by its id, and an image of the provider by its slug. */
async function sourceOf(
  db: Db,
  row: VmRow,
  origin: { type: string; id: string; vm_id?: string | undefined },
) {
  if (origin.type === 'iso') return { blank: true as const };
  if (origin.type === 'vm') return { instance: origin.id };
  if (origin.type === 'snapshot') return { instance: origin.vm_id ?? '', snapshot: origin.id };
  const custom = await findImageRow(db, row.account_id, origin.id);
  return { image: { account: custom === undefined ? null : row.account_id, id: origin.id } };
}

/**
 * Creates the instance, stopped, unless it exists. For a copy of a snapshot the caller passes the machine of the
 * snapshot as `sourceVmId`, because the row stores only the snapshot id; for a copy of a backup, the image of it.
 */
export async function ensureMade(
  engine: ComputeEngine,
  db: Db,
  row: VmRow,
  signal: AbortSignal,
  given: { readonly sourceVmId?: string | undefined; readonly image?: ImageRef } = {},
): Promise<void> {
  const source: Source =
    given.image === undefined
      ? await sourceOf(db, row, { ...row.source, vm_id: given.sourceVmId })
      : { image: given.image };
  const spec: InstanceSpec = {
    source,
    architecture: row.architecture,
    size: { vcpus: row.vcpus, memoryMb: row.memory_mb, diskGb: row.disk_gb },
    nics: await nicsOf(db, row.id),
    guest: guestOf(row),
    bootMode: row.boot_mode,
    secureBoot: row.secure_boot,
    placement: await placementOf(db, row.placement_group_id, row.id),
    volumes: (await volumesOf(db, row.id)).map(({ id }) => id),
  };
  await engine.ensureInstance(refOf(row), spec, signal);
}
