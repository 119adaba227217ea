import { join } from 'node:path';

/** Where tests keep what takes long to download or to build, for the next run. */
export const CACHE = join(import.meta.dirname, '..', '..', '.cache');
