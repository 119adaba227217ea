import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches, type Permission } from '../../kernel/access/permissions.ts';
import { roleAllows, roleNames } from '../../kernel/access/roles.ts';
import {
  contractPermissions,
  judgePattern,
  nearestPattern,
  type Vocabulary,
} from '../../kernel/access/vocabulary.ts';
import { familyNames } from '../../kernel/families.ts';
import { buildRegistry } from '../../kernel/registry.ts';
import { exceedsRole } from './ceiling.ts';

const sensitive = new Set<Permission>(['flexible-vps:vm-access:write', 'kubernetes:kubeconfigs:write']);
const nouns = ['vms', 'networks', 'vm-access', 'orders', 'kubeconfigs', 'budgets', 'members'];
const vocabulary: Vocabulary = {
  permissions: familyNames.flatMap((family) =>
    nouns.flatMap((noun) =>
      (['read', 'write', 'delete'] as const).map((verb): Permission => `${family}:${noun}:${verb}`),
    ),
  ),
  sensitive,
  planned: [],
};

const pattern = fc
  .tuple(
    fc.constantFrom(...familyNames, '*'),
    fc.constantFrom(...nouns, '*'),
    fc.constantFrom('read', 'write', 'delete', '*'),
  )
  .map((parts) => parts.join(':'));

describe('the ceiling of a role', () => {
  it('allows exactly the patterns whose permissions the role has', () => {
    fc.assert(
      fc.property(pattern, fc.constantFrom(...roleNames), (asked, role) => {
        const spanned = vocabulary.permissions.filter((permission) => matches(asked, permission));
        const plain = spanned.filter((permission) => !sensitive.has(permission));
        const all = plain.every((permission) => roleAllows(role, permission, false));
        const some = spanned.some((permission) => roleAllows(role, permission, sensitive.has(permission)));
        expect(exceedsRole(asked, role, vocabulary)).toBe(!(all && some));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['developer', 'flexible-vps:vms:*', false],
    ['developer', 'flexible-vps:networks:*', true],
    ['developer', 'flexible-vps:*:write', false],
    ['developer', 'flexible-vps:vm-access:write', true],
    ['developer', 'dedicated:*:write', true],
    ['viewer', '*:*:read', false],
    ['viewer', '*:*:*', true],
    ['operator', 'account:*:*', true],
    ['operator', '*:*:read', false],
    ['operator', '*:*:write', true],
    ['operator', 'kubernetes:kubeconfigs:write', false],
    ['billing', 'account:members:read', true],
    ['owner', '*:*:*', false],
  ] as const)('%s and %s: exceeds %s', (role, asked, expected) => {
    expect(exceedsRole(asked, role, vocabulary)).toBe(expected);
  });
});

describe('the vocabulary', () => {
  it('accepts patterns of endpoints that are not built yet, and refuses other unknown ones', () => {
    const nothing = contractPermissions(buildRegistry([]));
    expect(judgePattern(nothing, 'storage:buckets:read')).toBe('unused');
    expect(judgePattern(nothing, '*:*:read')).toBe('unused');
    for (const wrong of [
      'no-such:buckets:read',
      'storage:bucketz:read',
      'storage:regions:delete',
      '*:nodez:*',
    ])
      expect(judgePattern(nothing, wrong)).toBe('unknown');
    expect(judgePattern(vocabulary, 'storage:vms:read')).toBe('known');
    expect(judgePattern(vocabulary, 'storage:vmz:read')).toBe('unknown');
    expect(judgePattern(vocabulary, '*:vmz:read')).toBe('unknown');
    for (const wrong of ['storage:*', 'storage:vm*:read', 'storage:vms:list', 'Storage:vms:read', '']) {
      expect(judgePattern(vocabulary, wrong)).toBe('malformed');
    }
  });

  it.each([
    ['flexible-vps:vmz:read', 'flexible-vps:vms:read'],
    ['flexible-vp:vms:*', 'flexible-vps:vms:*'],
    ['*:network:write', '*:networks:write'],
    ['quite:something:write', null],
  ])('suggests for %s: %s', (pattern, meant) => {
    expect(nearestPattern(vocabulary, pattern)).toBe(meant);
  });
});
