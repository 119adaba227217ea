import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePreferences, readPreferredWait } from './prefer.ts';

describe('the Prefer header', () => {
  it.each([
    ['wait=10', 10],
    ['Wait = 10', 10],
    ['respond-async, wait=10', 10],
    ['wait="10"', 10],
    ['wait=10; foo; bar="a;,b"', 10],
    ['handling=lenient; ; x, , wait=7', 7],
    ['wait=5, wait=50', 5],
    ['return=minimal', null],
    ['', null],
  ])('%s', (header, wait) => {
    expect(readPreferredWait(header)).toBe(wait);
  });

  it.each([
    ['wait', 'invalid_format'],
    ['wait=', 'invalid_format'],
    ['wait=soon', 'invalid_format'],
    ['wait=1.5', 'invalid_format'],
    ['wait=-1', 'invalid_format'],
    ['wait=0', 'out_of_range'],
    ['wait=61', 'out_of_range'],
    ['wait=99999999999999999999', 'out_of_range'],
    ['wait=1 2', 'invalid_format'],
    ['"wait=1"', 'invalid_format'],
    ['a=b=c', 'invalid_format'],
    ['a="open', 'invalid_format'],
  ])('%s is refused', (header, code) => {
    expect(readPreferredWait(header)).toMatchObject({ pointer: 'header/Prefer', code });
  });

  const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
  const preference = fc.record({
    name: token,
    value: fc.oneof(token, fc.string({ unit: 'grapheme-ascii', maxLength: 8 })),
  });

  it('is parsed as it was written', () => {
    fc.assert(
      fc.property(fc.uniqueArray(preference, { selector: ({ name }) => name }), (list) => {
        const quote = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
        const header = list.map(({ name, value }) => `${name.toUpperCase()}=${quote(value)};p`).join(' , ');
        expect([...(parsePreferences(header) ?? [])]).toEqual(list.map(({ name, value }) => [name, value]));
      }),
    );
  });

  it('is parsed in linear time', () => {
    const pieces = [' ;', '; ', ' \t', ',', '="', '\\', 'a=', ' '];
    for (const piece of pieces) {
      const header = `a${piece.repeat(16_000 / piece.length)}"`;
      expect([piece, parsePreferences(header)?.has('wait') ?? null]).not.toEqual([piece, true]);
    }
  });
});
