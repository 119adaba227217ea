import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { asYaml } from './yaml.ts';

/** Arbitrary strings, mixed with strings that are hard to write correctly as YAML. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '\n', '-', ':', '#', '|', '"', "'", '{', '}', '$', '\t', '1'),
  }),
  fc.constantFrom(
    'true',
    'No',
    'null',
    '~',
    '1.0',
    '1e3',
    '2026-03-01',
    '- a',
    'a: b',
    'a #b',
    '',
    '<<',
    '=',
    '---',
  ),
);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('map'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  // `<<` stays in: it is quoted, because older parsers read a plain `<<` as a merge key. `__proto__` is left out: as a
  // key it sets an object's prototype, and no name in the document is `__proto__`.
  map: fc.dictionary(
    text.filter((name) => name !== '__proto__'),
    tie('value'),
    { maxKeys: 4, noNullPrototype: true },
  ),
}));

describe('asYaml', () => {
  it('is read back as the same value', () => {
    fc.assert(
      fc.property(values.map, (value) => {
        expect(parse(asYaml(value as object), { maxAliasCount: 0 })).toEqual(value);
      }),
      { numRuns: 1000 },
    );
  });

  it('quotes words that YAML 1.1 reads as booleans', () => {
    const value = { on: 'yes', no: ['off', 'y', true, null] };
    expect(parse(asYaml(value), { version: '1.1' })).toEqual(value);
  });

  it('writes texts of several lines as people read them', () => {
    expect(asYaml({ description: 'One.\n\nTwo.' })).toBe('description: |-\n  One.\n\n  Two.\n');
  });
});
