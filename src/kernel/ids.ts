/** TypeIDs: a prefix that says what it is and a UUIDv7 that sorts by time. Opaque to clients. */
import { typeidUnboxed } from 'typeid-js';

export const prefixes = {
  account: 'acc',
  api_key: 'key',
  member: 'mem',
  allowlist_entry: 'ale',
  key_denial: 'den',
  audit_entry: 'aud',
  estimate: 'est',
  request: 'req',
} as const;

export type IdKind = keyof typeof prefixes;

export function newId(kind: IdKind): string {
  return typeidUnboxed(prefixes[kind]);
}
