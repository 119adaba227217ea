import { randomBytes } from 'node:crypto';

/** Of the length of our ids, so that drivers meet names as long as they will in production. */
export const freshId = (prefix: string): string => `${prefix}_${randomBytes(13).toString('hex')}`;
