/**
 * Where the backups of a location are stored. The schema contains the members of all drivers, so that a fault can name
 * a member that belongs to another driver. The rest of the program reads the result of `backupStoreOf`.
 */
import { join, resolve } from 'node:path';
import { Nullable, OneOf, Shape, type Static, Type } from '../kernel/schema.ts';
import { Count, Default, Path } from './words.ts';

export const BackupStore = Shape({
  driver: OneOf(['folder', 's3']),
  /** A folder that all processes see, on other storage than that of the machines. Relative to the provider's file. */
  folder: Default(Nullable(Path), null),
  endpoint: Default(
    Nullable(
      Type.String({
        pattern: '^https?://[^\\s@/?#]+/?$',
        maxLength: 255,
        examples: ['https://s3.eu-central-1.amazonaws.com', 'https://10.0.0.5:7480'],
      }),
    ),
    null,
  ),
  region: Default(
    Nullable(Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 63, examples: ['eu-central-1'] })),
    null,
  ),
  bucket: Default(
    Nullable(
      Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$', maxLength: 63, examples: ['backups'] }),
    ),
    null,
  ),
  /** Files with one line each. They are read for each request, so that keys can be exchanged at any time. */
  access_key_file: Default(Nullable(Path), null),
  secret_key_file: Default(Nullable(Path), null),
  /** For a store with a certificate that no public CA signed. If set, only these authorities are trusted. */
  ca_file: Default(Nullable(Path), null),
  /** The most that a process writes to the store, and the most that customers download from it. `null`: no limit. */
  megabytes_per_second: Default(Nullable(Count), null),
});
export type BackupStore = Static<typeof BackupStore>;

export const FOLDER_MEMBERS = ['folder'] as const;
export const S3_FILES = ['access_key_file', 'secret_key_file', 'ca_file'] as const;
export const S3_MEMBERS = ['endpoint', 'region', 'bucket', ...S3_FILES] as const;

export interface FolderPlace {
  readonly driver: 'folder';
  readonly folder: string;
}

export interface BucketPlace {
  readonly driver: 's3';
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyFile: string;
  readonly secretKeyFile: string;
  readonly authorityFile: string | null;
}

export type BackupPlace = (FolderPlace | BucketPlace) & { readonly megabytesPerSecond: number | null };

/** The region of stores that have none of their own: every one of them accepts it. */
const ANY_REGION = 'us-east-1';

/** Expects a checked file, in which all required members are set. */
export function backupPlaceOf(given: BackupStore): BackupPlace {
  const { driver, megabytes_per_second: megabytesPerSecond } = given;
  if (driver === 'folder') return { driver, folder: given.folder ?? '', megabytesPerSecond };
  return {
    driver,
    endpoint: given.endpoint ?? '',
    region: given.region ?? ANY_REGION,
    bucket: given.bucket ?? '',
    accessKeyFile: given.access_key_file ?? '',
    secretKeyFile: given.secret_key_file ?? '',
    authorityFile: given.ca_file,
    megabytesPerSecond,
  };
}

/** The sandbox keeps backups in the data folder. Other locations have none unless the provider names a store. */
export function backupStoreOf(
  {
    backups,
    compute,
  }: { readonly backups: BackupStore | null; readonly compute: { readonly driver: string } | null },
  dataFolder: string,
): BackupPlace | null {
  if (backups !== null) return backupPlaceOf(backups);
  if (compute?.driver !== 'sandbox') return null;
  return { driver: 'folder', folder: join(dataFolder, 'backups'), megabytesPerSecond: null };
}

/** Resolves relative file names, so that they are found from any working directory. */
export function withAbsolutePaths(store: BackupStore, folder: string): BackupStore {
  const paths = [...FOLDER_MEMBERS, ...S3_FILES].map((member) => {
    const path = store[member];
    return [member, path === null ? null : resolve(folder, path)] as const;
  });
  return { ...store, ...Object.fromEntries(paths) };
}
