/**
 * Which permission patterns make sense: those that match a triple of the registry. While a family is still being
 * built its triples are not known yet, so a pattern that names it is taken at its word and told apart.
 */
import { familyNames, familySizes } from '../families.ts';
import type { Registry } from '../registry.ts';
import { matches, PATTERN, type Permission } from './permissions.ts';

export interface Vocabulary {
  readonly permissions: readonly Permission[];
  readonly sensitive: ReadonlySet<Permission>;
  /** Families with fewer records than the contract gives them. */
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

/** `unused`: no endpoint asks for it yet, but one of a family in the making may. */
export type PatternVerdict = 'known' | 'unused' | 'unknown' | 'malformed';

export function judgePattern(vocabulary: Vocabulary, pattern: string): PatternVerdict {
  if (!PATTERN.test(pattern)) return 'malformed';
  if (vocabulary.permissions.some((permission) => matches(pattern, permission))) return 'known';
  const family = pattern.split(':')[0] ?? '';
  const mayCome = family === '*' ? vocabulary.unfinished.size > 0 : vocabulary.unfinished.has(family);
  return mayCome ? 'unused' : 'unknown';
}
