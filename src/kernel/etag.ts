import { createHash } from 'node:crypto';

/** The ETag of a resource. It changes with members that clients can set, not with figures such as `last_used`. */
export function etagOf(id: string, version: number): string {
  return createHash('sha256').update(`${id} ${version}`).digest('base64url').slice(0, 16);
}
