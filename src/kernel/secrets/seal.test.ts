import fc from 'fast-check';
import { expect, it } from 'vitest';
import { newKey, parseKey, Seal } from './seal.ts';

const seal = new Seal(newKey());
const bytes = fc.uint8Array({ maxLength: 64 }).map((array) => Buffer.from(array));

it('a sealed secret can be opened, for its owner only', () => {
  fc.assert(
    fc.property(bytes, fc.string(), (secret, owner) => {
      const sealed = seal.close(secret, owner);
      expect(seal.open(sealed, owner)).toEqual(secret);
      expect(() => seal.open(sealed, `${owner}x`)).toThrow();
    }),
  );
});

it('a sealed secret cannot be opened if it was changed, cut or sealed with another key', () => {
  const sealed = seal.close(Buffer.from('a secret'), 'wh_1');
  for (let i = 0; i < sealed.length; i++) {
    const broken = Buffer.from(sealed);
    broken[i]! ^= 1;
    expect(() => seal.open(broken, 'wh_1')).toThrow();
    expect(() => seal.open(sealed.subarray(0, i), 'wh_1')).toThrow();
  }
  expect(() => new Seal(newKey()).open(sealed, 'wh_1')).toThrow('sealed with another key');
});

it('sealing twice gives different texts, which show neither the secret nor the key', () => {
  const key = newKey();
  const one = new Seal(key);
  const secret = Buffer.from('this must not be seen');
  const sealed = one.close(secret, 'wh_1');
  expect(sealed).not.toEqual(one.close(secret, 'wh_1'));
  expect(sealed.includes(secret)).toBe(false);
  expect(one.fingerprint).not.toContain(key.toString('hex').slice(0, 8));
});

it('a key must have exactly 32 bytes', () => {
  const key = newKey();
  expect(parseKey(key.toString('base64'))).toEqual(key);
  for (const text of [
    '',
    'x',
    key.toString('hex'),
    `${key.toString('base64')}=`,
    key.subarray(1).toString('base64'),
  ])
    expect(parseKey(text)).toBeNull();
});
