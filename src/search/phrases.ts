/**
 * Tables of what people say and the words of the API for it. In `said`, phrases are divided by `|`; `~` stands for a
 * few words in between: `turn ~ off`. In `means`, a word with a plus is an act (`+create`), the others are things.
 * A word with a question mark is only likely: `+list?` for "all", `image?` for "Debian". One with an exclamation mark is
 * a thing that the API does not have.
 */
import { isArticle, split, stem, stemsOf } from './text.ts';

export type Table = readonly (readonly [means: string, said: string])[];

interface Phrase {
  readonly words: readonly string[];
  /** It begins with what was done to a thing: "attached disk". */
  readonly isState: boolean;
  readonly means: readonly string[];
}

export interface Match {
  /** The places of the words of the question that the phrase is made of. */
  readonly places: readonly number[];
  readonly means: readonly string[];
  readonly isState: boolean;
}

/** What was done already is a state: "the uploaded image". */
export const PARTICIPLE = /ed$|^ge\w+t$/;

export const ABSENT = '!';
export const isAbsent = (word: string): boolean => word.startsWith(ABSENT);

const GAP = '~';
const LONGEST_GAP = 5;

export const meaningsIn = (means: string): string[] =>
  means
    .split(' ')
    .flatMap((word) =>
      word.startsWith('+') || word.startsWith(ABSENT)
        ? word
        : stemsOf(word).map((each) => (word.endsWith('?') ? `${each}?` : each)),
    );

/** `+list?` → list, `image?` → image. */
export const plain = (word: string): string => word.replace(/^\+|\?$/g, '');

const phrasesOf = (said: string): string[][] =>
  said
    .split('|')
    .map((each) => each.split(GAP).flatMap((part, i) => (i === 0 ? split(part) : [GAP, ...split(part)])))
    .filter(([first]) => first !== undefined && first !== GAP);

export class Phrases {
  readonly #byFirst = new Map<string, Phrase[]>();
  /** The words of all phrases, as they are written. */
  readonly forms = new Set<string>();

  constructor(tables: readonly Table[]) {
    for (const [row, said] of tables.flat()) {
      const means = meaningsIn(row);
      for (const forms of phrasesOf(said)) {
        for (const form of forms) if (form !== GAP) this.forms.add(form);
        const words = forms.map(stem);
        const first = words[0] ?? '';
        const list = this.#byFirst.get(first) ?? [];
        // A later table may say the same phrase of something else: then it means both.
        list.push({ words, means, isState: forms.length > 1 && PARTICIPLE.test(forms[0] ?? '') });
        this.#byFirst.set(first, list);
      }
    }
  }

  /** The phrases in these words, the longest first; a word belongs to the longest phrase that contains it. */
  find(words: readonly string[]): Match[] {
    const all = words.flatMap((first, at) =>
      (this.#byFirst.get(first) ?? []).flatMap((phrase) => {
        const places = placesOf(phrase.words, words, at);
        return places === undefined ? [] : [{ places, means: phrase.means, isState: phrase.isState }];
      }),
    );
    all.sort(
      (a, b) =>
        b.places.length - a.places.length ||
        Number(hasGap(a)) - Number(hasGap(b)) ||
        b.means.length - a.means.length ||
        spanOf(a) - spanOf(b),
    );
    const taken = new Map<number, Match>();
    return all.flatMap((match) => {
      const longer = match.places.map((place) => taken.get(place)).find((other) => other !== undefined);
      if (longer === undefined || longer.places.join() === match.places.join()) {
        for (const place of match.places) taken.set(place, match);
        return [match];
      }
      // The other reading of words that belong to two phrases: "EC2 instance" and "instance types".
      return match.places.length === longer.places.length
        ? [
            {
              ...match,
              means: match.means.map((word) => (word.endsWith('?') || isAbsent(word) ? word : `${word}?`)),
            },
          ]
        : [];
    });
  }
}

const hasGap = (match: Match): boolean => spanOf(match) >= match.places.length;
const spanOf = ({ places }: Match): number => (places.at(-1) ?? 0) - (places[0] ?? 0);

function placesOf(phrase: readonly string[], words: readonly string[], from: number): number[] | undefined {
  const places: number[] = [];
  let at = from;
  for (let i = 0; i < phrase.length; i++) {
    if (phrase[i] === GAP) {
      const next = words.indexOf(phrase[i + 1] ?? '', at);
      if (next < 0 || next - at > LONGEST_GAP) return undefined;
      at = next;
      continue;
    }
    // "power off" is also found in "power the off".
    while (i > 0 && words[at] !== phrase[i] && isArticle(words[at] ?? '')) at++;
    if (words[at] !== phrase[i]) return undefined;
    places.push(at++);
  }
  return places;
}
