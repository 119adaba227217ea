/**
 * Permissions are triples `<family>:<resource>:<verb>`. The records in the registry define which ones exist. A pattern
 * may use `*` for a whole segment. A set of patterns has no exclusions, so the order of its patterns does not matter.
 */
export type Verb = 'read' | 'write' | 'delete';
export type Permission = `${string}:${string}:${Verb}`;

export const PATTERN = /^(\*|[a-z][a-z0-9-]*):(\*|[a-z][a-z0-9-]*):(\*|read|write|delete)$/;

/** Every key has these, so that it can read its own permissions and wait for the operations it started. */
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

/** Removes duplicates and patterns that another pattern covers. Keeps the order. */
export function fold(patterns: readonly string[]): string[] {
  const unique = [...new Set(patterns)].map((pattern) => pattern.split(':'));
  // Only patterns with a wildcard can cover others. Comparing just those avoids quadratic cost for long lists.
  const wide = unique.filter((pattern) => pattern.includes('*'));
  const kept = unique.filter((pattern) => !wide.some((other) => other !== pattern && covers(other, pattern)));
  return kept.map((pattern) => pattern.join(':'));
}

export function expand(patterns: readonly string[], vocabulary: Iterable<string>): string[] {
  return [...vocabulary].filter((permission) => allows(patterns, permission));
}
