/** Which of the backups of a machine counts. They are listed the newest first. */
import type { Backup } from '../../../data/storage-types.ts';

export interface Newest {
  /** The newest that can be restored. */
  readonly ready: Backup | undefined;
  /** One that is being made now. */
  readonly coming: Backup | undefined;
  /** The newest try, if it failed. */
  readonly failed: Backup | undefined;
}

export function newestOf(backups: readonly Backup[]): Newest {
  const tried = backups.filter(({ status }) => status !== 'deleting');
  const last = tried.find(({ status }) => status !== 'creating');
  return {
    ready: tried.find(({ status }) => status === 'available'),
    coming: tried.find(({ status }) => status === 'creating'),
    failed: last?.status === 'failed' ? last : undefined,
  };
}
