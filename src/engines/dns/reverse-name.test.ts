import { describe, expect, it } from 'vitest';
import { parseCidr } from '../../kernel/net/cidr.ts';
import { addressOfName, rangeOfZone, reverseNameOf, zoneNameOf } from './reverse-name.ts';

const names: readonly [string, string][] = [
  ['203.0.113.20', '20.113.0.203.in-addr.arpa.'],
  ['255.0.255.1', '1.255.0.255.in-addr.arpa.'],
  ['2001:db8::1', `1.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa.`],
  [
    'fedc:ba98:7654:3210:123:4567:89ab:cdef',
    'f.e.d.c.b.a.9.8.7.6.5.4.3.2.1.0.0.1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.ip6.arpa.',
  ],
];

describe('the reverse name', () => {
  it.each(names)('of %s is %s, and leads back', (address, name) => {
    expect(reverseNameOf(address)).toBe(name);
    expect(addressOfName(name)).toBe(address);
    expect(addressOfName(name.toUpperCase())).toBe(address);
  });

  it.each([
    '113.0.203.in-addr.arpa.',
    '256.113.0.203.in-addr.arpa.',
    '020.113.0.203.in-addr.arpa.',
    '1.20.113.0.203.in-addr.arpa.',
    '20.0/26.113.0.203.in-addr.arpa.',
    '_x.113.0.203.in-addr.arpa.',
    'g.0.0.2.ip6.arpa.',
    'example.com.',
  ])('%s is that of no single address', (name) => {
    expect(addressOfName(name)).toBeNull();
  });
});

describe('the range of a zone', () => {
  it.each([
    ['113.0.203.in-addr.arpa.', '203.0.113.0/24'],
    ['10.in-addr.arpa.', '10.0.0.0/8'],
    ['in-addr.arpa.', '0.0.0.0/0'],
    ['8.b.d.0.1.0.0.2.ip6.arpa.', '2001:db8::/32'],
    ['ip6.arpa.', '::/0'],
  ])('%s is %s, which leads back to its name', (name, range) => {
    const cidr = rangeOfZone(name);
    expect(cidr?.text).toBe(range);
    expect(`${zoneNameOf(cidr!)}.`).toBe(name);
  });

  it.each(['example.com.', '0/26.113.0.203.in-addr.arpa.', 'in-addr.arpa.example.', 'xin-addr.arpa.'])(
    '%s is for no range of addresses',
    (name) => {
      expect(rangeOfZone(name)).toBeNull();
    },
  );

  it.each([
    ['203.0.113.64/26', '113.0.203.in-addr.arpa'],
    ['203.0.113.7/32', '113.0.203.in-addr.arpa'],
    ['203.0.96.0/19', '0.203.in-addr.arpa'],
    ['2001:db8:100::/42', '1.0.8.b.d.0.1.0.0.2.ip6.arpa'],
  ])('%s lies in a zone %s', (range, name) => {
    expect(zoneNameOf(parseCidr(range)!.cidr)).toBe(name);
  });
});
