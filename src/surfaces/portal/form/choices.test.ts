import { describe, expect, it } from 'vitest';
import { addressOf, choicesOf, filtersOf, type Ref } from '../../../../portal/src/form/choices.ts';
import { pairsOf, valueOfPairs } from '../../../../portal/src/form/pairs.ts';

const reference = { list: 'listThings', value: 'id', label: 'name' };
const id = (last: string): string => `vm_01jqzv2m7xe9rs5d3k8w4t6y0${last}`;

describe('the filters of a list', () => {
  const filtersFrom = (from: string | string[], pointer = '/plan') =>
    filtersOf(
      { ...reference, filters: { location: { from }, status: { equals: 'free' } } },
      {
        body: { location: 'fra1', fallbacks: [{ location: 'hel1' }, { location: 'ash1' }, {}] },
        path: { id: 'vm_1' },
        pointer,
      },
    );

  it('come from the body, from the path, and from the item that contains the member', () => {
    expect(filtersFrom('/location')).toEqual({ location: 'fra1', status: 'free' });
    expect(filtersFrom('path/id')).toEqual({ location: 'vm_1', status: 'free' });
    expect(filtersFrom('/fallbacks/*/location', '/fallbacks/1/plan')).toEqual({
      location: 'ash1',
      status: 'free',
    });
  });

  it('come from the first place that has a value, and are left out if none has', () => {
    const from = ['/fallbacks/*/location', '/location'];
    expect(filtersFrom(from, '/fallbacks/2/plan')).toEqual({ location: 'fra1', status: 'free' });
    expect(filtersFrom('/nowhere/at/all')).toEqual({ status: 'free' });
  });
});

describe('the address of a list', () => {
  it('has the filters in its path or in its query', () => {
    expect(addressOf('/vms/{id}/snapshots', { id: 'a/b', status: 'free' }, {}, true)).toEqual({
      url: '/vms/a%2Fb/snapshots?limit=200&status=free',
      missing: undefined,
    });
  });

  it('takes from the path of the request what no filter says, and tells what is still missing', () => {
    expect(addressOf('/vms/{id}', {}, { id: 'vm_1' }, false).url).toBe('/vms/vm_1');
    expect(addressOf('/vms/{id}/snapshots', {}, {}, true).missing).toBe('id');
  });
});

describe('choices', () => {
  const textsOf = (rows: Record<string, unknown>[], more: Partial<Ref> = {}) =>
    choicesOf(rows, { ...reference, ...more }).map(({ text }) => text);

  it('have a second fact: a short name that people type, or else the place and the state', () => {
    expect(textsOf([{ id: 'fra1', name: 'Frankfurt' }])).toEqual(['Frankfurt (fra1)']);
    expect(textsOf([{ id: id('a'), name: 'web', location: 'fra1', status: 'running' }])).toEqual([
      'web (fra1, running)',
    ]);
  });

  it('are told apart by the id if nothing else does', () => {
    const rows = [
      { id: id('a'), name: 'web' },
      { id: id('b'), name: 'web' },
    ];
    expect(textsOf(rows)).toEqual([`web ${id('a')}`, `web ${id('b')}`]);
  });

  it('are there once, without those that the member does not take, and with words for objects', () => {
    const rows = [{ id: 'custom' }, { id: 'small' }, { id: 'small' }];
    expect(textsOf(rows, { except: ['custom'] })).toEqual(['small']);
    expect(textsOf([{ id: id('a'), target: { type: 'vm', id: 'x' } }], { label: 'target' })).toEqual([
      'vm x',
    ]);
  });
});

describe('rows of names and values', () => {
  it('are a map of texts and back', () => {
    const labels = { env: 'prod', build: '7', gone: null };
    expect(valueOfPairs(pairsOf(labels, false), false)).toEqual(labels);
  });

  it('are members of members and back', () => {
    const settings = { plan: 'small', source: { type: 'image' }, start: true, disk_gb: 40 };
    expect(pairsOf(settings, true)).toContainEqual({ name: 'source.type', value: 'image' });
    expect(valueOfPairs(pairsOf(settings, true), true)).toEqual(settings);
  });
});
