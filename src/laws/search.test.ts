/** A new family needs only its words: the laws say which are missing, and which mean nothing. */
import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { operationsIn } from '../search/document.ts';
import { actsOf } from '../search/entries.ts';
import { OperationSearch } from '../search/operation-search.ts';
import { meaningsIn, Phrases, plain } from '../search/phrases.ts';
import { parted, stemsOf, wordsOf } from '../search/text.ts';
import { goals } from '../search/words/goals.ts';
import { tables } from '../search/words/tables.ts';
import { exampleDocument } from '../surfaces/openapi/snapshot.ts';

const document = exampleDocument(buildRegistry(families));
const operations = operationsIn(document);
const search = new OperationSearch(document);
const found = (query: string, count: number): string[] =>
  search
    .find(query)
    .slice(0, count)
    .map(({ id }) => id);

describe('every operation is found', () => {
  it.each(operations)('$id first by its summary', ({ id, summary }) => {
    expect(found(summary, 1)).toEqual([id]);
  });

  it.each(operations)('$id among the first three by its resource and its verb', ({ id, resource }) => {
    const thing = resource.replaceAll('_', ' ');
    const words = new Set(wordsOf(thing));
    const verb = parted(id)
      .split(' ')
      .filter((word) => !stemsOf(word).some((stem) => words.has(stem)));
    expect(found(`${thing} ${verb.join(' ')}`, 3)).toContain(id);
  });
});

describe('the tables', () => {
  const rows = tables.flat();
  const offered = new Set(
    operations.flatMap((operation) => [...actsOf(operation, new Phrases(tables)).keys()]),
  );
  const known = new Set(
    operations.flatMap(({ id, summary, path, resource, topic, description, members, choices }) =>
      wordsOf(
        [
          parted(id),
          summary,
          path,
          resource,
          topic.title,
          topic.purpose,
          description,
          ...members,
          ...choices,
        ].join(' '),
      ),
    ),
  );

  it('contain only words of the document, and acts of some operation', () => {
    const lost = rows.flatMap(([means]) =>
      meaningsIn(means).filter(
        (word) => !(word.startsWith('+') ? offered.has(plain(word)) : known.has(plain(word))),
      ),
    );
    expect(lost).toEqual([]);
  });

  it('name only operations that exist', () => {
    const ids = operations.map(({ id }) => id);
    expect(Object.keys(goals).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it.each([...new Map(operations.map((operation) => [operation.topic.name, operation])).values()])(
    'have names that people use for the topic $topic.name',
    ({ topic, family }) => {
      const own = wordsOf(topic.name).filter((word) => !wordsOf(family).includes(word));
      const named = rows.filter(([means]) => own.some((word) => meaningsIn(means).includes(word)));
      expect(named.length).toBeGreaterThan(0);
    },
  );
});
