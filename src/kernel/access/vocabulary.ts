/**
 * Judges permission patterns: a pattern must match a permission in the registry, or one of the contract that no
 * endpoint requires yet.
 */
import { nearest } from '../did-you-mean.ts';
import type { Registry } from '../registry.ts';
import { matches, PATTERN, type Permission } from './permissions.ts';
import { plannedPermissions } from './planned-permissions.ts';

export interface Vocabulary {
  readonly permissions: readonly Permission[];
  readonly sensitive: ReadonlySet<Permission>;
  /** Permissions of the contract that no endpoint requires yet. */
  readonly planned: readonly Permission[];
}

export function contractPermissions(registry: Registry): Vocabulary {
  return { permissions: registry.permissions, sensitive: registry.sensitive, planned: plannedPermissions };
}

/** `unused`: no endpoint requires it yet, but a later one will. */
export type PatternVerdict = 'known' | 'unused' | 'unknown' | 'malformed';

export function judgePattern({ permissions, planned }: Vocabulary, pattern: string): PatternVerdict {
  if (!PATTERN.test(pattern)) return 'malformed';
  const isMatched = (permission: Permission): boolean => matches(pattern, permission);
  if (permissions.some(isMatched)) return 'known';
  return planned.some(isMatched) ? 'unused' : 'unknown';
}

/** The pattern that was probably meant: a permission with `*` in the same parts, or null if none is close. */
export function nearestPattern({ permissions, planned }: Vocabulary, pattern: string): string | null {
  const parts = pattern.split(':');
  const alike = [...permissions, ...planned].map((permission) =>
    permission
      .split(':')
      .map((part, i) => (parts[i] === '*' ? '*' : part))
      .join(':'),
  );
  return nearest(pattern, new Set(alike));
}
