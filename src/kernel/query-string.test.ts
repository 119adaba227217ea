import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from './problems/problem.ts';
import { convertQuery, refuseUndecodable } from './query-string.ts';
import { OneOf, Shape, Type } from './schema.ts';
import { faultsOf } from './validation.ts';

const Query = Shape({
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  share: Type.Optional(Type.Number()),
  deep: Type.Optional(Type.Boolean()),
  name: Type.Optional(Type.String()),
  sort: OneOf(['name', '-name'], { default: 'name' }),
  ids: Type.Optional(Type.Array(Type.String())),
  sizes: Type.Optional(Type.Array(Type.Integer())),
});

const values = (raw: Record<string, unknown>) => ({ ...convertQuery(Query, raw).values });
const faults = (raw: Record<string, unknown>) => {
  const { values: converted, errors } = convertQuery(Query, raw);
  return [...errors, ...faultsOf(Query, converted, 'query')].map(({ pointer, code }) => `${pointer} ${code}`);
};

describe('convertQuery', () => {
  it('fills in the defaults', () => {
    expect(values({})).toEqual({ limit: 50, sort: 'name' });
  });

  it('converts text to the types of the schema', () => {
    expect(values({ limit: '7', share: '-1.5', deep: 'false', name: '7', ids: 'a,b' })).toEqual({
      limit: 7,
      share: -1.5,
      deep: false,
      name: '7',
      sort: 'name',
      ids: ['a', 'b'],
    });
  });

  it('accepts a list with commas, repeated parameters, or both', () => {
    expect(values({ ids: ['a', 'b,c'], sizes: ['1', '2,3'] })).toMatchObject({
      ids: ['a', 'b', 'c'],
      sizes: [1, 2, 3],
    });
  });

  it.each(['', ' 7', '7 ', '0x7', '1e2', '+7', '7.', 'NaN', 'Infinity', '１', '99999999999999999999'])(
    'leaves %j, which is not a number, for the validator to report',
    (text) => {
      expect(faults({ limit: text })).toEqual(['query/limit invalid_format']);
    },
  );

  it.each([0.1 + 0.2, 1e-7, 1.5e300, -33.333333333333336])('parses the number %d', (share) => {
    expect(values({ share: String(share) })).toMatchObject({ share });
  });

  it.each(['', 'yes', '1', 'TRUE', 'null'])('does not accept %j as a boolean', (text) => {
    expect(faults({ deep: text })).toEqual(['query/deep invalid_format']);
  });

  it('reports a repeated parameter, and still validates it', () => {
    expect(faults({ limit: ['0', '1'], name: ['a', 'a'] })).toEqual([
      'query/limit not_unique',
      'query/name not_unique',
      'query/limit out_of_range',
    ]);
  });

  it('reports NUL characters everywhere', () => {
    expect(faults({ name: 'a\0', ids: ['a', 'b\0'] })).toEqual([
      'query/name invalid_format',
      'query/ids invalid_format',
    ]);
  });

  it('reports parameters named like members of Object.prototype as unknown', () => {
    const raw = JSON.parse('{"__proto__":"1","constructor":"2","toString":["3","3"],"a/b":"4"}');
    expect(faults(raw)).toEqual([
      'query/__proto__ unknown_member',
      'query/constructor unknown_member',
      'query/toString unknown_member',
      'query/a~1b unknown_member',
    ]);
  });

  it('parses every integer of the schema, and nothing else as an integer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), (limit) => {
        expect(values({ limit: String(limit) })).toMatchObject({ limit });
      }),
    );
    fc.assert(
      fc.property(fc.string(), (text) => {
        const { limit } = values({ limit: text });
        expect(limit === text || (/^-?[\d.]+$/.test(text) && limit === Number(text))).toBe(true);
      }),
    );
  });
});

describe('refuseUndecodable', () => {
  it.each(['/a?b=%zz', '/a?b=%', '/a?b=%4', '/a?b=%ff', '/a?%ED%A0%80=1', '/a?b=%c0%80'])(
    'refuses %s',
    (url) => {
      expect(() => refuseUndecodable(url)).toThrow(Problem);
    },
  );

  it.each(['/a', '/a?', '/a?b=c', '/a?b=%25zz', '/a?b=%F0%9F%98%80', '/%zz', '/a?b=%00'])(
    'accepts %s',
    (url) => {
      expect(() => refuseUndecodable(url)).not.toThrow();
    },
  );

  it('accepts any text that a client has encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(() => refuseUndecodable(`/a?b=${encodeURIComponent(text)}`)).not.toThrow();
      }),
    );
  });
});
