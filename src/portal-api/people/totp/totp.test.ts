import { describe, expect, it } from 'vitest';
import { base32, codeAt, matchingStep, otpauthUri, stepAt } from './totp.ts';

const secret = Buffer.from('12345678901234567890');

describe('one-time passwords', () => {
  it.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('are those of RFC 6238 at %d', (seconds, code) => {
    expect(codeAt(secret, stepAt(seconds), 8)).toBe(code);
    expect(matchingStep(secret, code.slice(2), seconds)).toBe(stepAt(seconds));
  });

  it('are accepted one step early and one step late, and no earlier and no later', () => {
    const code = codeAt(secret, 1000);
    const at = (step: number) => matchingStep(secret, code, step * 30);
    expect([998, 999, 1000, 1001, 1002].map(at)).toEqual([null, 1000, 1000, 1000, null]);
    expect(['', '12345', 'abcdef', '1234567'].map((text) => matchingStep(secret, text, 0))).toEqual(
      Array(4).fill(null),
    );
  });

  it('are set up by a link that apps read', () => {
    expect(base32(secret)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ');
    expect(otpauthUri(secret, 'My Host', 'a@b.c')).toBe(
      'otpauth://totp/My%20Host:a%40b.c?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=My%20Host',
    );
  });
});
