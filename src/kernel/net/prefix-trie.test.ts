import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Address, addressFromWords, parseAddress } from './address.ts';
import { type Cidr, cidrContains, parseCidr } from './cidr.ts';
import { buildPrefixTrie } from './prefix-trie.ts';

function scan<V>(entries: readonly (readonly [Cidr, V])[], address: Address): V | undefined {
  let best: readonly [Cidr, V] | undefined;
  for (const entry of entries) {
    if (cidrContains(entry[0], address) && entry[0].prefix >= (best?.[0].prefix ?? 0)) best = entry;
  }
  return best?.[1];
}

/** Only a few distinct values, so that ranges often nest, split and repeat. */
const word = fc.constantFrom(0, 1, 0x8000_0000 | 0, 0x00ff_0000, 0x0a00_0000, -1);
const address = fc.oneof(
  word.map((w) => addressFromWords(0, 0, 0xffff, w)),
  fc.tuple(word, word, word, word).map(([a, b, c, d]) => addressFromWords(a, b, c, d)),
  fc.ipV4().map((text) => parseAddress(text)!),
  fc.ipV6().map((text) => parseAddress(text)!),
);
const range = fc
  .tuple(address, fc.nat(128))
  .map(([base, n]) => parseCidr(`${base.text}/${base.family === 4 ? n % 33 : n}`)!.cidr);

describe('prefix trie', () => {
  it('finds the same ranges as a linear scan', () => {
    fc.assert(
      fc.property(
        fc.array(range, { maxLength: 60 }),
        fc.array(address, { minLength: 1, maxLength: 30 }),
        (cidrs, probes) => {
          const entries = cidrs.map((cidr, index) => [cidr, index] as const);
          const trie = buildPrefixTrie(entries);
          for (const probe of [...probes, ...cidrs.map((cidr) => cidr.base)]) {
            expect(trie.match(probe)).toBe(scan(entries, probe));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('matches nothing when empty', () => {
    expect(buildPrefixTrie<number>([]).match(parseAddress('192.0.2.1')!)).toBeUndefined();
  });

  it('never lets an IPv6 range match an IPv4 client', () => {
    const trie = buildPrefixTrie([[parseCidr('::/0')!.cidr, true]]);
    expect(trie.match(parseAddress('::ffff:192.0.2.1')!)).toBeUndefined();
    expect(trie.match(parseAddress('2001:db8::1')!)).toBe(true);
  });
});
