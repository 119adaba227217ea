import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tail } from './boot-log.ts';

describe('the tail of a log', () => {
  it('is at most as long as requested, is the end of the log, and splits no character', () => {
    const line = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((each) => !each.includes('\ufffd'));
    const text = fc.array(line).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, fc.integer({ min: 0, max: 200 }), (whole, most) => {
        const end = tail(whole, most);
        expect(Buffer.byteLength(end)).toBeLessThanOrEqual(most);
        expect(whole.endsWith(end)).toBe(true);
        expect(end).not.toContain('\ufffd');
      }),
    );
  });

  it('begins at the start of a line if one fits', () => {
    expect(tail('first\nsecond\nthird\n', 10)).toBe('third\n');
    expect(tail('first\nsecond', 100)).toBe('first\nsecond');
    expect(tail('one long line', 4)).toBe('line');
  });
});
