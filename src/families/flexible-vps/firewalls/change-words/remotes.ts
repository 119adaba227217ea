/**
 * Sets of remotes. All remotes stand on one line of numbers: the IPv4 addresses, then the IPv6 addresses, then one
 * number for each firewall whose machines a rule names. A set is a sorted list of spans that do not touch each other.
 */
import { addressFromWords } from '../../../../kernel/net/address.ts';
import { parseCidr } from '../../../../kernel/net/cidr.ts';
import type { StoredRule } from '../table.ts';

/** Both ends belong to the span. */
export interface Span {
  readonly from: bigint;
  readonly to: bigint;
}
export type Remotes = readonly Span[];

const V4 = { from: 0n, to: 2n ** 32n - 1n };
const V6 = { from: 2n ** 32n, to: 2n ** 32n + 2n ** 128n - 1n };
const FIRST_FIREWALL = V6.to + 1n;
/** More than the rules of two versions of a firewall can name. */
const LAST = FIRST_FIREWALL + 10_000n;

export const EVERYBODY: Remotes = [{ from: 0n, to: LAST }];

export function unionOf(spans: Iterable<Span>): Remotes {
  const sorted = [...spans].sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const union: Span[] = [];
  for (const span of sorted) {
    const last = union.at(-1);
    if (last === undefined || span.from > last.to + 1n) union.push(span);
    else if (span.to > last.to) union[union.length - 1] = { from: last.from, to: span.to };
  }
  return union;
}

export function without(remotes: Remotes, taken: Remotes): Remotes {
  const left: Span[] = [];
  let i = 0;
  for (const { from, to } of remotes) {
    let at = from;
    while (i < taken.length && (taken[i] as Span).to < at) i++;
    for (let j = i; j < taken.length && (taken[j] as Span).from <= to; j++) {
      const hole = taken[j] as Span;
      if (hole.from > at) left.push({ from: at, to: hole.from - 1n });
      if (hole.to >= at) at = hole.to + 1n;
    }
    if (at <= to) left.push({ from: at, to });
  }
  return left;
}

function spanOf(text: string): Span[] {
  const cidr = parseCidr(text)?.cidr;
  if (cidr === undefined) return [];
  const { family, w0, w1, w2, w3 } = cidr.base;
  const words = family === 4 ? [w3] : [w0, w1, w2, w3];
  const address = words.reduce((sum, word) => (sum << 32n) | BigInt(word >>> 0), 0n);
  const from = (family === 4 ? V4 : V6).from + address;
  return [{ from, to: from + 2n ** BigInt((family === 4 ? 32 : 128) - cidr.prefix) - 1n }];
}

/** The remotes of a rule. `firewallIds` has all firewalls that the compared rules name, so that they have numbers. */
export function remotesOf(
  { remote_cidrs, remote_firewall_ids }: Pick<StoredRule, 'remote_cidrs' | 'remote_firewall_ids'>,
  firewallIds: readonly string[],
): Remotes {
  if (remote_cidrs.length + remote_firewall_ids.length === 0) return EVERYBODY;
  const ranges = unionOf(remote_cidrs.flatMap(spanOf));
  if (hasAllAddresses(ranges)) return EVERYBODY;
  const points = remote_firewall_ids.map((id) => FIRST_FIREWALL + BigInt(firewallIds.indexOf(id)));
  return unionOf([...ranges, ...points.map((at) => ({ from: at, to: at }))]);
}

const hasAllAddresses = (remotes: Remotes): boolean =>
  remotes[0] !== undefined && remotes[0].from === 0n && remotes[0].to >= V6.to;

/** The ranges that a span of addresses is made of; `bits` is the length of its addresses. */
function rangesIn({ from, to }: Span, bits: number): string[] {
  const ranges: string[] = [];
  for (let at = from; at <= to; ) {
    let length = 0;
    while (length < bits && at % 2n ** BigInt(length + 1) === 0n && at + 2n ** BigInt(length + 1) - 1n <= to)
      length++;
    const word = (n: number): number => Number((at >> BigInt(32 * n)) & 0xffffffffn) | 0;
    const base =
      bits === 32
        ? addressFromWords(0, 0, 0xffff, word(0))
        : addressFromWords(word(3), word(2), word(1), word(0));
    ranges.push(`${base.text}/${bits - length}`);
    at += 2n ** BigInt(length);
  }
  return ranges;
}

const within = (remotes: Remotes, { from, to }: Span): Span[] =>
  remotes
    .map((span) => ({ from: span.from > from ? span.from : from, to: span.to < to ? span.to : to }))
    .filter((span) => span.from <= span.to);

function addressWords(remotes: Remotes): string[] {
  const inFamily = (family: Span, bits: number, all: string): string[] => {
    const spans = within(remotes, family);
    if (spans.length === 1 && spans[0]?.from === family.from && spans[0].to === family.to) return [all];
    const shift = family.from;
    return spans.flatMap(({ from, to }) => rangesIn({ from: from - shift, to: to - shift }, bits));
  };
  return [...inFamily(V4, 32, 'all IPv4 addresses'), ...inFamily(V6, 128, 'all IPv6 addresses')];
}

const MOST_RANGES = 4;

function listed(items: readonly string[]): string {
  const shown = items.slice(0, MOST_RANGES).join(', ');
  const more = items.length - MOST_RANGES;
  return more <= 0 ? shown : `${shown} and ${more} more ${more === 1 ? 'range' : 'ranges'}`;
}

/** With "and" before the last, so that it is clear where the exceptions end. */
const enumerated = (items: readonly string[]): string =>
  items.length > MOST_RANGES ? listed(items) : items.join(', ').replace(/, ([^,]*)$/, ' and $1');

/** `everybody`, `everybody except 203.0.113.0/24`, `198.51.100.0/24, the machines of the firewall fw_…`. */
export function remoteWords(remotes: Remotes, firewallIds: readonly string[]): string {
  if (hasAllAddresses(remotes)) return 'everybody';
  const firewalls = firewallIds
    .filter(
      (_, i) => within(remotes, { from: FIRST_FIREWALL + BigInt(i), to: FIRST_FIREWALL + BigInt(i) })[0],
    )
    .map((id) => `the machines of the firewall ${id}`);
  const ranges = addressWords(remotes);
  const others = addressWords(without(EVERYBODY, remotes));
  if (ranges.length > MOST_RANGES && others.length < ranges.length)
    return `everybody except ${enumerated(others)}`;
  return listed([...ranges, ...firewalls]);
}
