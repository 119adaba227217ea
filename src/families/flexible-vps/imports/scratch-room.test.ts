import { expect, it } from 'vitest';
import { growingBy, type Held, judge } from './scratch-room.ts';

const settings = { keep_free_percent: 10, account_share_percent: 50 };
/** 100 bytes, of which 10 are kept free, so that imports have 90 and one account has 45. */
const empty = { sizeBytes: 100, freeBytes: 100 };
const held = (account: string, bytes: number, usedBytes = 0): Held => ({ account, bytes, usedBytes });
const told = (disk: typeof empty, all: readonly Held[], account: string, bytes: number) =>
  judge(settings, disk, all, { account, bytes })?.neverFits ?? 'fits';

it.each([
  ['a file as large as the share of an account', empty, [held('a', 45)], 45, 'fits'],
  ['a larger file', empty, [held('a', 46)], 46, true],
  ['a file beside another of the account', empty, [held('a', 30), held('a', 20)], 20, false],
  ['a file beside those of others', empty, [held('b', 45), held('a', 45)], 45, 'fits'],
  ['a file beside more of others', empty, [held('b', 45), held('c', 5), held('a', 45)], 45, false],
  ['a disk that others fill', { sizeBytes: 100, freeBytes: 15 }, [held('a', 6)], 6, false],
  ['bytes that are written already', { sizeBytes: 100, freeBytes: 55 }, [held('a', 45, 45)], 45, 'fits'],
] as const)('%s', (_, disk, all, bytes, expected) => {
  expect(told(disk, all, 'a', bytes)).toBe(expected);
});

it('reserves a known size once, and an unknown one in steps, never more than allowed', async () => {
  const reserved: number[] = [];
  const grow = growingBy(async (bytes) => void reserved.push(bytes), 100_000_000);
  for (const bytes of [1000, 1000, 2000, 3000, 70_000_000]) await grow(bytes);
  expect(reserved).toEqual([1000, 2000 + 64 * 1024 * 1024, 100_000_000]);
});
