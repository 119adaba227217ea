import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Problem } from '../problems/problem.ts';
import { parseJson } from './json.ts';

function refusal(text: string): string {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof Problem) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

describe('parseJson', () => {
  it('accepts whatever JSON.stringify writes, unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const text = JSON.stringify(value);
        if (text.includes('\\u0000')) return;
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    ['{"a":1,"a":2}', 'appears twice'],
    ['{"a":1,"\\u0061":2}', 'appears twice'],
    ['[{"x":{"b":1,"c":2,"b":3}}]', 'appears twice'],
    ['{"a":', 'not valid JSON'],
    ['', 'not valid JSON'],
    ["{'a':1}", 'not valid JSON'],
    ['["\\u0000"]', 'U+0000'],
    ['["\\ud800"]', 'surrogate'],
    ['["\\ud800x\\udc00"]', 'surrogate'],
    ['["\\udc00\\ud800"]', 'surrogate'],
    [`${'['.repeat(33)}${']'.repeat(33)}`, 'deeper than 32'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'deeper than 32'],
  ])('refuses %.40s', (text, reason) => {
    expect(refusal(text)).toContain('malformed_request');
    expect(refusal(text)).toContain(reason);
  });

  it.each([
    ['{"a":{"a":1},"b":{"a":1}}'],
    ['{"a":"{\\"a\\":1,\\"a\\":2}"}'],
    ['["\\\\u0000"]'],
    ['["\\ud83d\\ude00"]'],
    [`${'['.repeat(32)}${']'.repeat(32)}`],
  ])('accepts %.40s', (text) => {
    expect(refusal(text)).toBe('accepted');
  });
});
