import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCidr as parseLenient } from '../../../kernel/net/cidr.ts';
import {
  addressAt,
  contains,
  gatewayOf,
  isUsable,
  localPrefix,
  overlaps,
  parseCidr,
  sizeOf,
  usableIn,
  usableRange,
} from './addresses.ts';

const around = (ip: string, prefix: number): string => parseLenient(`${ip}/${prefix}`)!.cidr.text;
const networks = fc.tuple(fc.ipV4(), fc.integer({ min: 16, max: 28 })).map(([ip, n]) => around(ip, n));
/** Beside ranges around ::ffff:0:0/96, whose addresses are IPv4 addresses in another form. */
const ranges = fc.oneof(
  networks,
  fc
    .tuple(fc.ipV6(), fc.integer({ min: 8, max: 124 }))
    .map(([ip, n]) => parseLenient(`${ip}/${n}`)?.cidr)
    .filter((cidr) => cidr?.base.family === 6 && cidr.base.w0 !== 0)
    .map((cidr) => cidr!.text),
);
const inside = (range: fc.Arbitrary<string>) =>
  range.chain((cidr) => fc.tuple(fc.constant(cidr), fc.bigInt({ min: 0n, max: sizeOf(cidr) - 1n })));

/** Lists every address of the range; use it for the smallest ranges only. */
const all = (cidr: string): string[] =>
  Array.from({ length: Number(sizeOf(cidr)) }, (_, index) => addressAt(cidr, index));

describe('a range', () => {
  it.each(['10.0.0.1/24', '10.0.0.0', '10.0.0.0/33', '10.0.0.0/', 'fd00::1/64', 'nothing', ''])(
    'cannot be parsed from %j',
    (text) => {
      expect(parseCidr(text)).toBeNull();
    },
  );

  it('contains exactly the addresses between its first and its last', () => {
    fc.assert(
      fc.property(inside(ranges), ([cidr, index]) => {
        expect(contains(cidr, addressAt(cidr, index))).toBe(true);
      }),
    );
    expect(contains('10.10.0.0/24', '10.9.255.255')).toBe(false);
    expect(contains('10.10.0.0/24', '10.10.1.0')).toBe(false);
    expect(contains('10.10.0.0/24', 'fd00::1')).toBe(false);
    expect(contains('10.10.0.0/24', 'no address')).toBe(false);
  });

  it('lists its addresses in order, and none beyond its size', () => {
    expect(all('10.0.0.240/28').map((text) => text.split('.')[3])).toEqual(
      Array.from({ length: 16 }, (_, i) => String(240 + i)),
    );
    expect(addressAt('10.0.0.0/16', 256)).toBe('10.0.1.0');
    expect(addressAt('fd00::/64', (1n << 64n) - 1n)).toBe('fd00::ffff:ffff:ffff:ffff');
    fc.assert(
      fc.property(ranges, (cidr) => {
        expect(() => addressAt(cidr, sizeOf(cidr))).toThrow(RangeError);
        expect(() => addressAt(cidr, -1)).toThrow(RangeError);
      }),
    );
  });

  it('overlaps another range if and only if they share an address', () => {
    const small = fc
      .tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 24, max: 28 }))
      .map(([last, prefix]) => around(`10.0.0.${last}`, prefix));
    fc.assert(
      fc.property(small, small, (one, other) => {
        const common = all(one).some((address) => contains(other, address));
        expect(overlaps(one, other)).toBe(common);
        expect(overlaps(other, one)).toBe(common);
      }),
    );
    expect(overlaps('10.0.0.0/16', 'fd00::/64')).toBe(false);
  });
});

describe('the addresses of a network', () => {
  it('are usable except for the network address, the gateway and the last two', () => {
    fc.assert(
      fc.property(networks, (cidr) => {
        const size = sizeOf(cidr);
        for (const index of [0n, 1n, size - 2n, size - 1n])
          expect([cidr, index, isUsable(cidr, addressAt(cidr, index))]).toEqual([cidr, index, false]);
        const { first, last } = usableRange(cidr);
        expect([first, last]).toEqual([addressAt(cidr, 2), addressAt(cidr, size - 3n)]);
        expect(isUsable(cidr, first) && isUsable(cidr, last)).toBe(true);
      }),
    );
    expect(isUsable('10.10.0.0/24', '10.10.1.5')).toBe(false);
    expect(isUsable('10.10.0.0/24', 'fd00::5')).toBe(false);
    expect(isUsable('10.10.0.0/24', '10.10.0.05')).toBe(false);
    expect(isUsable('fd00:1::/64', 'fd00:1::5')).toBe(true);
  });

  it('are as many as the usable count says', () => {
    fc.assert(
      fc.property(fc.integer({ min: 24, max: 28 }), (prefix) => {
        const cidr = `192.168.7.0/${prefix}`;
        const usable = all(cidr).filter((address) => isUsable(cidr, address));
        expect(usableIn(cidr)).toBe(BigInt(usable.length));
      }),
    );
    expect(usableIn('10.0.0.0/16')).toBe(65_532n);
  });

  it('have the gateway first', () => {
    expect(gatewayOf('10.10.0.0/24')).toBe('10.10.0.1');
    expect(gatewayOf('fd00:1:2:3::/64')).toBe('fd00:1:2:3::1');
  });
});

describe('the IPv6 prefix of a network', () => {
  it('is a unique /64 within the /48 of the account', () => {
    const subnets = fc.integer({ min: 0, max: 65_535 });
    fc.assert(
      fc.property(fc.string(), subnets, subnets, (account, one, other) => {
        const [a, b] = [localPrefix(account, one), localPrefix(account, other)];
        expect(parseCidr(a)?.prefix).toBe(64);
        expect(contains('fd00::/8', a.replace('/64', ''))).toBe(true);
        expect(overlaps(a, b)).toBe(one === other);
        const site = parseLenient(a.replace('/64', '/48'))!.cidr.text;
        expect(overlaps(site, b)).toBe(true);
      }),
    );
    expect(localPrefix('acc_1', 7)).not.toBe(localPrefix('acc_2', 7));
  });
});
