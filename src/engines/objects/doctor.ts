/** The part of `doctor` for stores of backups: writes, reads and removes a small object. */
import { randomBytes } from 'node:crypto';
import type { ExamineLocation } from '../doctor.ts';
import { FolderStore } from './folder.ts';

/** Only stores that the provider's file names are examined: the sandbox needs none. */
export const examineObjects: ExamineLocation = async ({ slug, backups }) => {
  if (backups === null) return [];
  const name = `backups of ${slug}`;
  const { folder } = backups;
  const store = new FolderStore({ location: slug, folder, megabytesPerSecond: null });
  const bytes = randomBytes(1024);
  const prefix = `doctor-${randomBytes(8).toString('hex')}/`;
  try {
    await store.put(`${prefix}trial`, bytes);
    const isSame = (await store.get(`${prefix}trial`))?.equals(bytes) === true;
    await store.removeAll(prefix);
    if (isSame) return [{ name, detail: `objects can be written to ${folder}, read and removed` }];
    return [{ name, detail: `${folder} does not return what was written`, fix: 'Use another folder.' }];
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const detail = cause instanceof Error ? cause.message : String(cause);
    return [{ name, detail, fix: `Make ${folder} writable for Hostplane, and see that it has room.` }];
  }
};
