import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress } from './address.ts';
import { parseCidr } from './cidr.ts';
import { clientAddress, rateLimitKey, trustProxies } from './client-address.ts';

const proxies = trustProxies(['10.0.0.0/8', '2001:db8:ffff::/48', '192.0.2.9']);
const from = (peer: string | undefined, forwardedFor?: string) =>
  clientAddress({ peer, forwardedFor }, proxies).text;

const trusted = fc.oneof(
  fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `10.${a}.0.${b}`),
  fc.constantFrom('192.0.2.9', '::ffff:10.1.2.3', '2001:db8:ffff::5', '2001:DB8:FFFF:0::6'),
);
const untrusted = fc
  .oneof(fc.ipV4(), fc.ipV6())
  .filter((text) => proxies.trie.match(parseAddress(text)!) === undefined);
const anything = fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f:., \t%[\]]*$/), trusted, untrusted);

describe('clientAddress', () => {
  it('is the first untrusted hop from the right, whatever the client sends in the header', () => {
    fc.assert(
      fc.property(
        fc.array(anything, { maxLength: 5 }),
        untrusted,
        fc.array(trusted, { maxLength: 4 }),
        trusted,
        fc.constantFrom(',', ', ', ' ,\t'),
        (spoofed, client, hops, peer, separator) => {
          const header = [...spoofed, client, ...hops].join(separator);
          expect(from(peer, header)).toBe(parseAddress(client)!.text);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('is the peer if the peer is not a trusted proxy, whatever the header contains', () => {
    fc.assert(
      fc.property(untrusted, fc.option(anything, { nil: undefined }), (peer, header) => {
        expect(from(peer, header)).toBe(parseAddress(peer)!.text);
      }),
    );
  });

  it('is the peer when no proxy is trusted', () => {
    const nobody = trustProxies([]);
    const source = { peer: '10.0.0.1', forwardedFor: '203.0.113.7' };
    expect(clientAddress(source, nobody).text).toBe('10.0.0.1');
  });

  it.each([
    ['no header', undefined, '10.0.0.1'],
    ['an empty header', '', '10.0.0.1'],
    ['a malformed last hop', '203.0.113.7, unknown', '0.0.0.0'],
    ['a port', '203.0.113.7:4711', '203.0.113.7'],
    ['brackets', '[2001:db8::1]', '2001:db8::1'],
    ['brackets and a port', '[2001:db8::1]:4711', '2001:db8::1'],
    ['a zone id', 'fe80::1%eth0', '0.0.0.0'],
    ['leading zeros', '203.000.113.007', '0.0.0.0'],
    ['a malformed hop behind a trusted one', '203.0.113.7, x, 10.9.9.9', '0.0.0.0'],
    ['an empty element', '203.0.113.7,, 10.9.9.9', '0.0.0.0'],
    ['a leading comma', ',10.9.9.9', '0.0.0.0'],
    ['a trailing comma', '203.0.113.7,', '0.0.0.0'],
    ['only commas', ',,,', '0.0.0.0'],
    ['a malformed hop before the client', 'x, 203.0.113.7, 10.9.9.9', '203.0.113.7'],
    ['a mapped client', '::ffff:203.0.113.7', '203.0.113.7'],
    ['trusted hops only', '10.3.3.3, 10.2.2.2', '10.3.3.3'],
  ])('with %s', (_case, header, client) => {
    expect(from('10.0.0.1', header)).toBe(client);
    expect(from('::ffff:10.0.0.1', header)).toBe(client);
  });

  it('drops the zone of a link-local peer, and handles a peer without address', () => {
    expect(from('fe80::1%eth0')).toBe('fe80::1');
    expect(from(undefined, '203.0.113.7')).toBe('0.0.0.0');
    expect(from('')).toBe('0.0.0.0');
  });
});

describe('trustProxies', () => {
  it.each([
    ['10.0.0.0/7', /wider than \/8/],
    ['0.0.0.0/0', /wider than \/8/],
    ['::/0', /wider than \/8/],
    ['10.0.0.1/24', /"10\.0\.0\.0\/24"/],
    ['proxy.internal', /not an address range/],
  ])('refuses %s', (range, reason) => {
    expect(() => trustProxies(['192.0.2.1', range])).toThrow(reason);
  });

  it('accepts a /8', () => {
    expect(trustProxies(['10.0.0.0/8', 'fd00::/8']).ranges.map((cidr) => cidr.text)).toEqual([
      '10.0.0.0/8',
      'fd00::/8',
    ]);
  });
});

describe('rateLimitKey', () => {
  it.each([
    ['192.0.2.1', 64, '192.0.2.1'],
    ['::ffff:192.0.2.1', 64, '192.0.2.1'],
    ['2001:db8::1', 64, '2001:db8::/64'],
    ['2001:db8:1:2:3:4:5:6', 64, '2001:db8:1:2::/64'],
    ['2001:db8:1:2ff:3:4:5:6', 56, '2001:db8:1:200::/56'],
    ['2001:0:0:1::1', 64, '2001:0:0:1::/64'],
  ] as const)('%s by /%i is %s', (text, prefix, key) => {
    expect(rateLimitKey(parseAddress(text)!, prefix)).toBe(key);
  });

  it('is the canonical range around an IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.constantFrom(64 as const, 56 as const), (text, prefix) => {
        const address = parseAddress(text)!;
        fc.pre(address.family === 6);
        expect(rateLimitKey(address, prefix)).toBe(parseCidr(`${text}/${prefix}`)!.cidr.text);
      }),
    );
  });
});
