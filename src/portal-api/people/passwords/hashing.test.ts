import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../testing/portal.ts';
import { hashCode, hashPassword, verifyPassword } from './hashing.ts';

describe('passwords', () => {
  it('are hashed with argon2id, 19 MiB and two passes', async () => {
    const hash = await hashPassword('a password');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await verifyPassword(hash, 'a password')).toBe(true);
    expect(await verifyPassword(hash, 'another password')).toBe(false);
    expect(await verifyPassword(null, 'a password')).toBe(false);
  });

  it('are hashed two at a time, 32 more wait, and others are refused for now', async () => {
    const all = Array.from({ length: 36 }, () => hashPassword('x'));
    const refused = await Promise.all(all.slice(34).map((each) => refusalOf(each)));
    expect(refused.map(({ code, status }) => [code, status])).toEqual([
      ['sign_in_busy', 503],
      ['sign_in_busy', 503],
    ]);
    expect((await Promise.all(all.slice(0, 34))).length).toBe(34);
    expect(await hashPassword('x')).toContain('argon2id');
  });

  it('hash a code differently for each person', async () => {
    const [one, same, other] = await Promise.all([
      hashCode('a', 'code'),
      hashCode('a', 'code'),
      hashCode('b', 'code'),
    ]);
    expect([one!.equals(same!), one!.equals(other!)]).toEqual([true, false]);
  });
});
