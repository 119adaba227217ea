/** Finds and checks the image that a disk is created from: provider images by slug, the account's own by id. */
import type { ImageRef } from '../../../engines/compute/port.ts';
import type { Call } from '../../../kernel/call.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import { bookOf } from '../../../money/prices/book.ts';
import type { Image as CatalogueImage } from '../../../provider/catalogue.ts';
import type { Db } from '../../../store/database.ts';
import type { Os } from '../hardware.ts';
import { unfitImage } from '../hardware.ts';
import { findImageRow, findImageRows, shareImageRow } from './store.ts';
import type { ImageRow } from './table.ts';

export interface KnownImage {
  /** The reference that engines use. */
  readonly ref: ImageRef;
  readonly id: string;
  readonly slug: string | null;
  readonly name: string;
  readonly os: Os;
  readonly architecture: 'amd64' | 'arm64';
  readonly boot_mode: 'uefi' | 'bios';
  readonly secure_boot: boolean;
  readonly min_disk_gb: number;
  readonly min_memory_mb: number;
  readonly cloud_init: boolean;
  readonly guest_agent: boolean;
  readonly default_user: string;
  readonly status: string;
  /** `null` for a provider image, which is in every location. */
  readonly row: ImageRow | null;
}

const ofProvider = (image: CatalogueImage): KnownImage => ({
  ref: { account: null, id: image.slug },
  id: image.slug,
  slug: image.slug,
  name: image.name,
  os: image.os,
  architecture: image.architecture,
  boot_mode: image.boot_mode,
  secure_boot: image.secure_boot,
  min_disk_gb: image.min_disk_gb,
  min_memory_mb: image.min_memory_mb,
  cloud_init: image.cloud_init,
  guest_agent: image.guest_agent,
  default_user: image.default_user,
  status: 'available',
  row: null,
});

const ofAccount = (row: ImageRow): KnownImage => ({
  ref: { account: row.account_id, id: row.id },
  id: row.id,
  slug: null,
  name: row.name,
  os: row.os,
  architecture: row.architecture,
  boot_mode: row.boot_mode,
  secure_boot: row.secure_boot,
  min_disk_gb: row.min_disk_gb,
  min_memory_mb: row.min_memory_mb,
  cloud_init: row.cloud_init,
  guest_agent: row.guest_agent,
  default_user: row.default_user,
  status: row.status,
  row,
});

/** Also finds images that the provider no longer offers, because machines created from them still exist. */
export async function findImage(
  { db, services }: { readonly db: Db; readonly services: Pick<Services, 'provider'> },
  accountId: string,
  idOrSlug: string,
  lock?: 'share',
): Promise<KnownImage | undefined> {
  const listed = bookOf(services.provider.catalogue).images.get(idOrSlug);
  if (listed !== undefined) return ofProvider(listed);
  const read = lock === 'share' ? shareImageRow : findImageRow;
  const row = await read(db, accountId, idOrSlug);
  return row && ofAccount(row);
}

export interface Fitting {
  readonly architecture?: 'amd64' | 'arm64';
  readonly diskGb?: number;
  readonly memoryMb?: number;
}

/**
 * Checks an image that a request body names: throws unless a disk may be created from it. A shared lock prevents the
 * deletion of the image until the transaction ends.
 */
export async function requireImage(
  call: Pick<Call, 'db' | 'services' | 'caller' | 'now'>,
  idOrSlug: string,
  pointer: string,
  { architecture, diskGb, memoryMb }: Fitting = {},
): Promise<KnownImage> {
  const image = await findImage(call, call.caller.account.id, idOrSlug, 'share');
  const refuse = (code: 'unknown_reference' | 'incompatible', detail: string) =>
    invalid([{ pointer, code, detail }]);
  if (image === undefined)
    throw refuse('unknown_reference', `There is no image ${JSON.stringify(idOrSlug)}.`);
  const removedAt = bookOf(call.services.provider.catalogue).images.get(idOrSlug)?.removed_at ?? null;
  if (removedAt !== null && Date.parse(removedAt) <= call.now.getTime())
    throw refuse(
      'unknown_reference',
      `The image is not offered any more since ${removedAt}; choose another one.`,
    );
  if (architecture !== undefined && image.architecture !== architecture)
    throw refuse('incompatible', unfitImage(image.architecture, architecture));
  if (diskGb !== undefined && diskGb < image.min_disk_gb)
    throw refuse('incompatible', `The image needs a disk of ${image.min_disk_gb} GB.`);
  if (memoryMb !== undefined && memoryMb < image.min_memory_mb)
    throw refuse('incompatible', `The image needs ${image.min_memory_mb} MB of memory.`);
  if (image.status !== 'available') {
    throw new Problem('invalid_state', {
      detail: `The image ${image.name} is ${image.status}.`,
      extra: { current_state: image.status, allowed_states: ['available'] },
    });
  }
  return image;
}

/** For prices: looks up only the account's own images among these ids. */
export async function findImageReferences(db: Db, accountId: string, ids: readonly string[]) {
  const wanted = ids.filter((id) => id.startsWith('img_'));
  const rows = wanted.length === 0 ? [] : await findImageRows(db, accountId, wanted);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return { image: (id: string) => byId.get(id) ?? null };
}
