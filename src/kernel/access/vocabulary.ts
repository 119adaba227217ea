/**
 * Judges permission patterns: a known pattern matches a permission in the registry. The permissions of an unfinished
 * family are not complete yet, so a pattern for such a family is accepted and reported as `unused`.
 */
import { familyNames, familySizes } from '../families.ts';
import type { Registry } from '../registry.ts';
import { matches, PATTERN, type Permission } from './permissions.ts';

export interface Vocabulary {
  readonly permissions: readonly Permission[];
  readonly sensitive: ReadonlySet<Permission>;
  /** Families with fewer endpoints than `familySizes` defines. */
  readonly unfinished: ReadonlySet<string>;
}

export function contractPermissions(registry: Registry): Vocabulary {
  const unfinished = familyNames.filter((name) => {
    const built = registry.endpoints.filter((endpoint) => endpoint.family === name);
    return built.length < familySizes[name];
  });
  return {
    permissions: registry.permissions,
    sensitive: registry.sensitive,
    unfinished: new Set(unfinished),
  };
}

/** `unused`: no endpoint requires it yet, but a later endpoint of an unfinished family may. */
export type PatternVerdict = 'known' | 'unused' | 'unknown' | 'malformed';

export function judgePattern(vocabulary: Vocabulary, pattern: string): PatternVerdict {
  if (!PATTERN.test(pattern)) return 'malformed';
  if (vocabulary.permissions.some((permission) => matches(pattern, permission))) return 'known';
  const family = pattern.split(':')[0] ?? '';
  const mayCome = family === '*' ? vocabulary.unfinished.size > 0 : vocabulary.unfinished.has(family);
  return mayCome ? 'unused' : 'unknown';
}
