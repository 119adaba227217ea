import { describe, expect, it } from 'vitest';
import { qrPath } from '../../../../portal/src/pages/me/qr-path.ts';

const QUIET = 4;

/** The modules that the drawing shows, without the quiet zone around them. */
function drawn(text: string): boolean[][] {
  const { path, size } = qrPath(text);
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) rows[Number(y)]![Number(x)] = true;
  const isInside = (at: number): boolean => at >= QUIET && at < size - QUIET;
  const dark = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [[x, y] as const] : [])));
  expect(dark.every(([x, y]) => isInside(x) && isInside(y))).toBe(true);
  return rows.slice(QUIET, -QUIET).map((row) => row.slice(QUIET, -QUIET));
}

/** Reads a QR code back, without a line of the writer: format, mask, order of the modules, blocks, bytes. */
function read(rows: boolean[][]): string {
  const size = rows.length;
  const version = (size - 17) / 4;
  const isFixed = (x: number, y: number): boolean => {
    const corner = (a: number, b: number): boolean => a < 9 && b < 9;
    if (corner(x, y) || (x >= size - 8 && y < 9) || (x < 9 && y >= size - 8)) return true;
    if (x === 6 || y === 6) return true;
    if (version >= 7 && ((x >= size - 11 && y < 6) || (y >= size - 11 && x < 6))) return true;
    const places = alignments[version] ?? [];
    return places.some((cx) =>
      places.some(
        (cy) =>
          !((cx === 6 && cy === 6) || (cx === 6 && cy === size - 7) || (cx === size - 7 && cy === 6)) &&
          Math.abs(x - cx) <= 2 &&
          Math.abs(y - cy) <= 2,
      ),
    );
  };
  // Three bits of the format beside the left finder pattern, which the standard inverts with 101.
  const mask = [2, 3, 4].reduce((bits, x) => (bits << 1) | (rows[8]![x] ? 1 : 0), 0) ^ 0b101;
  const inverts = [
    (x: number, y: number) => (x + y) % 2,
    (_: number, y: number) => y % 2,
    (x: number) => x % 3,
    (x: number, y: number) => (x + y) % 3,
    (x: number, y: number) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
    (x: number, y: number) => ((x * y) % 2) + ((x * y) % 3),
    (x: number, y: number) => (((x * y) % 2) + ((x * y) % 3)) % 2,
    (x: number, y: number) => (((x + y) % 2) + ((x * y) % 3)) % 2,
  ][mask]!;
  const bits: number[] = [];
  let up = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let i = 0; i < size; i++)
      for (const x of [right, right - 1]) {
        const y = up ? size - 1 - i : i;
        if (!isFixed(x, y)) bits.push((rows[y]![x] ? 1 : 0) ^ (inverts(x, y) === 0 ? 1 : 0));
      }
    up = !up;
  }
  const codewords = Array.from({ length: Math.floor(bits.length / 8) }, (_, i) =>
    bits.slice(i * 8, i * 8 + 8).reduce((byte, bit) => (byte << 1) | bit, 0),
  );
  const [count, data] = blocks[version]!;
  const shortLength = Math.floor(data / count);
  const short = count - (data % count);
  const parts: number[][] = Array.from({ length: count }, () => []);
  let at = 0;
  for (let i = 0; i <= shortLength; i++)
    for (let block = 0; block < count; block++)
      if (i < shortLength || block >= short) parts[block]!.push(codewords[at++]!);
  const stream = parts.flat().flatMap((byte) => [...byte.toString(2).padStart(8, '0')].map(Number));
  const take = (length: number): number => stream.splice(0, length).reduce((n, bit) => (n << 1) | bit, 0);
  expect(take(4)).toBe(4);
  const length = take(version < 10 ? 8 : 16);
  return new TextDecoder().decode(Uint8Array.from({ length }, () => take(8)));
}

/** From the standard: centres of alignment patterns, and blocks and data codewords of level M. */
const alignments: Record<number, number[]> = {
  2: [6, 18],
  3: [6, 22],
  4: [6, 26],
  5: [6, 30],
  6: [6, 34],
  7: [6, 22, 38],
  8: [6, 24, 42],
  9: [6, 26, 46],
  10: [6, 28, 50],
};
const blocks: Record<number, [number, number]> = {
  2: [1, 28],
  3: [1, 44],
  4: [2, 64],
  5: [2, 86],
  6: [4, 108],
  7: [4, 124],
  8: [4, 154],
  9: [5, 182],
  10: [5, 216],
};

describe('the QR code of an authenticator app', () => {
  it.each([
    ['a short text', 'otpauth://totp/A?secret=B'],
    ['a usual one', 'otpauth://totp/Hostplane:ada@example.com?secret=JBSWY3DPEHPK3PXP'],
    [
      'a long one',
      `otpauth://totp/Hostplane%20Demo:ada%40example.com?secret=${'A'.repeat(32)}&issuer=Hostplane%20Demo&digits=6&period=30`,
    ],
    ['letters beyond ASCII', `otpauth://totp/Müller:${'ß'.repeat(60)}?secret=JBSWY3DPEHPK3PXP`],
  ])('holds %s', (_, text) => {
    expect(read(drawn(text))).toBe(text);
  });
});
