import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkCidr } from './allowed-range.ts';

const ranges = fc.oneof(
  fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([ip, n]) => `${ip}/${n}`),
  fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })).map(([ip, n]) => `${ip}/${n}`),
);

describe('checkCidr', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1/32', null],
    ['10.0.0.0/8', '10.0.0.0/8', null],
    ['2001:DB8::/32', '2001:db8::/32', null],
    ['2001:db8::/16', null, 'host_bits_set'],
    ['2001::/16', '2001::/16', null],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8', null],
    ['::ffff:192.0.2.1', '192.0.2.1/32', null],
    ['::ffff:192.0.2.1/128', '192.0.2.1/32', null],
    ['192.0.2.1/24', null, 'host_bits_set'],
    ['0.0.0.0/0', null, 'cidr_too_broad'],
    ['10.0.0.0/7', null, 'cidr_too_broad'],
    ['10.1.2.3/7', null, 'cidr_too_broad'],
    ['::/0', null, 'cidr_too_broad'],
    ['2000::/15', null, 'cidr_too_broad'],
    ['::ffff:0:0/96', null, 'cidr_too_broad'],
    ['::ffff:0:0/95', null, 'invalid_format'],
    ['0.0.0.0', null, 'invalid_format'],
    ['0.0.0.0/8', null, 'invalid_format'],
    ['::', null, 'invalid_format'],
    ['::/16', null, 'invalid_format'],
    ['224.0.0.1', null, 'invalid_format'],
    ['239.1.2.3/8', null, 'invalid_format'],
    ['ff02::1', null, 'invalid_format'],
    ['240.0.0.1', null, 'invalid_format'],
    ['255.255.255.255', null, 'invalid_format'],
    ['64:ff9b::e000:1', null, 'invalid_format'],
    ['127.0.0.1', '127.0.0.1/32', null],
    ['::1', '::1/128', null],
    ['fe80::1%eth0', null, 'invalid_format'],
    ['192.0.2.0/33', null, 'invalid_format'],
    ['192.0.2.0/024', null, 'invalid_format'],
    ['192.0.2.0/', null, 'invalid_format'],
    ['192.0.2.0/24/24', null, 'invalid_format'],
    ['192.0.2.0/-1', null, 'invalid_format'],
    ['192.0.2.0/2 4', null, 'invalid_format'],
    ['192.0.2.0/255.255.255.0', null, 'invalid_format'],
    ['office', null, 'invalid_format'],
  ])('%s gives %s %s', (text, canonical, code) => {
    const result = checkCidr(text);
    expect(result.ok ? [result.cidr.text, null] : [null, result.code]).toEqual([canonical, code]);
  });

  it('offers the corrected range', () => {
    expect(checkCidr('192.0.2.77/24')).toMatchObject({ code: 'host_bits_set', corrected: '192.0.2.0/24' });
    expect(checkCidr('::ffff:10.1.1.1/104')).toMatchObject({ corrected: '10.0.0.0/8' });
    expect(checkCidr('2001:db8:1:2:3::/64')).toMatchObject({ corrected: '2001:db8:1:2::/64' });
  });

  it('accepts every correction it offers, and its own canonical text', () => {
    fc.assert(
      fc.property(ranges, (text) => {
        const result = checkCidr(text);
        if (result.ok) expect(checkCidr(result.cidr.text)).toEqual(result);
        else if (result.code === 'host_bits_set') {
          const again = checkCidr(result.corrected);
          expect(again.ok && again.cidr.text).toBe(result.corrected);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('hints at privacy addresses for IPv6 narrower than /64 only', () => {
    const hinted = (text: string) => {
      const result = checkCidr(text);
      return result.ok && result.hint !== null;
    };
    expect(['2001:db8::1', '2001:db8::/65', '2001:db8::/64', '192.0.2.1'].map(hinted)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
