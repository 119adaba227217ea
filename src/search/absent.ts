/** What a question speaks of and the API does not have, so that an answer can say so instead of showing something else. */
import type { Described } from './document.ts';
import { ABSENT, type Table } from './phrases.ts';
import { type AbsentThing, absentThings } from './words/absent.ts';

/** Some operation is about it, so it is absent no longer. */
export function builtNames(operations: readonly Described[]): Set<string> {
  return new Set(
    operations.flatMap(({ permission, resource, topic }) => [
      permission.replace(/:[^:]*$/, ''),
      resource,
      topic.name,
    ]),
  );
}

export class AbsentThings {
  readonly #things: ReadonlyMap<string, AbsentThing>;
  /** What people call them, to be read together with the tables of what there is: the longest phrase wins. */
  readonly table: Table;

  constructor(operations: readonly Described[]) {
    const built = builtNames(operations);
    const absent = absentThings.filter(({ until }) => !built.has(until));
    this.#things = new Map(absent.map((thing) => [thing.until, thing]));
    this.table = absent.map(({ until, said }) => [`${ABSENT}${until}`, said]);
  }

  /** As the sentence "Nothing here is about …" needs them. */
  namesOf(absent: readonly string[]): string[] {
    return absent.flatMap((until) => this.#things.get(until)?.things ?? []);
  }

  /** The names of the topics that come nearest. */
  nearTo(absent: readonly string[]): string[] {
    return [...new Set(absent.flatMap((until) => this.#things.get(until)?.near ?? []))];
  }
}

/** Longer words are hardly words. */
const LONGEST_WORD = 40;
const MOST_WORDS = 4;

/** Words that nobody has explained, as the sentence needs them. */
export const quoted = (words: readonly string[]): string =>
  `“${words
    .slice(0, MOST_WORDS)
    .map((word) => word.slice(0, LONGEST_WORD))
    .join(' ')}”`;

/** What an answer says about things that the API does not have. */
export function noteOn(things: readonly string[], hasHits: boolean): string | undefined {
  if (things.length === 0) return hasHits ? undefined : 'No operation fits these words.';
  const rest = hasHits ? ' What was found is about the rest of the question.' : '';
  return `Nothing here is about ${things.join(' or ')}.${rest}`;
}
