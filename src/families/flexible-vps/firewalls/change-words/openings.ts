/**
 * Compares what two versions of a firewall let through, as sets of protocols, ports and remotes: rules that are written
 * in another way, split or sorted differently open and close nothing.
 */
import { keyOf, readPorts } from '../rules.ts';
import type { FirewallRow, StoredRule } from '../table.ts';
import { EVERYBODY, type Remotes, remotesOf, type Span, unionOf, without } from './remotes.ts';

export type Settings = Pick<FirewallRow, 'default_in' | 'default_out' | 'rules'>;
type Direction = StoredRule['direction'];

/** What packets are told apart by beside the remote: ports, or the types of ICMP. Other protocols have one number. */
export const channels = {
  tcp: { first: 1, last: 65_535 },
  udp: { first: 1, last: 65_535 },
  icmp: { first: 0, last: 255 },
  icmpv6: { first: 0, last: 0 },
  other: { first: 0, last: 0 },
} as const;
export type Channel = keyof typeof channels;

/** A range of ports of a protocol. */
export interface Part {
  readonly channel: Channel;
  readonly first: number;
  readonly last: number;
}

/** The parts that become open (or closed) for the same remotes. */
export interface Opening {
  readonly remotes: Remotes;
  readonly parts: readonly Part[];
}

export interface Difference {
  readonly opened: readonly Opening[];
  readonly closed: readonly Opening[];
  readonly firewallIds: readonly string[];
}

interface Range {
  readonly first: number;
  readonly last: number;
}

/** An enabled rule in one of the two versions. */
interface Compared {
  readonly isAllow: boolean;
  /** The other version does not have the rule. */
  readonly isChanged: boolean;
  readonly rangesIn: (channel: Channel) => readonly Range[];
  /** Computed when a part needs them, because most rules of a large firewall stay as they are. */
  readonly remotes: () => Remotes;
}

function comparedRules(
  rules: readonly StoredRule[],
  others: readonly StoredRule[],
  firewallIds: readonly string[],
): Compared[] {
  const known = new Set(others.map(keyOf));
  return rules.map((rule) => {
    let remotes: Remotes | undefined;
    return {
      isAllow: rule.action === 'allow',
      isChanged: !known.has(keyOf(rule)),
      rangesIn: (channel) => rangesOf(rule, channel),
      remotes: () => (remotes ??= remotesOf(rule, firewallIds)),
    };
  });
}

function rangesOf({ protocol, ports, icmp_type }: StoredRule, channel: Channel): readonly Range[] {
  if (protocol !== 'any' && protocol !== channel) return [];
  if (protocol === 'icmp' && icmp_type !== null) return [{ first: icmp_type, last: icmp_type }];
  if (ports.length === 0) return [channels[channel]];
  return ports.flatMap((text) => {
    const range = readPorts(text);
    return range === null ? [] : [{ first: range.from, last: range.to }];
  });
}

const isIn = (port: number, ranges: readonly Range[]): boolean =>
  ranges.some(({ first, last }) => first <= port && port <= last);

/** The remotes that rules let through, all of which are about the same port. */
function openBy(rules: readonly Compared[], isOpen: boolean): Remotes {
  const spansOf = (isAllow: boolean): Span[] =>
    rules.filter((rule) => rule.isAllow === isAllow).flatMap(({ remotes }) => remotes());
  return without(isOpen ? EVERYBODY : unionOf(spansOf(true)), unionOf(spansOf(false)));
}

/** Groups parts by their remotes, and joins neighbours. */
class Openings {
  readonly #groups = new Map<string, { remotes: Remotes; parts: Part[] }>();

  add(remotes: Remotes, part: Part): void {
    if (remotes.length === 0) return;
    const key = remotes.map(({ from, to }) => `${from}-${to}`).join();
    const group = this.#groups.get(key) ?? { remotes, parts: [] };
    this.#groups.set(key, group);
    const last = group.parts.at(-1);
    if (last?.channel === part.channel && last.last + 1 === part.first)
      group.parts[group.parts.length - 1] = { ...last, last: part.last };
    else group.parts.push(part);
  }

  get all(): readonly Opening[] {
    return [...this.#groups.values()];
  }
}

/** How many ranges of ports and remotes one comparison looks at, so that no request keeps the process busy. */
const MOST_WORK = 10_000;

/** How many ranges of ports both versions may have together. */
const MOST_PORTS = 600;

const namesOf = <T extends object>(value: T) => Object.keys(value) as (keyof T)[];

/** The parts of a channel in which each rule is about all ports or about none. */
function partsOf(channel: Channel, ranges: readonly Range[]): Part[] {
  const { first, last } = channels[channel];
  const starts = [first, ...ranges.flatMap((range) => [range.first, range.last + 1])];
  const sorted = [...new Set(starts.filter((port) => port <= last))].sort((a, b) => a - b);
  return sorted.map((from, i) => ({ channel, first: from, last: (sorted[i + 1] ?? last + 1) - 1 }));
}

/** Null if the rules are too many to be compared in this way. */
export function differenceOf(before: Settings, after: Settings, direction: Direction): Difference | null {
  const rulesIn = ({ rules }: Settings): StoredRule[] =>
    rules.filter((rule) => rule.enabled && rule.direction === direction);
  const [oldRules, newRules] = [rulesIn(before), rulesIn(after)];
  const firewallIds = [...new Set([...oldRules, ...newRules].flatMap((rule) => rule.remote_firewall_ids))];
  if ([...oldRules, ...newRules].reduce((sum, { ports }) => sum + ports.length, 0) > MOST_PORTS) return null;
  const was = comparedRules(oldRules, newRules, firewallIds);
  const is = comparedRules(newRules, oldRules, firewallIds);
  const isOpen = (settings: Settings): boolean => settings[`default_${direction}`] === 'allow';
  const isFlipped = isOpen(before) !== isOpen(after);
  const opened = new Openings();
  const closed = new Openings();
  let work = 0;
  for (const channel of namesOf(channels)) {
    const ranges = new Map([...was, ...is].map((rule) => [rule, rule.rangesIn(channel)]));
    const changed = [...ranges].flatMap(([{ isChanged }, own]) => (isFlipped || isChanged ? own : []));
    for (const part of partsOf(channel, [...ranges.values()].flat())) {
      // Where only rules apply that both versions have, nothing changes.
      if (!isFlipped && !isIn(part.first, changed)) continue;
      const about = (rules: readonly Compared[]): Compared[] =>
        rules.filter((rule) => isIn(part.first, ranges.get(rule) ?? []));
      const [wasAbout, isAbout] = [about(was), about(is)];
      work += ranges.size + [...wasAbout, ...isAbout].reduce((sum, rule) => sum + rule.remotes().length, 0);
      if (work > MOST_WORK) return null;
      const closedTo = openBy(wasAbout, isOpen(before));
      const openTo = openBy(isAbout, isOpen(after));
      const fresh = without(openTo, closedTo);
      // "Everybody" says more than "everybody except those who could already".
      const isForAll = fresh.length > 0 && without(EVERYBODY, openTo).length === 0;
      opened.add(isForAll ? EVERYBODY : fresh, part);
      closed.add(without(closedTo, openTo), part);
    }
  }
  return { opened: opened.all, closed: closed.all, firewallIds };
}
