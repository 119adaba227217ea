/** Where the files that customers import are kept until an engine has them, and how much of that disk they may take. */
import { statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Nullable, Shape, type Static, Type } from '../kernel/schema.ts';
import { Default, Path } from './words.ts';

export const Imports = Shape({
  /** null: the data folder if it exists, otherwise the temporary folder of the system. */
  folder: Default(Nullable(Path), null),
  /** The part of the disk that imports leave free, because the database may be on the same disk. */
  keep_free_percent: Default(Type.Integer({ minimum: 0, maximum: 90 }), 10),
  /** The part of the rest that the imports of one account may take at the same time. */
  account_share_percent: Default(Type.Integer({ minimum: 1, maximum: 100 }), 50),
});
export type Imports = Static<typeof Imports>;

interface Configured {
  readonly imports: Imports;
  readonly database: { readonly folder: string };
}

export function importFolderOf({ imports, database }: Configured): string {
  if (imports.folder !== null) return imports.folder;
  const isThere = statSync(database.folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return isThere ? database.folder : tmpdir();
}

/** For the metrics: not a number if the folder cannot be used. */
export function freeBytesFor(config: Configured): number {
  try {
    const { bavail, bsize } = statfsSync(importFolderOf(config));
    return bavail * bsize;
  } catch {
    return Number.NaN;
  }
}
