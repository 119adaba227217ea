import fc from 'fast-check';
import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Db, openDatabase, openPool } from '../../store/database.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts';
import { Problem } from '../problems/problem.ts';
import { parseLabelSelector, type Selector, type Term } from './label-selector.ts';
import { labelsMatch } from './store.ts';

type Labels = Readonly<Record<string, string>>;

/** A simple reference implementation to compare the SQL with. */
function holds(labels: Labels, term: Term): boolean {
  const value = Object.hasOwn(labels, term.key) ? labels[term.key] : undefined;
  switch (term.operator) {
    case 'equals':
      return value === term.value;
    case 'differs':
      return value !== term.value;
    case 'in':
      return value !== undefined && term.values.includes(value);
    case 'not_in':
      return value === undefined || !term.values.includes(value);
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
  }
}

const key = fc.oneof(
  fc.constantFrom('env', 'role', 'a', 'in', 'notin', 'a.b/c-d', '__proto__', 'constructor', '0'),
  fc.stringMatching(/^[a-z0-9._/-]{1,63}$/),
);
const value = fc.oneof(
  fc.constantFrom('', 'prod', 'web', 'a', '"', "'", '\\', '%', '_', '{}', 'null', '$1', '?', 'ü', '😀'),
  fc.stringMatching(/^[^,()=!\s\0\ud800-\udfff]{0,63}$/),
);
const term: fc.Arbitrary<Term> = fc.oneof(
  fc.record({ operator: fc.constantFrom('equals' as const, 'differs' as const), key, value }),
  fc.record({
    operator: fc.constantFrom('in' as const, 'not_in' as const),
    key,
    // A single empty value would be written as `in ()`, which is no selector.
    values: fc.array(value, { minLength: 1, maxLength: 4 }).filter((values) => values.join() !== ''),
  }),
  fc.record({ operator: fc.constantFrom('exists' as const, 'absent' as const), key }),
);
const selectors: fc.Arbitrary<Selector> = fc.array(term, { minLength: 1, maxLength: 6 });
const space = fc.constantFrom('', ' ', '  ');

/** Writes a term as text, with extra spaces where they are allowed. */
function write(one: Term, gap: string): string {
  switch (one.operator) {
    case 'equals':
      return `${gap}${one.key}${gap}=${gap}${one.value}${gap}`;
    case 'differs':
      return `${gap}${one.key}${gap}!=${gap}${one.value}${gap}`;
    case 'in':
      return `${one.key} ${gap}in ${gap}(${one.values.join(`${gap},${gap}`)})${gap}`;
    case 'not_in':
      return `${gap}${one.key} notin (${gap}${one.values.join(`,${gap}`)}${gap})`;
    case 'exists':
      return `${gap}${one.key}${gap}`;
    case 'absent':
      return `${gap}!${gap}${one.key}`;
  }
}

describe('parseLabelSelector', () => {
  it('parses every selector, with any spacing', () => {
    fc.assert(
      fc.property(selectors, space, (selector, gap) => {
        expect(parseLabelSelector(selector.map((one) => write(one, gap)).join(','))).toEqual(selector);
      }),
    );
  });

  it('parses the example in the documentation', () => {
    expect(parseLabelSelector('env=prod,role in (web,api),!legacy')).toEqual([
      { operator: 'equals', key: 'env', value: 'prod' },
      { operator: 'in', key: 'role', values: ['web', 'api'] },
      { operator: 'absent', key: 'legacy' },
    ]);
    expect(parseLabelSelector('a==b')).toEqual(parseLabelSelector('a=b'));
  });

  it.each([
    '',
    ',',
    'a,',
    'a b',
    'A=b',
    '=b',
    'a=b=c',
    'a in',
    'a in b',
    'a in ()',
    'a notin ( )',
    'a in (b',
    'a in b)',
    'a in ((b))',
    'a),b',
    '!!a',
    '!a=b',
    'a=b c',
    'a'.repeat(64),
    `a=${'b'.repeat(64)}`,
    Array(21).fill('a').join(','),
  ])('refuses %j and names the parameter', (text) => {
    expect(() => parseLabelSelector(text)).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        errors: [expect.objectContaining({ pointer: 'query/label_selector', code: 'invalid_format' })],
      }),
    );
  });

  it('either parses a text or refuses it with a problem', () => {
    const letters = fc.constantFrom('a', ' ', '=', '!', ',', '(', ')', 'in', 'notin', '\n', 'é');
    fc.assert(
      fc.property(fc.array(letters, { maxLength: 30 }), (parts) => {
        try {
          parseLabelSelector(parts.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(Problem);
        }
      }),
    );
  });
});

describe('labelsMatch', () => {
  let database: TestDatabase;
  let db: Db;

  beforeAll(async () => {
    database = await createTestDatabase();
    db = openDatabase(openPool(database.connection));
  });

  afterAll(async () => {
    await db.destroy();
    await database.drop();
  });

  async function matches(
    rows: readonly Labels[],
    match: (column: RawBuilder<unknown>) => RawBuilder<boolean>,
  ) {
    const found = await sql<{ matches: boolean }>`
      select ${match(sql.ref('row.labels'))} as matches
      from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) with ordinality as row (labels, place)
      order by place`.execute(db);
    return found.rows.map((row) => row.matches);
  }

  it('selects the same rows in the database as in memory', async () => {
    const labels = fc.dictionary(key, value, { maxKeys: 5, noNullPrototype: true });
    // Uses the keys and values of the selector as labels. Random labels would almost never match.
    const related = selectors.chain((selector) => {
      const values = selector.flatMap((one) =>
        'values' in one ? one.values : 'value' in one ? [one.value] : [],
      );
      const pair = fc.tuple(
        fc.constantFrom(...selector.map((one) => one.key)),
        fc.constantFrom('', ...values),
      );
      const own = fc.array(pair, { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs));
      return fc.tuple(
        fc.constant(selector),
        fc.array(fc.oneof(own, labels), { minLength: 1, maxLength: 12 }),
      );
    });
    await fc.assert(
      fc.asyncProperty(related, async ([selector, rows]) => {
        const expected = rows.map((row) => selector.every((one) => holds(row, one)));
        expect(await matches(rows, (column) => labelsMatch(column, selector))).toEqual(expected);
      }),
      { numRuns: 150 },
    );
  });
});
