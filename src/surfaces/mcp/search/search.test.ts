import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { families } from '../../../families/index.ts';
import { buildRegistry } from '../../../kernel/registry.ts';
import { Search } from './search.ts';

const registry = buildRegistry(families);
const search = new Search(registry);

/** A line without a space at its beginning names an operation; the lines below it are ways to ask for it. */
function readPhrasings(): Map<string, string[]> {
  const phrasings = new Map<string, string[]>();
  let id = '';
  for (const line of readFileSync(join(import.meta.dirname, 'phrasings.txt'), 'utf8').split('\n')) {
    if (!line.startsWith(' ')) id = line;
    else phrasings.set(id, [...(phrasings.get(id) ?? []), line.trim()]);
  }
  return phrasings;
}

const phrasings = readPhrasings();
const all = [...phrasings].flatMap(([id, asked]) => asked.map((query) => ({ id, query })));

describe('the phrasings', () => {
  it('ask for every operation in at least three ways, 300 in all, each once', () => {
    expect([...phrasings.keys()].sort()).toEqual(registry.endpoints.map(({ id }) => id).sort());
    expect([...phrasings].filter(([, asked]) => asked.length < 3)).toEqual([]);
    expect(all.length).toBeGreaterThanOrEqual(300);
    expect(new Set(all.map(({ query }) => query)).size).toBe(all.length);
  });

  it('never contain the id of the operation', () => {
    expect(all.filter(({ id, query }) => query.toLowerCase().includes(id.toLowerCase()))).toEqual([]);
  });
});

describe('search', () => {
  const places = all.map(({ id, query }) => ({
    id,
    query,
    place: search.find(query).findIndex(({ endpoint }) => endpoint.id === id),
  }));
  const share = (fits: (place: number) => boolean): number =>
    places.filter(({ place }) => fits(place)).length / places.length;

  it('finds the right operation among the first 8 in at least 98 % of the phrasings', () => {
    const missed = places.filter(({ place }) => place < 0 || place >= 8);
    expect(
      share((place) => place >= 0 && place < 8),
      JSON.stringify(missed),
    ).toBeGreaterThanOrEqual(0.98);
  });

  it('finds it first in at least 75 %', () => {
    expect(share((place) => place === 0)).toBeGreaterThanOrEqual(0.75);
  });

  it.each([
    ['createVm', 'createVm'],
    ['/flexible-vps/v1/vms/{id}/resize', 'resizeVm'],
    ['POST /flexible-vps/v1/images', 'createImage'],
    ['flexible-vps:vm-power:write', 'performVmAction'],
    ['vm_has_snapshots', 'redeployVm'],
  ])('finds %s by id, path, permission or error code', (query, id) => {
    const hits = search.find(query).slice(0, 3);
    expect(hits.map(({ endpoint }) => endpoint.id)).toContain(id);
  });

  it('reads only the beginning of a long question', () => {
    const hits = (query: string) => search.find(query).map(({ endpoint }) => endpoint.id);
    expect(hits(`delete a snapshot${' '.repeat(1_000)}create a network`)).toEqual(hits('delete a snapshot'));
  });

  it.each(['', '   ', '€€€', 'xyzzy qwertz', '('.repeat(5000), 'a'.repeat(100_000)])(
    'answers a question without meaning',
    (query) => expect(Array.isArray(search.find(query))).toBe(true),
  );
});
