/** Where the backups of a location are stored. The rest of the program reads the result of `backupStoreOf`. */
import { join, resolve } from 'node:path';
import { Nullable, OneOf, Shape, type Static, Type } from '../kernel/schema.ts';
import { Count, Default } from './words.ts';

export const BackupStore = Shape({
  driver: OneOf(['folder']),
  /** A folder that all processes see, on other storage than that of the machines. Relative to the provider's file. */
  folder: Type.String({ minLength: 1, maxLength: 4096 }),
  /** The most that a process writes to the store. `null`: no limit. */
  megabytes_per_second: Default(Nullable(Count), null),
});
export type BackupStore = Static<typeof BackupStore>;

/** The sandbox keeps backups in the data folder. Other locations have none unless the provider names a store. */
export function backupStoreOf(
  {
    backups,
    compute,
  }: { readonly backups: BackupStore | null; readonly compute: { readonly driver: string } | null },
  dataFolder: string,
): BackupStore | null {
  if (backups !== null) return backups;
  if (compute?.driver !== 'sandbox') return null;
  return { driver: 'folder', folder: join(dataFolder, 'backups'), megabytes_per_second: null };
}

export const withAbsoluteFolder = (store: BackupStore, folder: string): BackupStore => ({
  ...store,
  folder: resolve(folder, store.folder),
});
