/** Applies a change to the configuration of an existing resource. */
import type { PricedType } from './priced-type.ts';

export type Configuration = Readonly<Record<string, unknown>>;

/** JSON merge patch (RFC 7396), as in PATCH. Setting one of two alternative members removes the other. */
export function applyChange(type: PricedType, before: Configuration, change: Configuration): Configuration {
  const dropped = new Set<string>();
  for (const [one, other] of type.alternatives) {
    if (isSet(change, one)) dropped.add(other);
    else if (isSet(change, other)) dropped.add(one);
  }
  const kept = Object.entries(before).filter(([name]) => !dropped.has(name));
  return merge(Object.fromEntries(kept), change);
}

function isSet(change: Configuration, name: string): boolean {
  return Object.hasOwn(change, name) && change[name] !== null;
}

function merge(target: unknown, patch: Configuration): Configuration {
  const members = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, isObject(value) ? merge(members.get(name), value) : value);
  }
  return Object.fromEntries(members);
}

function isObject(value: unknown): value is Configuration {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
