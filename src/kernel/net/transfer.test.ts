import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readWithin, type TooSlow, Transfer, type TransferLimits } from './transfer.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const limits: TransferLimits = {
  silenceMs: 10_000,
  totalMs: 30_000,
  rate: { bytesPerSecond: 1000, windowMs: 60_000 },
};
const reasonOf = (transfer: Transfer): string | null =>
  transfer.signal.aborted ? (transfer.signal.reason as TooSlow).limit : null;

/** Moves these bytes every second. */
async function pass(transfer: Transfer, seconds: number, bytesPerSecond: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    await vi.advanceTimersByTimeAsync(1000);
    transfer.moved(bytesPerSecond);
  }
}

it('a transfer ends when nothing arrives for too long', async () => {
  const transfer = new Transfer(limits);
  await vi.advanceTimersByTimeAsync(9000);
  transfer.moved(1);
  await vi.advanceTimersByTimeAsync(9999);
  expect(reasonOf(transfer)).toBeNull();
  await vi.advanceTimersByTimeAsync(2);
  expect(reasonOf(transfer)).toBe('silence');
});

it('a transfer without expected bytes ends after its total time, however much arrives', async () => {
  const transfer = new Transfer(limits);
  await pass(transfer, 29, 1_000_000);
  expect(reasonOf(transfer)).toBeNull();
  await pass(transfer, 2, 1_000_000);
  expect(reasonOf(transfer)).toBe('total');
});

it('a transfer ends after the first window below the minimum rate', async () => {
  const transfer = new Transfer(limits);
  transfer.expect(1_000_000);
  await pass(transfer, 61, 1100);
  expect(reasonOf(transfer)).toBeNull();
  await pass(transfer, 61, 900);
  expect(reasonOf(transfer)).toBe('rate');
});

it('a transfer survives a pause if the rest of the window makes up for it', async () => {
  const transfer = new Transfer(limits);
  transfer.expect(1_000_000);
  for (let i = 0; i < 5; i++) {
    await vi.advanceTimersByTimeAsync(8000);
    await pass(transfer, 4, 4000);
  }
  expect(reasonOf(transfer)).toBeNull();
});

it('a transfer has as much total time as its bytes need at the minimum rate, up to the maximum', async () => {
  const one = new Transfer(limits);
  one.expect(100_000);
  await pass(one, 129, 1100);
  expect(reasonOf(one)).toBeNull();
  await pass(one, 2, 1100);
  expect(reasonOf(one)).toBe('total');
  const bounded = new Transfer(limits);
  bounded.expect(1_000_000, 90_000);
  await pass(bounded, 91, 1100);
  expect(reasonOf(bounded)).toBe('total');
});

it('a transfer does not count the time in which the server waits for us', async () => {
  const transfer = new Transfer(limits);
  transfer.expect(3000);
  async function* source(): AsyncGenerator<Buffer> {
    for (let i = 0; i < 3; i++) yield Buffer.alloc(1000);
  }
  let bytes = 0;
  for await (const chunk of readWithin(source(), transfer)) {
    bytes += chunk.length;
    await vi.advanceTimersByTimeAsync(3_600_000);
  }
  expect([bytes, reasonOf(transfer)]).toEqual([3000, null]);
});

it('a transfer leaves no timer behind when it has ended', () => {
  const transfer = new Transfer(limits);
  transfer.end();
  expect(vi.getTimerCount()).toBe(0);
});
