import type { Generated, Selectable } from 'kysely';
import type { OwnedTable } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';
import type { Os } from '../hardware.ts';
import type { ImageState } from './lifecycle.ts';

/** What an image was created from. `url` has no query, because the query may contain a signature. */
export interface ImageSource {
  readonly type: 'provider' | 'vm' | 'snapshot' | 'backup' | 'url';
  readonly id: string | null;
  readonly url: string | null;
}

interface ImagesTable extends OwnedTable {
  description: Generated<string>;
  os: Os;
  architecture: 'amd64' | 'arm64';
  boot_mode: 'uefi' | 'bios';
  secure_boot: Generated<boolean>;
  min_disk_gb: number;
  min_memory_mb: number;
  size_bytes: number | null;
  sha256: string | null;
  cloud_init: boolean;
  guest_agent: boolean;
  default_user: string;
  source: ImageSource;
  /** The complete URL, encrypted because it may contain a signature; `null` once the file is fetched. */
  sealed_url: Buffer | null;
  /** Locations that have the image; others get a copy when the first machine there is created from it. */
  locations: Generated<string[]>;
  status: ImageState;
  progress_percent: number | null;
  failure: { readonly code: string; readonly detail: string } | null;
  failed_at: Date | null;
  provisioned_at: Date | null;
}

declare module '../../../store/database.ts' {
  interface Tables {
    vps_images: ImagesTable;
  }
}

export type ImageRow = Selectable<Tables['vps_images']>;
