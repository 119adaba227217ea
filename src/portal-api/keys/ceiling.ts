/**
 * Checks the permissions of a new key: each pattern must match known permissions and be covered by its
 * owner's role. A wildcard may include sensitive permissions that the role lacks, because every request
 * checks them again; a pattern that matches only such permissions is refused.
 */
import { allows, matches } from '../../kernel/access/permissions.ts';
import { type RoleName, roles } from '../../kernel/access/roles.ts';
import { judgePattern, nearestPattern, type Vocabulary } from '../../kernel/access/vocabulary.ts';
import type { Warning } from '../../kernel/effect.ts';
import { familyNames } from '../../kernel/families.ts';
import type { FieldError } from '../../kernel/problems/problem.ts';

/** Returns the pattern of everything that both patterns match, or null if that is nothing. */
function intersect(a: string, b: string): string | null {
  const theirs = b.split(':');
  const parts = a.split(':').map((mine, i) => {
    const other = theirs[i] ?? '*';
    if (mine === '*') return other;
    return other === '*' || other === mine ? mine : null;
  });
  return parts.includes(null) ? null : parts.join(':');
}

const covers = (wider: string, narrower: string): boolean => intersect(wider, narrower) === narrower;

/** Roles list each family separately, so a pattern for all families is checked family by family. */
const perFamily = (pattern: string): string[] =>
  pattern.startsWith('*') ? familyNames.map((family) => `${family}${pattern.slice(1)}`) : [pattern];

export function exceedsRole(pattern: string, name: RoleName, vocabulary: Vocabulary): boolean {
  const role = roles[name];
  const asked = perFamily(pattern);
  if (!asked.every((part) => role.patterns.some((given) => covers(given, part)))) return true;
  const taken = (role.except ?? []).flatMap((except) => asked.map((part) => intersect(except, part)));
  const isTaken = (part: string) => !role.keeping?.some((kept) => covers(kept, part));
  if (taken.some((part) => part !== null && isTaken(part))) return true;
  if (role.sensitive) return false;
  const known = vocabulary.permissions.filter((permission) => matches(pattern, permission));
  return known.length > 0 && known.every((permission) => vocabulary.sensitive.has(permission));
}

function patternFault(
  pattern: string,
  vocabulary: Vocabulary,
  role: RoleName | undefined,
): Omit<FieldError, 'pointer'> | null {
  switch (judgePattern(vocabulary, pattern)) {
    case 'malformed': {
      const detail = `${pattern} is not <family>:<resource>:<read, write or delete>, with * for a whole part.`;
      return { code: 'invalid_format', detail };
    }
    case 'unknown': {
      const meant = nearestPattern(vocabulary, pattern);
      const hint =
        meant === null ? 'GET /account/v1/my-apis lists all permissions.' : `Did you mean ${meant}?`;
      return { code: 'unknown_reference', detail: `No permission matches ${pattern}. ${hint}` };
    }
    case 'known':
    case 'unused':
      if (role === undefined || !exceedsRole(pattern, role, vocabulary)) return null;
      return { code: 'out_of_range', detail: `${pattern} goes beyond what the role ${role} may do.` };
  }
}

export function patternFaults(
  patterns: readonly string[],
  vocabulary: Vocabulary,
  role: RoleName | undefined,
): FieldError[] {
  return patterns.flatMap((pattern, i) => {
    const fault = patternFault(pattern, vocabulary, role);
    return fault === null ? [] : [{ pointer: `/permissions/${i}`, ...fault }];
  });
}

export function patternWarnings(patterns: readonly string[], vocabulary: Vocabulary): Warning[] {
  const unused = patterns.filter((pattern) => judgePattern(vocabulary, pattern) === 'unused');
  const wide = patterns.filter((pattern) => pattern.includes('*'));
  const sensitive = [...vocabulary.sensitive].filter((permission) => allows(patterns, permission));
  const told = [
    ['unused_permission', 'No endpoint uses this yet', unused],
    ['wildcard_permission', 'Wildcards also hold for endpoints that are added later', wide],
    ['sensitive_permission', 'The key has sensitive permissions', sensitive],
  ] as const;
  return told
    .filter(([, , which]) => which.length > 0)
    .map(([code, what, which]) => ({ code, detail: `${what}: ${which.join(', ')}.` }));
}
