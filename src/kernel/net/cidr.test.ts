import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { parseAddress } from './address.ts';
import { cidrContains, cidrCovers, parseCidr } from './cidr.ts';

const ranges = fc.oneof(
  fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })).map(([ip, n]) => `${ip}/${n}`),
  fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })).map(([ip, n]) => `${ip}/${n}`),
);

describe('containment', () => {
  it('agrees with ipaddr.js', () => {
    const near = fc.tuple(ranges, fc.oneof(fc.ipV4(), fc.ipV6()), fc.boolean());
    fc.assert(
      fc.property(near, ([text, other, inside]) => {
        const parsed = parseCidr(text);
        fc.pre(parsed !== null);
        const { cidr } = parsed;
        const address = inside ? parseAddress(text.slice(0, text.indexOf('/')))! : parseAddress(other)!;
        const [base, prefix] = ipaddr.parseCIDR(cidr.text);
        const oracle = ipaddr.process(address.text);
        const expected = base.kind() === oracle.kind() && oracle.match(base as ipaddr.IPv6, prefix);
        expect(cidrContains(cidr, address)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('covers the narrower of two nested ranges, never across families', () => {
    const range = (text: string) => parseCidr(text)!.cidr;
    expect(cidrCovers(range('10.0.0.0/8'), range('10.2.0.0/16'))).toBe(true);
    expect(cidrCovers(range('10.2.0.0/16'), range('10.0.0.0/8'))).toBe(false);
    expect(cidrCovers(range('10.0.0.0/8'), range('10.0.0.0/8'))).toBe(true);
    expect(cidrCovers(range('::fffe:0:0/95'), range('10.0.0.0/8'))).toBe(false);
  });
});
