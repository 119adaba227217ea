import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allows, expand, fold, matches } from './permissions.ts';
import { roleAllows } from './roles.ts';

const segment = fc.constantFrom('account', 'storage', 'vms', '*');
const verb = fc.constantFrom('read', 'write', 'delete', '*');
const pattern = fc.tuple(segment, segment, verb).map((parts) => parts.join(':'));
const vocabulary = ['account', 'storage', 'vms'].flatMap((a) =>
  ['account', 'storage', 'vms'].flatMap((b) => ['read', 'write', 'delete'].map((c) => `${a}:${b}:${c}`)),
);

describe('permission patterns', () => {
  it('match whole segments only, and verbs do not include each other', () => {
    expect(matches('storage:*:read', 'storage:buckets:read')).toBe(true);
    expect(matches('storage:*:write', 'storage:buckets:read')).toBe(false);
    expect(matches('*:*:*', 'a:b:delete')).toBe(true);
    expect(matches('stor*:*:read', 'storage:buckets:read')).toBe(false);
  });

  it('can be folded without changing what they allow', () => {
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 8 }), (patterns) => {
        const folded = fold(patterns);
        expect(expand(folded, vocabulary)).toEqual(expand(patterns, vocabulary));
        expect(folded.length).toBeLessThanOrEqual(new Set(patterns).size);
      }),
    );
  });

  it('never allow less when a pattern is added', () => {
    fc.assert(
      fc.property(fc.array(pattern), pattern, (patterns, more) => {
        for (const permission of vocabulary) {
          if (allows(patterns, permission)) expect(allows([...patterns, more], permission)).toBe(true);
        }
      }),
    );
  });
});

describe('roles', () => {
  it.each([
    ['owner', 'account:api-keys:delete', true, true],
    ['operator', 'account:members:read', false, true],
    ['operator', 'account:api-keys:delete', true, false],
    ['operator', 'account:budgets:delete', false, true],
    ['developer', 'flexible-vps:vms:delete', false, true],
    ['developer', 'flexible-vps:networks:delete', false, false],
    ['developer', 'flexible-vps:vm-access:write', true, false],
    ['developer', 'dedicated:orders:write', false, false],
    ['viewer', 'storage:buckets:read', false, true],
    ['viewer', 'storage:buckets:write', false, false],
    ['billing', 'account:usage:read', false, false],
  ] as const)('%s and %s (sensitive %s): allowed %s', (role, permission, sensitive, expected) => {
    expect(roleAllows(role, permission, sensitive)).toBe(expected);
  });
});
