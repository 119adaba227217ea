/** Where the backups of a location are stored. The rest of the program reads the result of `backupStoreOf`. */
import { join } from 'node:path';
import { Shape, type Static, Type } from '../../kernel/schema.ts';
import { Driver, Member } from '../../provider/driver-members.ts';
import { Count, Path } from '../../provider/words.ts';

declare module '../../provider/catalogue.ts' {
  interface LocationPorts {
    /** `null`: the location offers no backups, unless it is a sandbox. */
    backups: BackupStore | null;
  }
}

const folder = {
  /** A folder that all processes see, on other storage than that of the machines. Relative to the provider's file. */
  folder: Member(Path),
};

const s3 = {
  endpoint: Member(
    Type.String({
      pattern: '^https?://[^\\s@/?#]+/?$',
      maxLength: 255,
      examples: ['https://s3.eu-central-1.amazonaws.com', 'https://10.0.0.5:7480'],
    }),
  ),
  region: Member(Type.String({ pattern: '^[a-z0-9-]+$', maxLength: 63, examples: ['eu-central-1'] })),
  bucket: Member(
    Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$', maxLength: 63, examples: ['backups'] }),
  ),
  /** Files with one line each. They are read for each request, so that keys can be exchanged at any time. */
  access_key_file: Member(Path),
  secret_key_file: Member(Path),
  /** For a store with a certificate that no public CA signed. If set, only these authorities are trusted. */
  ca_file: Member(Path),
};

export const storeDrivers = { folder, s3 };

export const BackupStore = Shape({
  driver: Driver(storeDrivers),
  ...folder,
  ...s3,
  /** The most that a process writes to the store, and the most that customers download from it. `null`: no limit. */
  megabytes_per_second: Member(Count),
});
export type BackupStore = Static<typeof BackupStore>;

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

/** A sandbox keeps backups in the data folder. Other locations have none unless the provider names a store. */
export function backupStoreOf(
  backups: BackupStore | null,
  isSandbox: boolean,
  dataFolder: string,
): BackupPlace | null {
  if (backups !== null) return backupPlaceOf(backups);
  if (!isSandbox) return null;
  return { driver: 'folder', folder: join(dataFolder, 'backups'), megabytesPerSecond: null };
}
