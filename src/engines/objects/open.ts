/** Opens the store for the backups of each location. */
import { backupStoreOf } from '../../provider/backup-store.ts';
import { type EngineOptions, openEngines, type RunningEngines } from '../open.ts';
import { FolderStore } from './folder.ts';
import type { ObjectStore } from './port.ts';

export const openObjects = (options: EngineOptions): RunningEngines<ObjectStore> =>
  openEngines(options, (location, { provider }) => {
    const store = backupStoreOf(location, provider.database.folder);
    if (store === null) return null;
    return new FolderStore({
      location: location.slug,
      folder: store.folder,
      megabytesPerSecond: store.megabytes_per_second,
    });
  });
