/** A new family needs only its words: the laws say which are missing, and which mean nothing. */
import { describe, expect, it } from 'vitest';
import { familyContracts } from '../contract/families.ts';
import { families } from '../families/index.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { builtNames } from '../search/absent.ts';
import { operationsIn } from '../search/document.ts';
import { actsOf } from '../search/entries.ts';
import { OperationSearch } from '../search/operation-search.ts';
import { meaningsIn, Phrases, plain } from '../search/phrases.ts';
import { isSilent, parted, stem, stemsOf, wordsOf } from '../search/text.ts';
import { absentThings } from '../search/words/absent.ts';
import { goals } from '../search/words/goals.ts';
import { ordinary } from '../search/words/ordinary.ts';
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

describe('what the question says decides', () => {
  const kinds = operations.flatMap(({ id, resource, kinds }) =>
    kinds.map(({ value }) => ({ id, resource, value })),
  );
  it.each(kinds)('$value is the first kind of $id if it is named', ({ id, resource, value }) => {
    const query = `${value} ${resource}`.replaceAll('_', ' ');
    expect(search.find(query).find((hit) => hit.id === id)?.kinds[0]).toBe(value);
  });

  const made = operations
    .filter(({ role }) => role === 'create')
    .flatMap(({ id, resource }) => {
      const show = operations.find((each) => each.role === 'read' && each.resource === resource);
      return show === undefined ? [] : [{ id, resource, show: show.id }];
    });
  it.each(made)('$id comes before $show for the bare name of the thing', ({ id, resource, show }) => {
    const ids = found(resource.replaceAll('_', ' '), operations.length);
    expect(ids.filter((each) => each === id || each === show)).toEqual([id, show]);
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

describe('the things that the API does not have', () => {
  const built = builtNames(operations);
  const planned = new Map(
    familyContracts.map(({ name, planned: nouns = {} }) => [
      name as string,
      Object.keys(nouns).map((noun) => `${name}:${noun}`),
    ]),
  );

  it('are not built: words of things that are belong in the table of their family', () => {
    expect(absentThings.filter(({ until }) => built.has(until)).map(({ until }) => until)).toEqual([]);
  });

  it('have a name of the contract if the contract plans them', () => {
    const unplanned = absentThings
      .map(({ until }) => until)
      .filter((until) => until.includes(':') && ![...planned.values()].flat().includes(until));
    expect(unplanned).toEqual([]);
  });

  it.each([...planned].filter(([family]) => operations.every((operation) => operation.family !== family)))(
    'include something of the family %s, which has no operation',
    (_, nouns) => {
      expect(absentThings.some(({ until }) => nouns.includes(until))).toBe(true);
    },
  );

  it('come near topics that exist', () => {
    const topics = new Set(operations.map(({ topic }) => topic.name));
    expect(absentThings.flatMap(({ near }) => near.filter((name) => !topics.has(name)))).toEqual([]);
  });

  const phrasesIn = (said: string): string[] =>
    said.split('|').map((phrase) =>
      phrase
        .split('~')
        .map((part) => stemsOf(part).join(' '))
        .join(' ~ '),
    );

  it('are never said as something that the API has', () => {
    const present = new Set(tables.flat().flatMap(([, said]) => phrasesIn(said)));
    expect(
      absentThings.flatMap(({ said }) => phrasesIn(said).filter((phrase) => present.has(phrase))),
    ).toEqual([]);
  });

  it('are never meant by an ordinary word', () => {
    const usual = new Set(ordinary.map(stem));
    const phrases = absentThings.flatMap(({ said }) => phrasesIn(said));
    expect(phrases.filter((phrase) => usual.has(phrase) || isSilent(phrase))).toEqual([]);
  });

  it.each(absentThings)('$things: all that people call them gets the note', ({ said, things }) => {
    const silent = said
      .split('|')
      .map((phrase) => phrase.replace('~', 'a'))
      .filter((phrase) => search.ask(phrase).note?.includes(things) !== true);
    expect(silent).toEqual([]);
  });
});
