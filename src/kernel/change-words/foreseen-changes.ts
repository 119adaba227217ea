/** Describes the effects of a call that is about to be rolled back. */
import type { Db } from '../../store/database.ts';
import type { Effect } from '../effect.ts';
import type { EffectView } from '../effect-view.ts';
import type { Registry } from '../registry.ts';
import type { ForeseenChange, Telling } from './change-words.ts';
import { tightens } from './change-words.ts';
import { memberWords } from './member-words.ts';
import { readNames } from './store.ts';

const headlines: Readonly<Record<EffectView['action'], (subject: string) => string>> = {
  create: (subject) => `creates ${subject}`,
  update: (subject) => `changes ${subject}`,
  attach: (subject) => `attaches ${subject}`,
  start: (subject) => `starts ${subject}`,
  delete: (subject) => `deletes ${subject}`,
  wipe_disk: (subject) => `replaces the content of ${subject}`,
  detach: (subject) => `detaches ${subject}`,
  stop: (subject) => `stops ${subject}`,
  restart: (subject) => `restarts ${subject}`,
  cancel: (subject) => `cancels ${subject}`,
};

function subjectOf({ action, id, name }: Effect, noun: string): string {
  if (name !== null) return `the ${noun} "${name}"`;
  // The id of a resource that would be created is never used again.
  return action === 'create' || id === null ? `a ${noun}` : `the ${noun} ${id}`;
}

/** The sentence about the effect as a whole. What it takes away is said only if nothing else is known of it. */
function headlineOf(effect: Effect & EffectView, subject: string): ForeseenChange {
  const { action, loss } = effect;
  const lost = action === 'update' && loss ? `; lost: ${loss.what.replace(/\.$/, '')}` : '';
  return tightens(`${headlines[action](subject)}${lost}`);
}

const isShown = (effect: Effect): effect is Effect & EffectView => effect.action !== 'none';

type About = Pick<Telling, 'db' | 'accountId'> & { readonly registry: Registry };

async function changesOf(effect: Effect, { registry, ...about }: About): Promise<ForeseenChange[]> {
  if (!isShown(effect)) return [];
  const { action, type, changes = [] } = effect;
  const noun = registry.nouns.get(type) ?? type.replaceAll('_', ' ');
  const telling = { ...about, noun, subject: subjectOf(effect, noun) };
  const words = registry.changeWords.get(type);
  const own = (await words?.say(effect, telling)) ?? [];
  const isNew = action === 'create' || action === 'delete';
  const rest = changes.filter(({ pointer }) => !words?.members.includes(pointer.slice(1)));
  const said = [...own, ...(isNew ? [] : rest.flatMap((change) => memberWords(change, telling)))];
  return isNew || said.length === 0 ? [headlineOf(effect, telling.subject), ...said] : said;
}

const ID = /\b[a-z]{2,8}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g;

/** People know resources by their names, so ids of resources that have one are replaced. */
async function named(db: Db, accountId: string, changes: readonly ForeseenChange[]) {
  const ids = [...new Set(changes.flatMap(({ text }) => text.match(ID) ?? []))];
  const names = ids.length === 0 ? new Map<string, string>() : await readNames(db, accountId, ids);
  return changes.map(({ text, loosens }) => ({
    text: text.replaceAll(ID, (id) => (names.has(id) ? `"${names.get(id)}"` : id)),
    loosens,
  }));
}

export async function foreseenChanges(
  about: About,
  effects: readonly Effect[],
): Promise<readonly ForeseenChange[]> {
  const changes: ForeseenChange[] = [];
  for (const effect of effects) changes.push(...(await changesOf(effect, about)));
  const texts = new Set<string>();
  const distinct = changes.filter(({ text }) => !texts.has(text) && texts.add(text));
  return named(about.db, about.accountId, distinct);
}
