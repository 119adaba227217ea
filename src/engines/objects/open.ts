/** Opens the store for the backups of each location. */
import type { Location } from '../../provider/catalogue.ts';
import type { DriverOptions } from '../open.ts';
import { FolderStore } from './folder.ts';
import type { ObjectStore } from './port.ts';
import { S3Store } from './s3/driver.ts';
import { type BackupPlace, type BackupStore, backupStoreOf } from './settings.ts';

export function openStore(location: string, place: BackupPlace): ObjectStore {
  return place.driver === 'folder'
    ? new FolderStore({ location, ...place })
    : new S3Store({ location, ...place });
}

export function openObjects(
  settings: BackupStore | null,
  location: Location,
  { provider, isSandbox }: Pick<DriverOptions, 'provider' | 'isSandbox'>,
): ObjectStore | null {
  const place = backupStoreOf(settings, isSandbox(location), provider.database.folder);
  return place && openStore(location.slug, place);
}
