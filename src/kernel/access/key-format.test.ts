import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { issueKey, maskKeys, matchesDigest, readPublicId, toDigest } from './key-format.ts';

const VECTOR = 'hpk1_EXAMPLEkey00_EXAMPLEONLYdoNOTuse00000000000001bUagA';

describe('key format', () => {
  it('accepts the reserved vector and reads its public id', () => {
    expect(VECTOR).toHaveLength(56);
    expect(readPublicId(VECTOR)).toBe('EXAMPLEkey00');
  });

  it('issues keys of the documented shape whose hash matches only themselves', () => {
    const seen = new Set<string>();
    for (let i = 0; i < 200; i++) {
      const { key, publicId, hash } = issueKey();
      expect(key).toMatch(/^hpk1_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/);
      expect(readPublicId(key)).toBe(publicId);
      expect(matchesDigest(key, toDigest(hash))).toBe(true);
      expect(matchesDigest(VECTOR, toDigest(hash))).toBe(false);
      seen.add(key);
    }
    expect(seen.size).toBe(200);
  });

  it('refuses every key with one character changed', () => {
    fc.assert(
      fc.property(fc.nat({ max: 55 }), fc.constantFrom(...'0aZ_-'), (at, letter) => {
        fc.pre(VECTOR[at] !== letter);
        expect(readPublicId(VECTOR.slice(0, at) + letter + VECTOR.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  it('masks keys anywhere in a text', () => {
    expect(maskKeys(`a ${VECTOR} b ${VECTOR}`)).toBe('a hpk1_EXAMPLEkey00_*** b hpk1_EXAMPLEkey00_***');
  });
});
