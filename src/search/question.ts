/** Reads a question: the words that were said, the things and acts that they mean, and typing errors put right. */
import { ABSENT, isAbsent, type Match, PARTICIPLE, type Phrases, plain } from './phrases.ts';
import type { Spelling } from './spelling.ts';
import { isSilent, parted, split, stem, stemsOf } from './text.ts';
import { askingPairs, askingWords, purposeWords } from './words/sentences.ts';

/** Acts that change nothing. */
export const LOOKS: ReadonlySet<string> = new Set(['list', 'get']);

export interface Question {
  /** Words and how much each counts. */
  readonly words: ReadonlyMap<string, number>;
  /** Without the plus: `create`. */
  readonly acts: ReadonlyMap<string, number>;
  /** Whether it speaks of several things. */
  readonly isPlural: boolean;
  /** It only names one thing: "security group", "azure vnet". */
  readonly isBare: boolean;
  /** What was said, word by word, each as its stem. */
  readonly said: readonly string[];
  /** How surely it names a thing of the API, from 0 to 1. */
  readonly thing: number;
  /** What it names and the API does not have. */
  readonly absent: readonly string[];
  /** Its words that nobody knows, as they were written; none if the document knows another of its words. */
  readonly unknown: readonly string[];
  /** All that was said or meant, in words of one form: for goals. */
  readonly all: ReadonlySet<string>;
}

const SAID = 1;
/** A word that the tables explain counts less than what it means. */
const EXPLAINED = 0.25;
/** A word of a longer phrase means nothing by itself: "group" in "security group". */
const IN_PHRASE = 0.05;
const GUESSED = 0.9;
const LIKELY = 0.6;
export const LIKELY_THING = 0.4;
/** The first thing is what the question is about: "the price of a volume". */
const LATER_THING = 0.85;
/** After the first verb, others often only describe: "list the servers that I stopped". */
const LATER_ACT = 0.75;
/** In a question that begins with such a word, a verb of change is a state: "which servers are stopped". */
const ASKING = new Set([...askingWords.map(stem), ...askingPairs.map((pair) => stemsOf(pair).join(' '))]);
const STATE = 0.4;
/** What was done already is a state, too: "the uploaded image". */
const DONE = 0.5;
/** An act that is even less sure says nothing about a goal: "start every box that is labelled staging". */
const UNSURE = 0.4;
const PURPOSE = new Set(purposeWords.map(stem));
/** "EBS" ends in an s of its own. */
const isPluralForm = (form: string): boolean => /[^su]s$/.test(form) && stem(form) !== form;

/** Machines are called like this: `web-1`, `db-02`. */
const MACHINE_NAME = /\b[a-z]+-\d{1,2}\b/i;
const NAMED = 0.5;
/** Shorter words that nobody knows are typing errors, or names. */
const LONG_WORD = /^[a-z]{4,}$/;

/** "Back up" is the only verb of two words that is also a thing in one. */
const withVerbs = (query: string): string =>
  query
    .replaceAll(/(?<!\b(?:bring|come|comes|get|is|are|be)\b.{0,30})\bback up\b/gi, 'make backup')
    .replaceAll(/\bback(?:s|ed|ing) up\b/gi, 'backup');

