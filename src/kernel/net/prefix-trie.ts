/**
 * Longest-prefix match over the 128-bit form. Each node holds the bits that all its descendants share, so a look-up
 * visits about log2(entries) nodes, however long the prefixes are. IPv4 has its own root, because no IPv6 range, not
 * even one that contains `::ffff:0:0/96`, may match an IPv4 client.
 */
import type { Address } from './address.ts';
import { type Cidr, prefix128, sharesPrefix } from './cidr.ts';

interface Node<V> {
  readonly base: Address;
  readonly length: number;
  entry: { readonly value: V } | null;
  zero: Node<V> | null;
  one: Node<V> | null;
}

export interface PrefixTrie<V> {
  /** The value of the narrowest range that contains the address. */
  match(address: Address): V | undefined;
}

/** If a range occurs twice, the later entry wins. */
export function buildPrefixTrie<V>(entries: Iterable<readonly [range: Cidr, value: V]>): PrefixTrie<V> {
  let root4: Node<V> | null = null;
  let root6: Node<V> | null = null;
  for (const [range, value] of entries) {
    if (range.base.family === 4) root4 = insert(root4, range.base, prefix128(range), value);
    else root6 = insert(root6, range.base, prefix128(range), value);
  }
  return { match: (address) => find(address.family === 4 ? root4 : root6, address) };
}

function find<V>(root: Node<V> | null, address: Address): V | undefined {
  let best: V | undefined;
  let node = root;
  while (node !== null && sharesPrefix(node.base, address, node.length)) {
    if (node.entry !== null) best = node.entry.value;
    if (node.length === 128) break;
    node = bitAt(address, node.length) === 0 ? node.zero : node.one;
  }
  return best;
}

function insert<V>(node: Node<V> | null, base: Address, length: number, value: V): Node<V> {
  if (node === null) return { base, length, entry: { value }, zero: null, one: null };
  const shared = Math.min(commonLength(node.base, base), node.length, length);
  if (shared === node.length) {
    if (shared === length) node.entry = { value };
    else if (bitAt(base, shared) === 0) node.zero = insert(node.zero, base, length, value);
    else node.one = insert(node.one, base, length, value);
    return node;
  }
  const parent: Node<V> = { base, length: shared, entry: null, zero: null, one: null };
  if (bitAt(node.base, shared) === 0) parent.zero = node;
  else parent.one = node;
  return insert(parent, base, length, value);
}

function commonLength(a: Address, b: Address): number {
  if (a.w0 !== b.w0) return Math.clz32(a.w0 ^ b.w0);
  if (a.w1 !== b.w1) return 32 + Math.clz32(a.w1 ^ b.w1);
  if (a.w2 !== b.w2) return 64 + Math.clz32(a.w2 ^ b.w2);
  return 96 + Math.clz32(a.w3 ^ b.w3);
}

function bitAt(address: Address, index: number): number {
  const word = index < 32 ? address.w0 : index < 64 ? address.w1 : index < 96 ? address.w2 : address.w3;
  return (word >>> (31 - (index & 31))) & 1;
}
