/** Describes the effects of a call that is about to be rolled back. */
import type { Effect } from '../effect.ts';
import type { EffectView } from '../effect-view.ts';
import type { Registry } from '../registry.ts';
import type { ForeseenChange, Telling } from './change-words.ts';
import { quoted, says } from './change-words.ts';
import { memberWords } from './member-words.ts';
import { readNames } from './store.ts';

const verbs: Readonly<Record<EffectView['action'], string>> = {
  create: 'creates',
  update: 'changes',
  attach: 'attaches',
  start: 'starts',
  delete: 'deletes',
  wipe_disk: 'replaces the content of the disk of',
  detach: 'detaches',
  stop: 'stops',
  restart: 'restarts',
  cancel: 'cancels',
};

const nounOf = (type: string, { nouns }: Pick<Registry, 'nouns'>): string =>
  nouns.get(type) ?? type.replaceAll('_', ' ');

/** `the machine "web"` */
export function subjectOf({ action, type, id, name }: Effect, registry: Pick<Registry, 'nouns'>): string {
  const noun = nounOf(type, registry);
  if (name !== null) return `the ${noun} ${quoted(name)}`;
  // The id of a resource that would be created is never used again.
  const article = /^[aeiou]/i.test(noun) ? 'an' : 'a';
  return action === 'create' || id === null ? `${article} ${noun}` : `the ${noun} ${id}`;
}

/** Effects that are about the resource as a whole, whatever members they change. */
const WHOLE: readonly string[] = ['create', 'delete', 'cancel', 'wipe_disk'];

const isShown = (effect: Effect): effect is Effect & EffectView => effect.action !== 'none';

type About = Pick<Telling, 'db' | 'accountId'> & { readonly registry: Registry };

async function changesOf(effect: Effect, { registry, ...about }: About): Promise<ForeseenChange[]> {
  if (!isShown(effect)) return [];
  const { action, type, changes = [] } = effect;
  const telling = { ...about, noun: nounOf(type, registry), subject: subjectOf(effect, registry) };
  const words = registry.changeWords.get(type);
  const own = (await words?.say(effect, telling)) ?? [];
  const isWhole = WHOLE.includes(action) || effect.verb !== undefined;
  const rest = changes.filter(({ pointer }) => !words?.members.includes(pointer.slice(1)));
  const said = [...own, ...(isWhole ? [] : rest.flatMap((change) => memberWords(change, telling)))];
  const headline = says(`${effect.verb ?? verbs[action]} ${telling.subject}`);
  const isSaid = said.length > 0 && (!isWhole || words?.saysWhole === true);
  return isSaid ? said : [headline, ...said];
}

const ID = /\b[a-z]{2,8}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g;

/**
 * People know resources by their names, so ids of resources that have one are replaced. The effects have the names of
 * resources that the call deletes.
 */
async function named({ db, accountId }: About, effects: readonly Effect[], texts: readonly string[]) {
  const ids = [...new Set(texts.flatMap((text) => text.match(ID) ?? []))];
  const names = ids.length === 0 ? new Map<string, string>() : await readNames(db, accountId, ids);
  for (const { id, name } of effects) if (id !== null && name !== null) names.set(id, name);
  return texts.map((text) =>
    text.replaceAll(ID, (id) => {
      const name = names.get(id);
      return name === undefined ? id : quoted(name);
    }),
  );
}

export async function foreseenChanges(
  about: About,
  effects: readonly Effect[],
): Promise<readonly ForeseenChange[]> {
  const changes: ForeseenChange[] = [];
  for (const effect of effects) changes.push(...(await changesOf(effect, about)));
  // Effects on several resources may have the same words; a map keeps the first place of each.
  const distinct = [...new Map(changes.map((change) => [change.text, change])).values()];
  const texts = await named(
    about,
    effects,
    distinct.map(({ text }) => text),
  );
  return distinct.map(({ loosens }, i) => ({ text: texts[i] ?? '', loosens }));
}