/** The words of the query; "CloudWatch" is one word if the tables know it, and else two. */
const readWords = (query: string, spelling: Spelling): string[] =>
  withVerbs(query)
    .split(/[^\p{L}\p{N}'’]+/u)
    .flatMap((word) => {
      const whole = split(word);
      return whole.every((each) => spelling.knows(stem(each))) ? whole : split(parted(word));
    });

export function questionOf(
  query: string,
  phrases: Phrases,
  spelling: Spelling,
  isOfDocument: (word: string) => boolean,
): Question {
  const spoken = readWords(query, spelling);
  const read = spoken.flatMap((form) => {
    const word = stem(form);
    if (isSilent(word)) return [{ word, weight: SAID, form }];
    const { words, isGuess } = spelling.read(form);
    const weight = isGuess ? GUESSED : SAID;
    return words.map((each) => ({ word: each, weight, form }));
  });
  const said = read.map(({ word }) => word);
  const words = new Map<string, number>();
  const acts = new Map<string, number>();
  const put = (map: Map<string, number>, word: string, weight: number): void =>
    void map.set(word, Math.max(map.get(word) ?? 0, weight));
  const explained = new Map<number, number>();
  const isAsking = ASKING.has(said[0] ?? '') || ASKING.has(`${said[0]} ${said[1]}`);
  /** "Attach a disk" has the words of "attached disk", but asks for an act. */
  const verbsIn = ({ places: [first = 0], means, isState }: Match): string[] =>
    !isState || means.some((word) => word.startsWith('+')) || PARTICIPLE.test(read[first]?.form ?? '')
      ? []
      : phrases
          .find([said[first] ?? ''])
          .flatMap(({ means: own }) => own.filter((word) => word.startsWith('+')));
  let verbs = 0;
  let things = 0;
  let thing = 0;
  const matches = phrases.find(said).sort((a, b) => (a.places[0] ?? 0) - (b.places[0] ?? 0));
  const found = matches.filter(({ means }) => !means.some(isAbsent));
  // "Reserve an IP" asks for one; "attach the reserved IP" does not.
  const missing = matches.filter(
    ({ means, places: [first = 0], isState }) =>
      means.some(isAbsent) && (isState || !PARTICIPLE.test(read[first]?.form ?? '')),
  );
  for (const { places } of missing) for (const place of places) explained.set(place, IN_PHRASE);
  for (const match of found) {
    const { places } = match;
    const means = [...match.means, ...verbsIn(match)];
    const weight = Math.min(...places.map((place) => read[place]?.weight ?? 1));
    for (const word of means) {
      if (!word.startsWith('+')) {
        const sure = word.endsWith('?') ? LIKELY_THING : things > 0 ? LATER_THING : 1;
        put(words, plain(word), sure * weight);
        thing = Math.max(thing, sure);
        continue;
      }
      const act = plain(word);
      const isLikely = word.endsWith('?');
      let sure = isLikely ? LIKELY : verbs > 0 ? LATER_ACT : 1;
      if (PARTICIPLE.test(read[places[0] ?? 0]?.form ?? '')) sure *= DONE;
      put(acts, act, weight * sure * (isAsking && !LOOKS.has(act) ? STATE : 1));
    }
    if (means.some((word) => word.startsWith('+') && !word.endsWith('?'))) verbs++;
    if (means.some((word) => !word.startsWith('+') && !word.endsWith('?'))) things++;
    for (const place of places) explained.set(place, places.length > 1 ? IN_PHRASE : EXPLAINED);
  }
  const head = said.findIndex((word) => PURPOSE.has(word));
  const isPlural =
    acts.has('list') ||
    found.some(
      ({ places, means }) =>
        (head <= 0 || (places[0] ?? 0) < head) &&
        !means.every((word) => word.startsWith('+')) &&
        isPluralForm(read[places.at(-1) ?? 0]?.form ?? ''),
    );
  // "Show all servers" and "show my servers" ask for the list.
  const get = acts.get('get') ?? 0;
  if (isPlural && get > (acts.get('list') ?? 0)) {
    acts.set('list', get);
    acts.set('get', 0.7 * get);
  }
  if (MACHINE_NAME.test(query)) {
    put(words, 'vm', NAMED);
    thing = Math.max(thing, NAMED);
  }
  for (const [place, { word, weight }] of read.entries())
    if (!isSilent(word)) put(words, word, weight * (explained.get(place) ?? SAID));
  const others = said.filter((word, place) => !explained.has(place) && !isSilent(word));
  // The same words may stand in two tables.
  const phrasesFound = new Set(found.map(({ places }) => places.join())).size;
  const isBare =
    acts.size === 0 &&
    !isAsking &&
    !isPlural &&
    !said.includes('of') &&
    (phrasesFound === 1 || (phrasesFound > 1 && others.length === 0)) &&
    !read.some(
      ({ form }, place) => (head <= 0 || place < head) && explained.has(place) && isPluralForm(form),
    ) &&
    others.every((word) => !isOfDocument(word));
  const sureActs = [...acts].flatMap(([act, weight]) => (weight < UNSURE ? [] : act));
  const sureWords = [...words].flatMap(([word, weight]) => (weight <= LIKELY_THING ? [] : word));
  return {
    words,
    acts,
    isPlural,
    isBare,
    said,
    thing,
    absent: [...new Set(missing.flatMap(({ means }) => means.map((word) => word.slice(ABSENT.length))))],
    unknown: others.some(isOfDocument)
      ? []
      : read.flatMap(({ word, form }) =>
          LONG_WORD.test(form) && !isSilent(word) && !spelling.knows(word) ? form : [],
        ),
    all: new Set([...said, ...sureWords, ...sureActs.map((act) => `+${act}`)]),
  };
}
