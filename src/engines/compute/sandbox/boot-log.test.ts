import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tail } from './boot-log.ts';

describe('the end of a log', () => {
  it('is never longer than asked for, never more than there is, and never half a letter', () => {
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

  it('begins with a whole line where it can', () => {
    expect(tail('first\nsecond\nthird\n', 10)).toBe('third\n');
    expect(tail('first\nsecond', 100)).toBe('first\nsecond');
    expect(tail('one long line', 4)).toBe('line');
  });
});
