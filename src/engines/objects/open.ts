/** Opens the store for the backups of each location. */
import { type BackupPlace, backupStoreOf } from '../../provider/backup-store.ts';
import { type EngineOptions, openEngines, type RunningEngines } from '../open.ts';
import { FolderStore } from './folder.ts';
import type { ObjectStore } from './port.ts';
import { S3Store } from './s3/driver.ts';

export function openStore(location: string, place: BackupPlace): ObjectStore {
  return place.driver === 'folder'
    ? new FolderStore({ location, ...place })
    : new S3Store({ location, ...place });
}

export const openObjects = (options: EngineOptions): RunningEngines<ObjectStore> =>
  openEngines(options, (location, { provider }) => {
    const place = backupStoreOf(location, provider.database.folder);
    return place && openStore(location.slug, place);
  });
