import { describe, expect, it } from 'vitest';
import { ForwardReader } from './forward-reader.ts';

const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251));

async function* inChunksOf(size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('a stream read by positions', () => {
  it.each([1, 7, 512, 1000])('returns the bytes of each position in chunks of %i', async (size) => {
    const reader = new ForwardReader(inChunksOf(size));
    for (const [position, length] of [
      [0, 10],
      [10, 1],
      [300, 400],
      [701, 0],
      [990, 10],
    ] as const) {
      const found = Buffer.alloc(length);
      expect(await reader.read(found, 0, length, position)).toEqual({ bytesRead: length });
      expect(found.equals(bytes.subarray(position, position + length))).toBe(true);
    }
  });

  it('returns fewer bytes at the end', async () => {
    const reader = new ForwardReader(inChunksOf(7));
    expect(await reader.read(Buffer.alloc(20), 0, 20, 990)).toEqual({ bytesRead: 10 });
    expect(await reader.read(Buffer.alloc(20), 0, 20, 2000)).toEqual({ bytesRead: 0 });
  });

  it('does not go back', async () => {
    const reader = new ForwardReader(inChunksOf(7));
    await reader.read(Buffer.alloc(1), 0, 1, 500);
    await expect(reader.read(Buffer.alloc(1), 0, 1, 0)).rejects.toThrow(/already read/);
  });

  it('ends the stream when it is closed', async () => {
    let isOpen = true;
    async function* endless(): AsyncGenerator<Buffer> {
      try {
        for (;;) yield bytes;
      } finally {
        isOpen = false;
      }
    }
    const reader = new ForwardReader(endless());
    await reader.read(Buffer.alloc(1), 0, 1, 0);
    await reader.close();
    expect(isOpen).toBe(false);
  });
});
