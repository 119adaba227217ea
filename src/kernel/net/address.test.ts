import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { addressFromWords, parseAddress } from './address.ts';

const word = fc.oneof(
  fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  fc.constantFrom(0, 1, 0xffff, -65536, -1),
);
const words = fc.tuple(word, word, word, word);

/** Texts that look like addresses, so that valid and invalid ones both occur often. */
const nearAddress = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.stringMatching(/^[0-9a-fA-F:.%]{0,24}$/),
  fc
    .array(fc.constantFrom('0', '00', '1', 'ffff', '1234', 'g', '', '255', '256', '1.2.3.4', '01.2.3.4'), {
      maxLength: 9,
    })
    .map((groups) => groups.join(':')),
  fc
    .array(fc.constantFrom('0', '00', '01', '7', '10', '99', '255', '256', '300', ''), { maxLength: 5 })
    .map((octets) => octets.join('.')),
);

describe('parseAddress', () => {
  it('accepts exactly the addresses that Node accepts', () => {
    fc.assert(
      fc.property(nearAddress, (text) => {
        const accepted = isIPv4(text) || (isIPv6(text) && !text.includes('%'));
        expect(parseAddress(text) !== null).toBe(accepted);
      }),
      { numRuns: 5000 },
    );
  });

  it('formats according to RFC 5952 and parses that again', () => {
    fc.assert(
      fc.property(words, ([w0, w1, w2, w3]) => {
        const address = addressFromWords(w0, w1, w2, w3);
        const oracle = ipaddr.process(address.text);
        expect(address.text).toBe(
          oracle instanceof ipaddr.IPv6 ? oracle.toRFC5952String() : oracle.toString(),
        );
        expect(parseAddress(address.text)).toEqual(address);
      }),
      { numRuns: 2000 },
    );
  });

  it('has one canonical form for every notation', () => {
    fc.assert(
      fc.property(words, ([w0, w1, w2, w3]) => {
        const address = addressFromWords(w0, w1, w2, w3);
        const groups = [w0, w1, w2, w3].flatMap((w) => [w >>> 16, w & 0xffff]);
        const full = groups.map((group) => group.toString(16).padStart(4, '0')).join(':');
        expect(parseAddress(full)).toEqual(address);
        expect(parseAddress(full.toUpperCase())).toEqual(address);
      }),
    );
  });

  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['0.0.0.0', '0.0.0.0'],
    ['::', '::'],
  ])('%s is %s', (text, canonical) => {
    expect(parseAddress(text)?.text).toBe(canonical);
    expect(parseAddress(text)?.text).toBe(canonical);
  });

  it.each([
    '',
    ' 1.2.3.4',
    '1.2.3.4 ',
    '01.2.3.4',
    '1.2.3.04',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '0x1.2.3.4',
    '3232235777',
    'fe80::1%eth0',
    '[::1]',
    ':1',
    '1:',
    '1::2::3',
    '1:2:3:4:5:6:7::8',
    '::12345',
    '1.2.3.4:80',
    '::1.2.3.4:5',
    '１.2.3.4',
  ])('refuses %j', (text) => {
    expect(parseAddress(text)).toBeNull();
  });

  it('does not confuse a cached IPv6 address with an IPv4-mapped one', () => {
    expect(parseAddress('2001:db8::7')).not.toBeNull();
    expect(parseAddress('::ffff:2001:db8::7')).toBeNull();
  });

  it('is correct after more addresses than the cache holds', () => {
    for (let i = 0; i < 10_000; i++) parseAddress(`10.1.${i >> 8}.${i & 255}`);
    expect(parseAddress('10.1.2.3')?.text).toBe('10.1.2.3');
  });
});
