import { describe, expect, it } from 'vitest';
import { Bandwidth } from './bandwidth.ts';

describe('a limited bandwidth', () => {
  it('delays slices without losing any', async () => {
    const bytes = Buffer.alloc(300_000, 3);
    const slices: Buffer[] = [];
    const before = performance.now();
    for await (const slice of new Bandwidth(1).pace(bytes)) slices.push(slice);
    expect(Buffer.concat(slices).equals(bytes)).toBe(true);
    // The last of five slices waits for the four before it: 262,144 bytes at 1 MB/s.
    expect(performance.now() - before).toBeGreaterThan(250);
  });

  it('ends at once when the call is aborted', async () => {
    const abort = new AbortController();
    const taking = async () => {
      for await (const _ of new Bandwidth(1).pace(Buffer.alloc(10_000_000), abort.signal)) abort.abort();
    };
    await expect(taking()).rejects.toThrow(/abort/);
  });
});
