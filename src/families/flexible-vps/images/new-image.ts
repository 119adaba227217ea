/** Builds the row of a new image and the input of the operation that creates it. */
import type { Call } from '../../../kernel/call.ts';
import { readParentLimit } from '../../../resources/limits/require-room.ts';
import type { NewRow } from '../../../resources/owned/table.ts';
import { requireBackup } from '../backups/use.ts';
import { soldIn } from '../catalog/sold-plans.ts';
import { BYTES_PER_GB } from '../gigabytes.ts';
import type { MakeInput } from './capture-and-import.ts';
import { findImage } from './references.ts';
import { images } from './resource.ts';
import type { CreateImage } from './schema.ts';
import { requireCapturable, type Source } from './source.ts';

const LARGEST_GIB = 50;

/** For files, and for machines that were not created from an image: their system is unknown. */
import type { Os } from '../hardware.ts';

const UNKNOWN_OS: Os = { family: 'linux', distribution: 'other', version: '' };
const LEAST_MEMORY_MB = 512;

export interface Draft {
  readonly row: NewRow<'vps_images'> & { readonly id: string };
  readonly input: MakeInput;
  /** Resources besides the image in whose queues the operation takes a place. */
  readonly subjects: readonly string[];
  /** The size is known only when the image exists. At most it is the whole disk, or the largest file that is taken. */
  readonly largest: { readonly location: string; readonly size_gb: number };
}

type Creating = Call<unknown, unknown, CreateImage>;

export async function draftOf(call: Creating, source: Source): Promise<Draft> {
  if (source.type === 'url') return draftOfFile(call, source);
  return source.type === 'backup' ? draftOfBackup(call, source.backupId) : draftOfMachine(call, source);
}

function commonOf({ body }: Pick<Creating, 'body'>) {
  return {
    id: images.newId(),
    name: body.name,
    description: body.description ?? '',
    labels: body.labels ?? {},
    status: 'creating' as const,
    progress_percent: 0,
  };
}

async function draftOfFile(
  call: Creating,
  { url, architecture, os, boot_mode, format, sha256 }: Extract<Source, { type: 'url' }>,
): Promise<Draft> {
  const { services } = call;
  const common = commonOf(call);
  const limit = (await readParentLimit(call, 'flexible-vps.image-gib'))?.limit;
  return {
    row: {
      ...common,
      os: { ...UNKNOWN_OS, ...os },
      architecture,
      boot_mode: boot_mode ?? 'uefi',
      min_disk_gb: 1,
      min_memory_mb: LEAST_MEMORY_MB,
      cloud_init: true,
      guest_agent: false,
      default_user: 'root',
      source: { type: 'url', id: null, url: `${url.origin}${url.pathname}` },
      sealed_url: services.secrets.close(Buffer.from(url.href), common.id),
    },
    input: {
      source: 'url',
      format: format ?? null,
      sha256: sha256 ?? null,
      max_bytes: (limit ?? LARGEST_GIB) * BYTES_PER_GB,
    },
    subjects: [],
    largest: { location: soldIn(services.provider.catalogue)[0]?.slug ?? '', size_gb: limit ?? LARGEST_GIB },
  };
}

async function draftOfBackup(call: Creating, backupId: string): Promise<Draft> {
  const backup = await requireBackup(call, backupId);
  const { image, location } = backup;
  const origin = image === null ? undefined : await findImage(call, backup.account_id, image.id);
  return {
    row: {
      ...commonOf(call),
      os: image?.os ?? UNKNOWN_OS,
      architecture: backup.architecture,
      boot_mode: backup.boot_mode,
      secure_boot: backup.secure_boot,
      min_disk_gb: backup.disk_gb,
      min_memory_mb: origin?.min_memory_mb ?? LEAST_MEMORY_MB,
      cloud_init: origin?.cloud_init ?? true,
      guest_agent: origin?.guest_agent ?? false,
      default_user: image?.default_user ?? 'root',
      source: { type: 'backup', id: backup.id, url: null },
    },
    input: { source: 'backup', location, backup_id: backup.id },
    subjects: [],
    largest: { location, size_gb: backup.disk_gb },
  };
}

async function draftOfMachine(call: Creating, source: Extract<Source, { type: 'vm' }>): Promise<Draft> {
  const { vm, snapshot } = await requireCapturable(call, source);
  const origin = vm.image === null ? undefined : await findImage(call, vm.account_id, vm.image.id);
  return {
    row: {
      ...commonOf(call),
      os: vm.image?.os ?? UNKNOWN_OS,
      architecture: vm.architecture,
      boot_mode: vm.boot_mode,
      secure_boot: vm.secure_boot,
      min_disk_gb: snapshot?.disk_gb ?? vm.disk_gb,
      min_memory_mb: origin?.min_memory_mb ?? LEAST_MEMORY_MB,
      cloud_init: origin?.cloud_init ?? true,
      guest_agent: origin?.guest_agent ?? vm.guest_agent !== null,
      default_user: vm.image?.default_user ?? 'root',
      source:
        snapshot === null
          ? { type: 'vm', id: vm.id, url: null }
          : { type: 'snapshot', id: snapshot.id, url: null },
    },
    input: {
      source: 'vm',
      location: vm.location,
      vm_id: vm.id,
      snapshot_id: snapshot?.id ?? null,
    },
    subjects: [vm.id],
    largest: { location: vm.location, size_gb: snapshot?.disk_gb ?? vm.disk_gb },
  };
}
