/** A text with a wrong form is refused in words that people can follow, and not with a regular expression. */
import { describe, expect, it } from 'vitest';
import { Type } from '../kernel/schema.ts';
import { hostName, meaningOf } from '../kernel/text-patterns.ts';
import { faultsOf } from '../kernel/validation.ts';
import { endpoints } from './walk.ts';

function* patternsIn(schema: unknown): Generator<string> {
  if (schema === null || typeof schema !== 'object') return;
  for (const [name, part] of Object.entries(schema))
    if (name === 'pattern' && typeof part === 'string') yield part;
    else yield* patternsIn(part);
}

const asked = endpoints.map(({ id, params, query, body }) => ({
  id,
  patterns: [...new Set(patternsIn({ params, query, body }))],
}));

it('most endpoints ask for texts of some form', () => {
  expect(asked.filter(({ patterns }) => patterns.length > 0).length).toBeGreaterThan(asked.length / 2);
});

describe.each(asked.filter(({ patterns }) => patterns.length > 0))('$id', ({ patterns }) => {
  it('has words for each form that a text must have', () => {
    expect(patterns.filter((pattern) => meaningOf(pattern) === undefined)).toEqual([]);
    for (const pattern of patterns) {
      expect(meaningOf(pattern)).toMatch(/^[A-Z].*\.$/);
      expect(meaningOf(pattern)).not.toMatch(/\\|\^|\$|\]\[|\{\d/);
    }
  });
});

it('a refusal says the words', () => {
  const [fault] = faultsOf(Type.Object({ hostname: Type.String(hostName) }), { hostname: 'Bad_Host' });
  expect(fault).toMatchObject({ pointer: '/hostname', detail: meaningOf(hostName.pattern) });
});
