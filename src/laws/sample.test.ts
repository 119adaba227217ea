import { describe, expect, it } from 'vitest';
import { families } from '../families/index.ts';
import type { Endpoint } from '../kernel/record.ts';
import { buildRegistry } from '../kernel/registry.ts';
import { workshop } from '../testing/widgets.ts';
import { exemptFrom } from './exemptions.ts';
import { sample, sampleKinds, shapeOf } from './sample.ts';
import { sources } from './sources.ts';

const { endpoints, kinds } = buildRegistry([...families, workshop]);
const seeds = Array.from({ length: 40 }, (_, i) => String(i + 1));
const idsOf = (chosen: readonly Endpoint[]): string[] => chosen.map(({ id }) => id);
const countOf = (shape: string, among: readonly Endpoint[]): number =>
  among.filter((endpoint) => shapeOf(endpoint) === shape).length;

describe('the endpoints that a seed chooses', () => {
  it('are two of each shape, or the only one, whatever the seed', () => {
    const shapes = [...new Set(endpoints.map(shapeOf))];
    for (const seed of seeds) {
      const chosen = sample(endpoints, { seed });
      const rare = shapes.filter((shape) => countOf(shape, chosen) < Math.min(2, countOf(shape, endpoints)));
      expect([seed, rare]).toEqual([seed, []]);
    }
  });

  it('are these and a quarter of the others', () => {
    const shapes = [...new Set(endpoints.map(shapeOf))];
    const pairs = shapes.reduce((sum, shape) => sum + Math.min(2, countOf(shape, endpoints)), 0);
    const count = pairs + Math.ceil((endpoints.length - pairs) / 4);
    expect(sample(endpoints, { seed: '1' })).toHaveLength(count);
    expect(count).toBeLessThan(0.6 * endpoints.length);
  });

  it('are the same for the same seed, in the order of the list, and others for another seed', () => {
    const chosen = idsOf(sample(endpoints, { seed: '7' }));
    expect(idsOf(sample(endpoints, { seed: '7' }))).toEqual(chosen);
    expect(idsOf(endpoints).filter((id) => chosen.includes(id))).toEqual(chosen);
    expect(idsOf(sample(endpoints, { seed: '8' }))).not.toEqual(chosen);
  });

  it('are all endpoints and all kinds of operations after some seeds', () => {
    const all = seeds.flatMap((seed) => idsOf(sample(endpoints, { seed })));
    expect(new Set(all).size).toBe(endpoints.length);
    const allKinds = seeds.flatMap((seed) => sampleKinds([...kinds.values()], endpoints, { seed }));
    expect(new Set(allKinds).size).toBe(kinds.size);
  });

  it('are chosen from a part of the list as well, two of each shape', () => {
    const writes = endpoints.filter(({ access }) => access !== 'read');
    const chosen = sample(writes, { seed: '1' });
    for (const shape of new Set(writes.map(shapeOf)))
      expect(countOf(shape, chosen)).toBeGreaterThanOrEqual(Math.min(2, countOf(shape, writes)));
  });
});

it('the endpoints that a change affects are tried, and no others', () => {
  const chosen = sample(endpoints, { names: ['createVm', 'listEvents'] });
  expect(idsOf(chosen).sort()).toEqual(['createVm', 'listEvents']);
});

it('one endpoint is tried if the change affects none of a list, because a suite without tests fails', () => {
  const own = endpoints.filter(({ family }) => family === 'account');
  expect(sample(own, { names: ['createVm'] })).toEqual(own.slice(0, 1));
  expect(sample([], { names: ['createVm'] })).toEqual([]);
});

it('a run without a seed or names tries everything', () => {
  expect(sample(endpoints, {})).toEqual(endpoints);
  expect(sampleKinds([...kinds.values()], endpoints, {})).toEqual([...kinds.values()]);
});

/** Files with tests that call a running app for each endpoint or kind of operations. */
const startsApp = (text: string): boolean => /\b(createWorld|createTestApp)\(/.test(text);
const walksAll = (text: string): boolean =>
  /\.each\(/.test(text) && /import [^;]*\b(endpoints|writes|lists)\b[^;]* from '[^']*\/walk\.ts'/.test(text);

it('every law that calls the app for each endpoint takes the endpoints from the sample', () => {
  const unsampled = sources
    .filter(({ path, text }) => path.endsWith('.test.ts') && startsApp(text) && walksAll(text))
    .filter(({ text }) => !/from '[^']*\/sample\.ts'/.test(text))
    .map(({ path }) => path);
  expect(unsampled).toEqual(exemptFrom('sampledLaws'));
});
