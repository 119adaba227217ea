/** Goals: words that together mean an operation, although none of them names it. */
import { meaningsIn } from './phrases.ts';
import { split } from './text.ts';
import { goals } from './words/goals.ts';

/** A goal of many words is more certain. */
const VALUE: Readonly<Record<number, number>> = { 1: 0.5, 2: 0.9 };
const MOST = 2;

export class Goals {
  readonly #goals = Object.entries(goals).flatMap(([id, said]) =>
    said.split('|').map((goal) => ({
      id,
      // Each word may have alternatives: `pay/spend idle/unused`.
      words: goal
        .trim()
        .split(/\s+/)
        .map((word) => word.split('/').flatMap(meaningsIn)),
    })),
  );

  /** The words of all goals, as they are written. */
  readonly forms: ReadonlySet<string> = new Set(
    Object.values(goals)
      .flatMap((said) => said.split(/[|/\s]+/))
      .filter((word) => !word.startsWith('+'))
      .flatMap(split),
  );

  /** For all words of a question: the operations that some goal means, with a value from 0 to 1. */
  find(said: ReadonlySet<string>): Map<string, number> {
    const found = new Map<string, number>();
    for (const { id, words } of this.#goals)
      if (words.every((ways) => ways.some((way) => said.has(way))))
        found.set(id, Math.max(found.get(id) ?? 0, VALUE[words.length] ?? MOST));
    return found;
  }
}
