/** What changes of a firewall open and close, for how many machines. */
import type { ChangeWords, ForeseenChange, Telling } from '../../../../kernel/change-words/change-words.ts';
import { changeOf, loosensBy, machinesIn, says } from '../../../../kernel/change-words/change-words.ts';
import type { Effect } from '../../../../kernel/effect.ts';
import { keyOf } from '../rules.ts';
import type { FirewallAttachment } from '../schema.ts';
import { readFirewall } from '../store.ts';
import type { StoredRule } from '../table.ts';
import { type Channel, channels, differenceOf, type Opening, type Part, type Settings } from './openings.ts';
import { remoteWords } from './remotes.ts';
import { countMachines, isSharedBy } from './store.ts';

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

interface Words extends Pick<Telling, 'subject'> {
  readonly machines: string;
}

function openingWords(
  openings: readonly Opening[],
  verb: 'opens' | 'closes',
  direction: Direction,
  { subject, machines, firewallIds }: Words & { readonly firewallIds: readonly string[] },
): ForeseenChange[] {
  const said = verb === 'opens' ? loosensBy : says;
  const texts = openings
    .slice(0, MOST_SENTENCES)
    .map(
      ({ parts, remotes }) =>
        `${subject} ${verb} ${outgoing(direction)}${partWords(parts)} to ${remoteWords(remotes, firewallIds)} for ${machines}`,
    );
  const more = openings.length - texts.length;
  return [...texts, ...(more > 0 ? [`${subject} ${verb} more, to ${more} other groups of remotes`] : [])].map(
    said,
  );
}

/** For rules that are too many to be compared port by port: whatever may open counts as opening. */
function roughWords(before: Settings, after: Settings, { subject, machines }: Words): ForeseenChange[] {
  const missingIn = (rules: readonly StoredRule[], other: readonly StoredRule[]): StoredRule[] => {
    const known = new Set(other.map(keyOf));
    return rules.filter((rule) => rule.enabled && !known.has(keyOf(rule)));
  };
  const added = missingIn(after.rules, before.rules);
  const gone = missingIn(before.rules, after.rules);
  const text = `${subject} gets ${added.length} new rules and loses ${gone.length} for ${machines}`;
  const opens =
    added.some(({ action }) => action === 'allow') || gone.some(({ action }) => action === 'drop');
  return [{ text, loosens: opens }];
}

const directionWords = {
  in: { allow: 'lets in', drop: 'drops', what: 'all arriving connections that no rule' },
  out: { allow: 'lets out', drop: 'drops', what: 'all outgoing connections that no rule' },
} as const;

function sideWords(before: Settings, after: Settings, direction: Direction, words: Words): ForeseenChange[] {
  const now = after[`default_${direction}`];
  const isFlipped = before[`default_${direction}`] !== now;
  const { what, [now]: verb } = directionWords[direction];
  const flip = `${words.subject} ${verb} ${what} ${now === 'allow' ? 'drops' : 'allows'}, for ${words.machines}`;
  const flipped = isFlipped ? [now === 'allow' ? loosensBy(flip) : says(flip)] : [];
  const difference = differenceOf(before, after, direction);
  if (difference === null) return [...flipped, ...roughWords(before, after, words)];
  const { opened, closed, firewallIds } = difference;
  const more = { ...words, firewallIds };
  return [
    ...flipped,
    ...(isFlipped && now === 'allow' ? [] : openingWords(opened, 'opens', direction, more)),
    ...(isFlipped && now === 'drop' ? [] : openingWords(closed, 'closes', direction, more)),
  ];
}

export function settingWords(before: Settings, after: Settings, words: Words): ForeseenChange[] {
  const said = (['in', 'out'] as const).flatMap((side) => sideWords(before, after, side, words));
  const nothing = `changes the rules of ${words.subject}, but opens and closes nothing`;
  return said.length === 0 ? [says(nothing)] : said;
}

/** Whether it takes connections from a machine that has no other firewall. */
export const protects = ({ default_in, default_out, rules }: Settings): boolean =>
  default_in === 'drop' ||
  default_out === 'drop' ||
  rules.some(({ enabled, action }) => enabled && action === 'drop');

/** Whether it lets connections through that another firewall of a machine may drop. */
const letsThrough = ({ rules }: Settings): boolean =>
  rules.some(({ enabled, action }) => enabled && action === 'allow');

type Target = FirewallAttachment['target'];

function targetWords(target: Target): string {
  if (target.type === 'label_selector') return `all machines with the labels "${target.selector}"`;
  return `the ${target.type === 'vm' ? 'machine' : target.type} ${target.id}`;
}

async function attachmentWords(
  { id }: Effect,
  { before, after }: { readonly before: readonly Target[]; readonly after: readonly Target[] },
  settings: Settings,
  { db, subject }: Telling,
): Promise<ForeseenChange[]> {
  const missingIn = (list: readonly Target[], other: readonly Target[]): Target[] => {
    const known = new Set(other.map((target) => JSON.stringify(target)));
    return list.filter((target) => !known.has(JSON.stringify(target)));
  };
  const gone = missingIn(before, after).map((target) => ({
    text: `takes ${subject} from ${targetWords(target)}`,
    loosens: protects(settings),
  }));
  const added = missingIn(after, before);
  const opens = added.length > 0 && letsThrough(settings) && (await isSharedBy(db, String(id), added));
  const shared = `what ${subject} allows is also let through to machines that have other firewalls`;
  return [
    ...added.map((target) => says(`attaches ${subject} to ${targetWords(target)}`)),
    ...(opens ? [loosensBy(shared)] : []),
    ...gone,
  ];
}

const members = ['default_in', 'default_out', 'rules'] as const;

export const firewallWords: ChangeWords = {
  members: [...members, 'attachments'],
  async say(effect, telling) {
    const { db, subject } = telling;
    const { action, id, changes = [] } = effect;
    const isKnown = action === 'delete' || (action !== 'create' && changes.length > 0);
    const row = isKnown && id !== null ? await readFirewall(db, id) : undefined;
    if (row === undefined) return [];
    if (action === 'delete') {
      const count = await countMachines(db, row.id);
      if (count.machines === 0) return [];
      return [{ text: `takes ${subject} from ${machinesIn(count)}`, loosens: protects(row) }];
    }
    const attachments = changeOf<readonly Target[]>(effect, 'attachments');
    const said = attachments === undefined ? [] : await attachmentWords(effect, attachments, row, telling);
    const old = members.flatMap((name) => {
      const change = changeOf(effect, name);
      return change === undefined ? [] : [[name, change.before]];
    });
    if (old.length === 0) return said;
    const before: Settings = { ...row, ...Object.fromEntries(old) };
    const machines = machinesIn(await countMachines(db, row.id));
    return [...said, ...settingWords(before, row, { subject, machines })];
  },
};
