import { expect, it } from 'vitest';
import { isWeakKey, newKeyPair } from './wireguard-keys.ts';

/** The points of Curve25519 whose order is small, little-endian, with the forms above the prime. */
const POINTS = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800',
  '5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
];

it.each(POINTS)('%s is a weak key, also with its highest bit set, which is ignored', (hex) => {
  const point = Buffer.from(hex, 'hex');
  const twin = Buffer.from(point);
  twin.writeUInt8(twin.readUInt8(31) | 0x80, 31);
  expect([point, twin].map((key) => isWeakKey(key.toString('base64')))).toEqual([true, true]);
});

it('generated keys are not weak', () => {
  expect(isWeakKey(newKeyPair().publicKey)).toBe(false);
});
