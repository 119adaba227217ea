import { createHash } from 'node:crypto';

/** A resource's version as clients see it. Changes with what they can set or undo, not with figures such as `last_used`. */
export function etagOf(id: string, version: number): string {
  return createHash('sha256').update(`${id} ${version}`).digest('base64url').slice(0, 16);
}
