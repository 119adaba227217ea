import { formatBytes } from '../../../data/sizes.ts';
import type { Backup } from '../../../data/storage-types.ts';
import { formatTime } from '../../../data/words.ts';
import { consistencies } from './words.ts';

/** When it was taken, how large it is, and in which state its files are. */
export const Taken = ({ backup }: { backup: Backup }) => (
  <p className="text-sm text-muted">
    {[
      formatTime(backup.created_at),
      ...(backup.size_bytes === null ? [] : [formatBytes(backup.size_bytes)]),
      ...(backup.consistency === null ? [] : [consistencies[backup.consistency].toLowerCase()]),
    ].join(' · ')}
  </p>
);
