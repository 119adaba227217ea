import { describe, expect, it } from 'vitest';
import { warningsHeader } from './warnings.ts';

describe('the header of warnings', () => {
  it('is ASCII and parses as the same JSON', () => {
    const warnings = [{ code: 'large', detail: 'Größe: 😀', pointer: '/size' }];
    expect(warningsHeader(warnings)).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(warningsHeader(warnings))).toEqual(warnings);
  });

  it('contains as many warnings as fit into 4 KiB', () => {
    const warnings = Array.from({ length: 100 }, (_, i) => ({ code: `w${i}`, detail: 'x'.repeat(200) }));
    const text = warningsHeader(warnings);
    expect(text.length).toBeLessThanOrEqual(4096);
    expect(JSON.parse(text)).toEqual(warnings.slice(0, JSON.parse(text).length));
    expect(JSON.parse(text).length).toBeGreaterThan(15);
  });
});
