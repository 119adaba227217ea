/**
 * Permissions are triples `<family>:<resource>:<verb>`; the vocabulary is whatever the registry's records name.
 * A pattern may put `*` for a whole segment. Sets only grow by adding, so reading one never needs an order.
 */
export type Verb = 'read' | 'write' | 'delete';
export type Permission = `${string}:${string}:${Verb}`;

export const PATTERN = /^(\*|[a-z][a-z0-9-]*):(\*|[a-z][a-z0-9-]*):(\*|read|write|delete)$/;

/** Every key has these: otherwise it could neither ask what it may do nor wait for what it started. */
export const IMPLICIT: readonly Permission[] = ['account:self:read', 'account:operations:read'];

export function matches(pattern: string, permission: string): boolean {
  const [family, resource, verb] = pattern.split(':');
  const [f, r, v] = permission.split(':');
  return (
    (family === '*' || family === f) && (resource === '*' || resource === r) && (verb === '*' || verb === v)
  );
}

export function allows(patterns: readonly string[], permission: string): boolean {
  return patterns.some((pattern) => matches(pattern, permission));
}

type Segments = readonly string[];

const covers = (wider: Segments, narrower: Segments): boolean =>
  wider.every((segment, i) => segment === '*' || segment === narrower[i]);

/** Without duplicates and without patterns that another one of the set covers, in the order given. */
export function fold(patterns: readonly string[]): string[] {
  const unique = [...new Set(patterns)].map((pattern) => pattern.split(':'));
  // Only a wildcard covers others: a list of keys with a hundred plain triples each must not cost their square.
  const wide = unique.filter((pattern) => pattern.includes('*'));
  const kept = unique.filter((pattern) => !wide.some((other) => other !== pattern && covers(other, pattern)));
  return kept.map((pattern) => pattern.join(':'));
}

export function expand(patterns: readonly string[], vocabulary: Iterable<string>): string[] {
  return [...vocabulary].filter((permission) => allows(patterns, permission));
}
