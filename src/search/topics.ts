/** The nearest topics: what to show if no operation fits the words of a question. */
import type { Described } from './document.ts';
import type { Table } from './phrases.ts';
import { stem, wordsOf } from './text.ts';

export interface NearTopic {
  readonly topic: string;
  readonly title: string;
  readonly purpose: string;
  /** The operation to begin with: the one that lists or reads such things. */
  readonly operation: string;
}

interface Known extends NearTopic {
  readonly family: string;
  readonly trigrams: readonly ReadonlySet<string>[];
}

const shown = ({ topic, title, purpose, operation }: Known): NearTopic => ({
  topic,
  title,
  purpose,
  operation,
});

function trigramsOf(word: string): Set<string> {
  const padded = ` ${word} `;
  return new Set(Array.from({ length: Math.max(1, padded.length - 2) }, (_, i) => padded.slice(i, i + 3)));
}

/** The share of common letters in a row, from 0 to 1. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const each of a) if (b.has(each)) common++;
  return (2 * common) / (a.size + b.size);
}

/** What the tables say about the things of a topic, and its own title and purpose. */
function wordsAbout({ topic }: Described, tables: readonly Table[]): Set<string> {
  const own = wordsOf(topic.name);
  const said = tables
    .flat()
    .filter(([means]) => own.every((word) => means.split(' ').map(stem).includes(word)))
    .flatMap(([, phrases]) => wordsOf(phrases));
  return new Set([...own, ...said, ...wordsOf(`${topic.title} ${topic.purpose}`)]);
}

export class Topics {
  readonly #known: readonly Known[];

  constructor(operations: readonly Described[], tables: readonly Table[]) {
    const first = new Map<string, Described>();
    for (const operation of operations)
      if (!first.has(operation.topic.name)) first.set(operation.topic.name, operation);
    this.#known = [...first.values()].map((operation) => ({
      topic: operation.topic.name,
      title: operation.topic.title,
      purpose: operation.topic.purpose,
      operation: operation.id,
      family: operation.family,
      trigrams: [...wordsAbout(operation, tables)].map(trigramsOf),
    }));
  }

  /** Those with these names, in this order. */
  named(names: readonly string[], family?: string): NearTopic[] {
    return names.flatMap((name) =>
      this.#known
        .filter((known) => known.topic === name && (family === undefined || known.family === family))
        .map(shown),
    );
  }

  /** Always as many as asked for, if there are so many: those with the most similar words first. */
  nearest(query: string, count: number, family?: string): NearTopic[] {
    const asked = wordsOf(query).map(trigramsOf);
    const likest = ({ trigrams }: Known): number =>
      Math.max(0, ...asked.map((word) => Math.max(0, ...trigrams.map((each) => likeness(word, each)))));
    return this.#known
      .filter((known) => family === undefined || known.family === family)
      .map((known) => ({ known, value: likest(known) }))
      .sort((a, b) => b.value - a.value)
      .slice(0, count)
      .map(({ known }) => shown(known));
  }
}
