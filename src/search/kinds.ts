/** Which of the things that an operation can do a question means: `performVmAction` starts, stops and restarts. */
import type { Kind } from './document.ts';
import { type Phrases, plain } from './phrases.ts';
import type { Question } from './question.ts';
import { stem, stemsOf, wordsOf } from './text.ts';
import { forceWords } from './words/sentences.ts';

const NAMED = 3;
const ACT = 2;
/** Each word of the question that also stands in what the document says about the kind. */
const EXPLAINED = 0.2;
/** `shut` in "shut it off" begins `shutdown`. */
const BEGUN = 0.5;
const SHORTEST_BEGINNING = 4;

const FORCE = new Set(forceWords.map(stem));
/** Otherwise the gentle one of two similar kinds comes first. */
const FORCED = 0.4;

function scoreOf({ value, meaning }: Kind, { said, words, acts }: Question, phrases: Phrases): number {
  const own = stemsOf(value);
  const joined = said.map((word, i) => `${word}${said[i + 1] ?? ''}`);
  const isNamed = own.every((word) => said.includes(word)) || joined.includes(own.join(''));
  const isBegun =
    own.length === 1 &&
    said.some((word) => word.length >= SHORTEST_BEGINNING && own[0]?.startsWith(word) === true);
  const act = phrases
    .find(own)
    .flatMap(({ means }) => means)
    .reduce((best, word) => Math.max(best, acts.get(plain(word)) ?? 0), 0);
  const about = wordsOf(meaning);
  const explained = new Set(about.filter((word) => words.has(word))).size;
  const meant = (isNamed ? NAMED : isBegun ? BEGUN : 0) + ACT * act;
  const isForced = about.some((word) => FORCE.has(word));
  const isForceful = said.some((word) => FORCE.has(word));
  if (meant === 0 && !(isForced && isForceful)) return 0;
  return meant + EXPLAINED * explained + (isForced === isForceful ? FORCED : 0);
}

/** Those that the question speaks of, the best first; none if it does not say what to do. */
export const kindsFor = (kinds: readonly Kind[], question: Question, phrases: Phrases): string[] =>
  kinds
    .map((kind) => ({ kind, value: scoreOf(kind, question, phrases) }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value)
    .map(({ kind }) => kind.value);
