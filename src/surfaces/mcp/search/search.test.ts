import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { families } from '../../../families/index.ts';
import { buildRegistry } from '../../../kernel/registry.ts';
import { OperationSearch } from '../../../search/operation-search.ts';
import { exampleDocument } from '../../openapi/snapshot.ts';
import { Search } from './search.ts';

const registry = buildRegistry(families);
const index = new OperationSearch(exampleDocument(registry));
const search = new Search(registry, () => index);
const idsFor = (query: string): string[] => search.find(query).map(({ endpoint }) => endpoint.id);

interface Phrasing {
  readonly query: string;
  /** The operations that are right; one of them is enough. None if the API does not have what is asked for. */
  readonly ids: readonly string[];
  readonly kind: string;
}

const fileOf = (name: string): string => join(import.meta.dirname, name);
const linesOf = (name: string): string[] => readFileSync(fileOf(name), 'utf8').split('\n');

/** Each line: the phrasing, the operations with commas or `-` for none, and the kind of phrasing if it is known. */
const readTable = (name: string): Phrasing[] =>
  linesOf(name)
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('\t'))
    .map(([query = '', ids = '', kind = 'any']) => ({ query, ids: ids === '-' ? [] : ids.split(','), kind }));

const asksForSomething = ({ ids }: Phrasing): boolean => ids.length > 0;

/** A line without a space at its beginning names an operation; the lines below it are ways to ask for it. */
function readGroups(name: string): Phrasing[] {
  let id = '';
  return linesOf(name).flatMap((line) => {
    if (line.startsWith(' ')) return [{ query: line.trim(), ids: [id], kind: 'any' }];
    id = line;
    return [];
  });
}

interface Placed extends Phrasing {
  /** 1 if the right operation is first. */
  readonly place: number;
}

const placed = (phrasings: readonly Phrasing[]): Placed[] =>
  phrasings.filter(asksForSomething).map((phrasing) => {
    const found = idsFor(phrasing.query);
    const places = phrasing.ids.map((id) => found.indexOf(id) + 1).filter((place) => place > 0);
    return { ...phrasing, place: places.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...places) };
  });

const share = (all: readonly Placed[], within: number): number =>
  all.filter(({ place }) => place <= within).length / all.length;

/** What a failed test says: the shares of each kind, and the phrasings that were missed. */
function tableOf(all: readonly Placed[], within: number): string {
  const kinds = [...new Set(all.map(({ kind }) => kind))].map((kind) => {
    const own = all.filter((each) => each.kind === kind);
    const shares = [1, 3, 8].map((count) => `${(100 * share(own, count)).toFixed(0)} % in ${count}`);
    return `${kind} (${own.length}): ${shares.join(', ')}`;
  });
  const missed = all.filter(({ place }) => place > within);
  return [...kinds, ...missed.map(({ query, ids, place }) => `${query} → ${ids}: ${place}`)].join('\n');
}

const own = placed(readGroups('phrasings.txt'));
/** Written by somebody who did not know the tables. */
const seen = placed(readTable('phrasings-seen.tsv'));
/** Written with the tables, to make them broader: each was asked once before anything was changed for it. */
const more = placed(readTable('phrasings-more.tsv'));
/** Phrasings that nobody has looked at while the tables were written. */
const UNSEEN = 'phrasings-unseen.tsv';
const unseen = existsSync(fileOf(UNSEEN)) ? placed(readTable(UNSEEN)) : [];

const FILES = ['phrasings-seen.tsv', 'phrasings-more.tsv', ...(unseen.length === 0 ? [] : [UNSEEN])];
const absent = FILES.flatMap(readTable).filter((phrasing) => !asksForSomething(phrasing));

describe('the phrasings', () => {
  it('ask for every operation in at least three ways, 300 in all, each once', () => {
    const counts = registry.endpoints.map(({ id }) => own.filter(({ ids: [only] }) => only === id).length);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(3);
    expect(own.length).toBeGreaterThanOrEqual(300);
    expect(new Set(own.map(({ query }) => query)).size).toBe(own.length);
  });

  it('name operations that exist, and never by their id', () => {
    const known = new Set(registry.endpoints.map(({ id }) => id));
    const all = [...own, ...seen, ...more, ...unseen];
    expect(all.flatMap(({ ids }) => ids).filter((id) => !known.has(id))).toEqual([]);
    const telling = all.filter(({ ids, query }) =>
      ids.some((id) => query.toLowerCase().includes(id.toLowerCase())),
    );
    expect(telling).toEqual([]);
  });
});

describe('search', () => {
  const goals: readonly (readonly [string, readonly Placed[], number, number])[] = [
    ['phrasings.txt', own, 3, 0.97],
    ['phrasings.txt', own, 8, 0.99],
    ['phrasings-seen.tsv', seen, 3, 0.95],
    ['phrasings-seen.tsv', seen, 8, 0.985],
    ['phrasings-more.tsv', more, 3, 0.95],
    ['phrasings-more.tsv', more, 8, 0.985],
    ...(unseen.length === 0
      ? []
      : ([
          [UNSEEN, unseen, 3, 0.85],
          [UNSEEN, unseen, 8, 0.97],
        ] as const)),
  ];

  it.each(goals)('finds what %s means among the first operations', (_, all, within, goal) => {
    expect(share(all, within), tableOf(all, within)).toBeGreaterThanOrEqual(goal);
  });

  it.each(absent)('says that it has nothing about "$query"', ({ query }) => {
    expect(search.ask(query).note).toMatch(/^(Nothing here is about |No operation fits)/);
  });

  it.each([
    ['createVm', 'createVm'],
    ['/flexible-vps/v1/vms/{id}/resize', 'resizeVm'],
    ['POST /flexible-vps/v1/images', 'createImage'],
    ['flexible-vps:vm-power:write', 'performVmAction'],
    ['vm_has_snapshots', 'redeployVm'],
  ])('finds %s by id, path, permission or error code', (query, id) => {
    expect(idsFor(query).slice(0, 3)).toContain(id);
  });

  it('reads only the beginning of a long question', () => {
    expect(idsFor(`delete a snapshot${' '.repeat(1_000)}create a network`)).toEqual(
      idsFor('delete a snapshot'),
    );
  });
});
