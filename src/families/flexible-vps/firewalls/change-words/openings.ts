/**
 * Compares what two versions of a firewall let through, as sets of protocols, ports and remotes: rules that are written
 * in another way, split or sorted differently open and close nothing.
 */
import { readPorts } from '../rules.ts';
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

interface Prepared {
  readonly isAllow: boolean;
  readonly ranges: readonly Range[];
  readonly remotes: Remotes;
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

/** The remotes that a version lets through at one port. */
function openAt(rules: readonly Prepared[], isOpen: boolean, port: number): Remotes {
  const about = rules.filter(({ ranges }) => ranges.some(({ first, last }) => first <= port && port <= last));
  const spansOf = (isAllow: boolean): Span[] =>
    about.filter((rule) => rule.isAllow === isAllow).flatMap(({ remotes }) => remotes);
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

/** The work for one comparison, so that no request keeps the process busy: port ranges times ranges of remotes. */
const MOST_WORK = 200_000;

const namesOf = <T extends object>(value: T) => Object.keys(value) as (keyof T)[];

/** Null if the rules are too many to be compared in this way. */
export function differenceOf(before: Settings, after: Settings, direction: Direction): Difference | null {
  const rulesIn = ({ rules }: Settings): StoredRule[] =>
    rules.filter((rule) => rule.enabled && rule.direction === direction);
  const [old, now] = [rulesIn(before), rulesIn(after)];
  const firewallIds = [...new Set([...old, ...now].flatMap(({ remote_firewall_ids: ids }) => ids))];
  const size = (pick: (rule: StoredRule) => number): number =>
    [...old, ...now].reduce((sum, rule) => sum + pick(rule), 0);
  if (size(({ ports }) => ports.length + 1) * size(({ remote_cidrs }) => remote_cidrs.length + 1) > MOST_WORK)
    return null;
  const opened = new Openings();
  const closed = new Openings();
  for (const channel of namesOf(channels)) {
    const prepared = (rules: readonly StoredRule[]): Prepared[] =>
      rules.map((rule) => ({
        isAllow: rule.action === 'allow',
        ranges: rangesOf(rule, channel),
        remotes: remotesOf(rule, firewallIds),
      }));
    const [was, is] = [prepared(old), prepared(now)];
    const { first, last } = channels[channel];
    const ranges = [...was, ...is].flatMap((rule) => rule.ranges);
    const starts = [first, ...ranges.flatMap((range) => [range.first, range.last + 1])];
    const sorted = [...new Set(starts.filter((port) => port <= last))].sort((a, b) => a - b);
    const isOpen = (settings: Settings): boolean => settings[`default_${direction}`] === 'allow';
    sorted.forEach((from, i) => {
      const part = { channel, first: from, last: (sorted[i + 1] ?? last + 1) - 1 };
      const [closedTo, openTo] = [openAt(was, isOpen(before), from), openAt(is, isOpen(after), from)];
      const fresh = without(openTo, closedTo);
      // "Everybody" says more than "everybody except those who could already".
      const isForAll = fresh.length > 0 && without(EVERYBODY, openTo).length === 0;
      opened.add(isForAll ? EVERYBODY : fresh, part);
      closed.add(without(closedTo, openTo), part);
    });
  }
  return { opened: opened.all, closed: closed.all, firewallIds };
}
