/** Finds the known word that somebody meant: words written together are taken apart, typing errors are forgiven. */

import { stem } from './text.ts';

interface Known {
  readonly word: string;
  /** The ways in which the tables write it. */
  readonly forms: readonly string[];
  readonly letters: number;
}

/** One bit for each letter that occurs. Two words that differ in many letters are not compared any further. */
function lettersOf(word: string): number {
  let letters = 0;
  for (let i = 0; i < word.length; i++) letters |= 1 << (word.charCodeAt(i) & 31);
  return letters;
}

function countBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** How many typing errors a word of this length may have. Of short words, only letters that changed places. */
const errorsIn = (length: number): number => (length < 4 ? 0 : length < 8 ? 1 : 2);
const SHORT = 4;

/** Letters added, removed, replaced, or swapped with their neighbour; more than `most` are not counted. */
function distance(a: string, b: string, most: number): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let steps = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        steps = Math.min(steps, before[j - 2]! + 1);
      row.push(steps);
      least = Math.min(least, steps);
    }
    if (least > most) return most + 1;
    before = last;
    last = row;
  }
  return last[b.length]!;
}

/** Shorter parts occur by chance in words that mean something else. */
const SHORTEST_PART = 3;
const LONG_PART = 5;
/** The letters that German puts between the parts of a word. */
const JOINTS = ['', 's', 'n', 'e', 'es'];

export class Spelling {
  readonly #words: ReadonlySet<string>;
  readonly #byLength = new Map<number, Known[]>();
  /** Words that may be parts of a longer word. */
  readonly #parts: ReadonlySet<string>;

  /** `known`: the stems of words that are right as they are; `meant`: words that an unknown word may stand for. */
  constructor(known: Iterable<string>, meant: Iterable<string>) {
    const forms = new Map<string, string[]>();
    for (const form of new Set(meant))
      if (form.length >= SHORTEST_PART) forms.set(stem(form), [...(forms.get(stem(form)) ?? []), form]);
    this.#parts = new Set(forms.keys());
    this.#words = new Set([...known, ...this.#parts]);
    for (const [word, each] of forms) {
      const list = this.#byLength.get(word.length) ?? [];
      list.push({ word, forms: each, letters: lettersOf(word) });
      this.#byLength.set(word.length, list);
    }
  }

  knows(word: string): boolean {
    return this.#words.has(word);
  }

  /** The stems of the words that this one stands for; its own if nothing is similar. */
  read(form: string): { readonly words: readonly string[]; readonly isGuess: boolean } {
    const word = stem(form);
    const { length } = form;
    if (this.#words.has(word) || /\d/.test(word)) return { words: [word], isGuess: false };
    const slip = this.#nearest(form, Math.min(1, errorsIn(length)), length <= SHORT);
    if (slip !== undefined) return { words: [slip], isGuess: true };
    const parts = this.#apart(word, 3);
    if (parts !== undefined) return { words: parts, isGuess: false };
    const near = length <= SHORT ? undefined : this.#nearest(form, errorsIn(length));
    const guess = near ?? this.#lastPart(word);
    return guess === undefined ? { words: [word], isGuess: false } : { words: [guess], isGuess: true };
  }

  /** Takes the longest first part whose rest consists of known words, too. */
  #apart(word: string, most: number): string[] | undefined {
    if (most === 0) return undefined;
    for (let end = word.length - SHORTEST_PART; end >= SHORTEST_PART; end--) {
      const first = word.slice(0, end);
      if (!this.#parts.has(first)) continue;
      for (const joint of JOINTS) {
        if (!word.startsWith(joint, end)) continue;
        const rest = word.slice(end + joint.length);
        if (this.#parts.has(rest)) return [first, rest];
        const more = rest.length > 2 * SHORTEST_PART ? this.#apart(rest, most - 1) : undefined;
        if (more !== undefined) return [first, ...more];
      }
    }
    return undefined;
  }

  /** The last part of a German word says what it is: "Gesamtkosten" are "Kosten". */
  #lastPart(word: string): string | undefined {
    for (let start = SHORTEST_PART; start <= word.length - LONG_PART; start++)
      if (this.#parts.has(word.slice(start))) return word.slice(start);
    return undefined;
  }

  #nearest(form: string, allowed: number, isSwap = false): string | undefined {
    const word = stem(form);
    if (allowed === 0 || word.length < SHORT) return undefined;
    const letters = lettersOf(word);
    let best: string | undefined;
    let fewest = allowed + 1;
    for (let length = word.length - allowed; length <= word.length + allowed; length++) {
      for (const known of length < SHORT ? [] : (this.#byLength.get(length) ?? [])) {
        if (countBits(known.letters ^ letters) > (isSwap ? 0 : 2 * allowed)) continue;
        if (isSwap && length !== word.length) continue;
        let errors = distance(word, known.word, allowed);
        if (errors > allowed) continue;
        // Among equals, the word that is written most like it; people rarely get the first letter wrong.
        errors += 0.2 * Math.min(...known.forms.map((each) => distance(form, each, 2)));
        if (known.word[0] !== word[0]) errors += 0.5;
        if (errors < fewest) {
          fewest = errors;
          best = known.word;
        }
      }
    }
    return best;
  }
}
