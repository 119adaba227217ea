import { randomBytes } from 'node:crypto';

/** Returns an id as long as the ids in production, so that drivers are tested with names of that length. */
export const freshId = (prefix: string): string => `${prefix}_${randomBytes(13).toString('hex')}`;
