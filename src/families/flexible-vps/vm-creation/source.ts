/** Resolves the source of a new machine's disk: an image, a snapshot, a backup, another machine or an ISO. */
import type { Source } from '../../../engines/compute/port.ts';
import type { Call } from '../../../kernel/call.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import { requireBackup } from '../backups/use.ts';
import { type KnownImage, requireImage } from '../images/references.ts';
import { requireIso } from '../isos/references.ts';
import type { IsoRow } from '../isos/table.ts';
import { machineOfSnapshot } from '../snapshots/store.ts';
import { lockVmIfThere } from '../vms/store.ts';
import type { VmImage, VmRow } from '../vms/table.ts';
import type { CreateVm } from './body.ts';
import { findSnapshot } from './store.ts';

export interface Origin {
  readonly shown: VmRow['source'];
  /** The source in the form that the engine takes. */
  readonly source: Source;
  readonly image: VmImage | null;
  /** Set for an image of the provider, which may have a licence fee. */
  readonly publicImage: string | null;
  readonly architecture: 'amd64' | 'arm64';
  readonly bootMode: 'uefi' | 'bios';
  readonly secureBoot: boolean;
  readonly minDiskGb: number;
  readonly minMemoryMb: number;
  /** The location of the original: copies can be created only there. Null if any location will do. */
  readonly location: string | null;
  readonly defaultUser: string;
  readonly customImage: KnownImage | null;
  /** The disk begins empty, and this ISO is in the drive. */
  readonly iso: IsoRow | null;
}

const refuse = (pointer: string, code: FieldError['code'], detail: string) =>
  invalid([{ pointer, code, detail }]);

export function imageShown(image: KnownImage): VmImage {
  const { id, slug, name, os, default_user } = image;
  return { id, slug, name, os, default_user };
}

type Asking = Pick<Call, 'db' | 'services' | 'caller' | 'now'>;

async function fromImage(call: Asking, imageId: string): Promise<Origin> {
  const image = await requireImage(call, imageId, '/source/image_id');
  return {
    shown: { type: 'image', id: image.id },
    source: { image: image.ref },
    image: imageShown(image),
    publicImage: image.row === null ? image.id : null,
    architecture: image.architecture,
    bootMode: image.boot_mode,
    secureBoot: image.secure_boot,
    minDiskGb: image.min_disk_gb,
    minMemoryMb: image.min_memory_mb,
    location: null,
    defaultUser: image.default_user,
    customImage: image.row === null ? null : image,
    iso: null,
  };
}

function fromMachine(vm: VmRow, shown: Origin['shown'], source: Source): Origin {
  return {
    shown,
    source,
    image: vm.image,
    publicImage: vm.image?.slug ?? null,
    architecture: vm.architecture,
    bootMode: vm.boot_mode,
    secureBoot: vm.secure_boot,
    minDiskGb: vm.disk_gb,
    minMemoryMb: 0,
    location: vm.location,
    defaultUser: vm.image?.default_user ?? 'root',
    customImage: null,
    iso: null,
  };
}

async function fromIso(call: Asking, isoId: string): Promise<Origin> {
  const iso = await requireIso(call, isoId, '/source/iso_id');
  return {
    shown: { type: 'iso', id: iso.id },
    source: { blank: true },
    image: null,
    publicImage: null,
    architecture: iso.architecture,
    bootMode: 'uefi',
    secureBoot: false,
    minDiskGb: 1,
    minMemoryMb: 0,
    location: null,
    defaultUser: 'root',
    customImage: null,
    iso,
  };
}

/** The operation makes an image of the backup, so the engine takes no source that exists already. */
async function fromBackup(call: Asking, id: string): Promise<Origin> {
  const backup = await requireBackup(call, id);
  return {
    shown: { type: 'backup', id: backup.id },
    source: { image: { account: backup.account_id, id: backup.id } },
    image: backup.image,
    publicImage: backup.image?.slug ?? null,
    architecture: backup.architecture,
    bootMode: backup.boot_mode,
    secureBoot: backup.secure_boot,
    minDiskGb: backup.disk_gb,
    minMemoryMb: 0,
    location: null,
    defaultUser: backup.image?.default_user ?? 'root',
    customImage: null,
    iso: null,
  };
}

async function lockSource(call: Asking, vmId: string): Promise<VmRow> {
  const vm = await lockVmIfThere(call.db, call.caller.account.id, vmId);
  if (vm === undefined)
    throw refuse('/source/vm_id', 'unknown_reference', 'There is no such machine in this account.');
  if (vm.status !== 'running' && vm.status !== 'stopped')
    throw new Problem('invalid_state', {
      detail: `The machine to copy is ${vm.status}.`,
      extra: { current_state: vm.status, allowed_states: ['running', 'stopped'] },
    });
  return vm;
}

export async function resolveSource(call: Asking, source: CreateVm['source']): Promise<Origin> {
  if (source.type === 'iso') return fromIso(call, source.iso_id);
  if (source.type === 'image') return fromImage(call, source.image_id);
  if (source.type === 'backup') return fromBackup(call, source.backup_id);
  const { id: accountId } = call.caller.account;
  if (source.type === 'vm') {
    const vm = await lockSource(call, source.vm_id);
    return fromMachine(vm, { type: 'vm', id: vm.id }, { instance: vm.id });
  }
  const vmId = source.vm_id ?? (await machineOfSnapshot(call.db, accountId, source.snapshot_id));
  if (vmId === undefined)
    throw refuse('/source/snapshot_id', 'unknown_reference', 'There is no such snapshot in this account.');
  const vm = await lockSource(call, vmId);
  const snapshot = await findSnapshot(call.db, vm.id, source.snapshot_id);
  if (snapshot === undefined)
    throw refuse('/source/snapshot_id', 'unknown_reference', 'The machine has no such snapshot.');
  if (snapshot.status !== 'available')
    throw new Problem('invalid_state', {
      detail: `The snapshot is ${snapshot.status}.`,
      extra: { current_state: snapshot.status, allowed_states: ['available'] },
    });
  const made = fromMachine(
    vm,
    { type: 'snapshot', id: snapshot.id },
    { instance: vm.id, snapshot: snapshot.id },
  );
  return { ...made, minDiskGb: snapshot.disk_gb };
}
