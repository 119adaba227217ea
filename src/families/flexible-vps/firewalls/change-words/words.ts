/** Sentences about what firewalls open and close. */
import { keyOf } from '../rules.ts';
import type { StoredRule } from '../table.ts';
import { type Channel, channels, differenceOf, type Opening, type Part, type Settings } from './openings.ts';
import { remoteWords } from './remotes.ts';

type Direction = StoredRule['direction'];

const MOST_PARTS = 8;
/** Sentences about what opens, and about what closes, in one direction. */
const MOST_SENTENCES = 10;

const isWhole = ({ channel, first, last }: Part): boolean =>
  first === channels[channel].first && last === channels[channel].last;

function channelWords(channel: Channel, parts: readonly Part[]): string {
  if (channel === 'other') return 'all other protocols';
  if (channel === 'icmpv6' || (channel === 'icmp' && parts.every(isWhole))) return channel;
  const ranges = parts.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`));
  const shown = ranges.slice(0, MOST_PARTS).join(', ');
  const more = ranges.length > MOST_PARTS ? ` and ${ranges.length - MOST_PARTS} more` : '';
  return `${channel}${channel === 'icmp' ? ' type' : ''} ${shown}${more}`;
}

function partWords(parts: readonly Part[]): string {
  const names = Object.keys(channels) as Channel[];
  if (parts.length === names.length && parts.every(isWhole)) return 'everything';
  return names
    .map((name) => parts.filter(({ channel }) => channel === name))
    .filter((own) => own.length > 0)
    .map((own) => channelWords((own[0] as Part).channel, own))
    .join(' and ');
}

const outgoing = (direction: Direction): string => (direction === 'out' ? 'outgoing ' : '');

/** A sentence about machines that are known only after all groups of machines were compared. */
export interface Sentence {
  readonly say: (machines: string) => string;
  readonly loosens: boolean;
}

function openingSentences(
  openings: readonly Opening[],
  verb: 'opens' | 'closes',
  direction: Direction,
  { subject, firewallIds }: { readonly subject: string; readonly firewallIds: readonly string[] },
): Sentence[] {
  const texts = openings
    .slice(0, MOST_SENTENCES)
    .map(
      ({ parts, remotes }) =>
        `${subject} ${verb} ${outgoing(direction)}${partWords(parts)} to ${remoteWords(remotes, firewallIds)}`,
    );
  const more = openings.length - texts.length;
  return [...texts, ...(more > 0 ? [`${subject} ${verb} more, to ${more} other groups of remotes`] : [])].map(
    (text) => ({ say: (machines) => `${text} for ${machines}`, loosens: verb === 'opens' }),
  );
}

/** For what is too much to be compared port by port: whatever may open counts as opening. */
export function roughSentences(before: Settings, after: Settings, subject: string): Sentence[] {
  const missingIn = (rules: readonly StoredRule[], other: readonly StoredRule[]): StoredRule[] => {
    const known = new Set(other.map(keyOf));
    return rules.filter((rule) => rule.enabled && !known.has(keyOf(rule)));
  };
  const added = missingIn(after.rules, before.rules);
  const gone = missingIn(before.rules, after.rules);
  const isOpened = (side: Direction): boolean =>
    before[`default_${side}`] === 'drop' && after[`default_${side}`] === 'allow';
  const loosens =
    added.some(({ action }) => action === 'allow') ||
    gone.some(({ action }) => action === 'drop') ||
    isOpened('in') ||
    isOpened('out');
  const rules = added.length === 1 ? '1 new rule' : `${added.length} new rules`;
  const text = `${subject} brings ${rules} and takes ${gone.length} away`;
  return [{ say: (machines) => `${text} for ${machines}`, loosens }];
}

const directionWords = {
  in: { allow: 'lets in', drop: 'drops', what: 'all arriving connections that no rule' },
  out: { allow: 'lets out', drop: 'drops', what: 'all outgoing connections that no rule' },
} as const;

function sideSentences(before: Settings, after: Settings, direction: Direction, subject: string): Sentence[] {
  const now = after[`default_${direction}`];
  const isFlipped = before[`default_${direction}`] !== now;
  const { what, [now]: verb } = directionWords[direction];
  const text = `${subject} ${verb} ${what} ${now === 'allow' ? 'drops' : 'allows'}`;
  const flip: Sentence = { say: (machines) => `${text}, for ${machines}`, loosens: now === 'allow' };
  const difference = differenceOf(before, after, direction);
  if (difference === null) return [...(isFlipped ? [flip] : []), ...roughSentences(before, after, subject)];
  const { opened, closed, firewallIds } = difference;
  const about = { subject, firewallIds };
  // Another default changes nothing for packets that rules are about.
  const flipOr = (side: 'allow' | 'drop', openings: readonly Opening[]): Sentence[] =>
    isFlipped && now === side
      ? openings.length === 0
        ? []
        : [flip]
      : openingSentences(openings, side === 'allow' ? 'opens' : 'closes', direction, about);
  return [...flipOr('allow', opened), ...flipOr('drop', closed)];
}

/** What becomes open and closed between two settings; empty if only their notation differs. */
export const settingSentences = (before: Settings, after: Settings, subject: string): Sentence[] =>
  (['in', 'out'] as const).flatMap((side) => sideSentences(before, after, side, subject));
