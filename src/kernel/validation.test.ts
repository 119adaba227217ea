import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldCodes } from './problems/catalogue.ts';
import { Labels, Nullable, OneOf, ResourceName, Shape, Slug, Time, type TSchema, Type } from './schema.ts';
import { distinct, faultsOf, isValid } from './validation.ts';

const found = (schema: TSchema, value: unknown): string[] =>
  faultsOf(schema, value).map(({ pointer, code }) => `${pointer} ${code}`);

const Disk = Shape({ size_gb: Type.Integer({ minimum: 1, maximum: 100, multipleOf: 5 }) });
const Machine = Shape({
  name: ResourceName,
  plan: OneOf(['small', 'large']),
  disks: Type.Array(Disk, { minItems: 1, maxItems: 3 }),
  labels: Type.Optional(Labels),
  network: Type.Optional(Nullable(Shape({ id: Type.String({ minLength: 3 }) }))),
  locations: Type.Optional(Type.Array(Slug, { maxItems: 10, uniqueItems: true })),
  note: Type.Optional(Nullable(Type.String({ maxLength: 5 }))),
  at: Type.Optional(Time),
});
const good = { name: 'web-1', plan: 'small', disks: [{ size_gb: 5 }] };

describe('faultsOf', () => {
  it('reports nothing for a valid value', () => {
    expect(found(Machine, good)).toEqual([]);
    expect(found(Machine, { ...good, network: null, note: null, labels: {}, locations: [] })).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['a name of the wrong form', { name: 'Web_1' }, '/name invalid_format'],
    ['a name that is too long', { name: 'a'.repeat(64) }, '/name too_long'],
    ['a plan that is not one of them', { plan: 'huge' }, '/plan invalid_format'],
    ['a number where text belongs', { plan: 5 }, '/plan invalid_format'],
    ['text where a number belongs', { disks: [{ size_gb: '5' }] }, '/disks/0/size_gb invalid_format'],
    ['too small', { disks: [{ size_gb: 0 }] }, '/disks/0/size_gb out_of_range'],
    ['too large', { disks: [{ size_gb: 5 }, { size_gb: 105 }] }, '/disks/1/size_gb out_of_range'],
    ['not a multiple', { disks: [{ size_gb: 7 }] }, '/disks/0/size_gb out_of_range'],
    ['too few', { disks: [] }, '/disks too_few'],
    ['too many', { disks: Array(4).fill({ size_gb: 5 }) }, '/disks too_many'],
    ['a missing member', { disks: [{}] }, '/disks/0/size_gb required'],
    ['an unknown member', { disks: [{ size_gb: 5, 'a/b~c': 1 }] }, '/disks/0/a~1b~0c unknown_member'],
    ['the same twice', { locations: ['fra1', 'fra1'] }, '/locations not_unique'],
    ['null where it is no value', { plan: null }, '/plan invalid_format'],
    ['a fault inside something nullable', { network: { id: 'a' } }, '/network/id too_short'],
    ['something else than the nullable object', { network: 'a' }, '/network invalid_format'],
    ['text that is too long or null', { note: 'abcdef' }, '/note too_long'],
    ['the name of a label', { labels: { Env: 'x' } }, '/labels/Env invalid_format'],
    ['the value of a label', { labels: { env: 1 } }, '/labels/env invalid_format'],
    ['a time that is none', { at: 'yesterday' }, '/at invalid_format'],
    ['a time that no clock shows', { at: '2016-12-31T23:59:60Z' }, '/at invalid_format'],
    ['a year before the first', { at: '0000-01-01T00:00:00Z' }, '/at invalid_format'],
    ['a time with the name of a zone', { at: '2026-01-01T00:00:00Z[Europe/Berlin]' }, '/at invalid_format'],
  ])('reports %s, and only that', (_, change, expected) => {
    expect(found(Machine, { ...good, ...change })).toEqual([expected]);
  });

  it('reports all faults at once', () => {
    const value = { name: 'A', disks: [{ size_gb: 0 }, { size_gb: 'x', y: 1 }], labels: { a: null }, z: 1 };
    expect(found(Machine, value).sort()).toEqual([
      '/disks/0/size_gb out_of_range',
      '/disks/1/size_gb invalid_format',
      '/disks/1/y unknown_member',
      '/labels/a invalid_format',
      '/name invalid_format',
      '/plan required',
      '/z unknown_member',
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'reports the member %s, which all objects inherit, as unknown',
    (name) => {
      const value = JSON.parse(`{"name":"a","plan":"small","disks":[{"size_gb":5}],"${name}":{"a":1}}`);
      expect(found(Machine, value)).toEqual([`/${name} unknown_member`]);
    },
  );

  it.each([[null], [[]], ['text'], [5], [true]])(
    'reports the root if %j is sent instead of an object',
    (value) => {
      expect(found(Machine, value)).toEqual([' invalid_format']);
    },
  );

  it('puts `query` before its pointers when asked', () => {
    expect(faultsOf(Machine, {}, 'query').map(({ pointer }) => pointer)).toContain('query/name');
  });

  it('reports at most 100 faults, of all parts of the body', () => {
    const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i]));
    expect(found(Machine, { ...good, ...unknown })).toHaveLength(100);
    const long = { ...good, disks: Array(5000).fill({ size_gb: 'x' }), plan: 'huge' };
    expect(found(Machine, long)).toEqual([
      '/disks too_many',
      '/plan invalid_format',
      '/disks/0/size_gb invalid_format',
      '/disks/1/size_gb invalid_format',
      '/disks/2/size_gb invalid_format',
    ]);
  });

  it('agrees with isValid on any value, with codes of the catalogue', () => {
    const member = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('small', 'web-1', 5, null));
    const names = [...Object.keys(Machine.properties), 'x', '__proto__'];
    const entries = fc.array(fc.tuple(fc.constantFrom(...names), member), { maxLength: 8 });
    fc.assert(
      fc.property(entries, (pairs) => {
        const value = { ...good, ...Object.fromEntries(pairs) };
        const errors = faultsOf(Machine, value);
        expect(errors.length === 0).toBe(isValid(Machine, value));
        for (const { code, pointer } of errors) {
          expect(fieldCodes).toContain(code);
          expect(pointer === '' || pointer.startsWith('/')).toBe(true);
        }
      }),
    );
  });
});

it('checks the format date-time; other formats only name the kind of a value', () => {
  expect(isValid(Time, 'yesterday')).toBe(false);
  for (const format of ['ipv4', 'ipv6', 'cidr', 'uri', 'hostname', 'email'])
    expect([format, isValid(Type.String({ format }), 'not one of them')]).toEqual([format, true]);
});

describe('distinct', () => {
  it('reports each fault of a field once, in order', () => {
    const error = (pointer: string, code: 'required' | 'too_long', detail = '') => ({
      pointer,
      code,
      detail,
    });
    const errors = [error('/a', 'required', '1'), error('/b', 'required'), error('/a', 'required', '2')];
    expect(distinct([...errors, error('/a', 'too_long')])).toEqual([
      error('/a', 'required', '1'),
      error('/b', 'required'),
      error('/a', 'too_long'),
    ]);
  });
});
