/** What the search keeps of each operation: its words by weight, its things, and the acts that it offers. */
import type { Described, Kind } from './document.ts';
import { type Phrases, plain } from './phrases.ts';
import { LOOKS } from './question.ts';
import { parted, split, stem, stemsOf, wordsOf } from './text.ts';
import { vagueWords } from './words/sentences.ts';

export interface Entry {
  readonly id: string;
  /** All words of its texts, each with the weight of the texts that contain it. */
  readonly text: ReadonlyMap<string, number>;
  readonly length: number;
  /** The words of its summary, without its verbs. */
  readonly summary: ReadonlySet<string>;
  /** The words of its resource. */
  readonly main: ReadonlySet<string>;
  /** The words of things that it is about, from 0 to 1. */
  readonly things: ReadonlyMap<string, number>;
  /** What it does, from 0 to 1. */
  readonly acts: ReadonlyMap<string, number>;
  readonly role: string;
  /** The things that it can do, if a member of its body chooses one. */
  readonly kinds: readonly Kind[];
  /** It acts on many things at once, because its path names none. */
  readonly isBulk: boolean;
  /** It changes nothing. */
  readonly isLook: boolean;
}

/** The acts of a role, with how well each describes it. */
const ofRole: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  list: { list: 1, get: 0.6 },
  read: { get: 1, list: 0.4 },
  create: { create: 1, add: 0.8, start: 0.4 },
  update: { update: 1, resize: 0.3, start: 0.3, stop: 0.3 },
  declare: { create: 0.9, update: 1, set: 1, start: 0.4, stop: 0.3 },
  delete: { delete: 1, remove: 1, detach: 0.3, stop: 0.4 },
  action: { update: 0.3 },
};

const VAGUE = new Set(vagueWords.map(stem));

const thingsIn = (name: string, family: string): string[] =>
  split(name)
    .filter((word) => !split(family).includes(word))
    .map(stem)
    .filter((word) => !VAGUE.has(word));

export function actsOf(operation: Described, phrases: Phrases): Map<string, number> {
  const { role, id, method, summary, kinds } = operation;
  const acts = new Map(Object.entries(ofRole[role] ?? {}));
  if (method === 'GET' && role !== 'list') acts.set('get', 1);
  if (role === 'list' || role === 'read') return acts;
  const texts = [...summary.split(/,| or /), ...kinds.map(({ value }) => value), split(parted(id))[0] ?? ''];
  for (const text of texts)
    for (const { means } of phrases.find(stemsOf(text)))
      for (const word of means) if (word.startsWith('+') && !LOOKS.has(plain(word))) acts.set(plain(word), 1);
  return acts;
}

/** Verbs are compared as acts. */
const isAct = (word: string, phrases: Phrases): boolean =>
  phrases.find([word]).some(({ means }) => means.every((each) => each.startsWith('+')));

/** The words of a text, with things by the names that ids have: "machine" is `vm`. */
const namedAsIn = (known: ReadonlySet<string>, phrases: Phrases, text: string): string[] =>
  wordsOf(text).map((word) => {
    const [match, ...others] = known.has(word) ? [] : phrases.find([word]);
    const [thing = word, ...more] = match?.means ?? [];
    return others.length === 0 && more.length === 0 && known.has(thing) ? thing : word;
  });

function entryOf(operation: Described, phrases: Phrases, known: ReadonlySet<string>): Entry {
  const { id, path, family, summary, description, permission, topic, members, shown, choices } = operation;
  const said = namedAsIn(known, phrases, summary);
  const bare = path.replaceAll(/\{\w+\}|\/v1\//g, ' ').replace(family, ' ');
  const fields: readonly (readonly [number, string])[] = [
    [3, parted(id)],
    [4, said.join(' ')],
    [2, bare],
    [1, permission],
    [1.5, topic.title],
    [1.2, topic.purpose],
    [0.8, description],
    [0.6, members.join(' ')],
    [0.5, shown.join(' ')],
    [1, choices.join(' ')],
  ];
  const text = new Map<string, number>();
  for (const [weight, part] of fields)
    for (const word of new Set(wordsOf(part))) text.set(word, (text.get(word) ?? 0) + weight);
  const main = new Set(thingsIn(operation.resource, family));
  const things = new Map<string, number>();
  const about = (words: Iterable<string>, weight: number): void => {
    for (const word of words) if (known.has(word)) things.set(word, Math.max(things.get(word) ?? 0, weight));
  };
  about(wordsOf(description), 0.2);
  about(wordsOf(members.join(' ')), 0.25);
  about(wordsOf(choices.join(' ')), 0.5);
  about(wordsOf(bare), 0.6);
  about(thingsIn(operation.parent ?? '', family), 0.6);
  about(thingsIn(topic.name, family), 0.6);
  about([...wordsOf(parted(id)), ...said], 0.85);
  about(main, 1);
  const acts = actsOf(operation, phrases);
  return {
    id,
    text,
    summary: new Set(said.filter((word) => !isAct(word, phrases))),
    length: [...text.values()].reduce((sum, weight) => sum + weight, 0),
    main,
    things,
    acts,
    role: operation.role,
    kinds: operation.kinds,
    isBulk: operation.role === 'action' && !path.includes('{'),
    isLook: operation.role === 'list' || operation.role === 'read' || operation.method === 'GET',
  };
}

export function entriesOf(operations: readonly Described[], phrases: Phrases): Entry[] {
  const known = new Set(operations.flatMap(({ resource, family }) => thingsIn(resource, family)));
  return operations.map((operation) => entryOf(operation, phrases, known));
}
