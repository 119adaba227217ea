import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Problem } from '../problems/problem.ts';
import { accessOf } from './channels.ts';
import { Departure } from './client-gone.ts';
import { hold, type Patience } from './hold.ts';
import { Waiters } from './waiters.ts';

const SECOND = 1_000;
const ACCOUNT = 'acc_1';
const EXPIRED = new Problem('api_key_expired');
const forever = { keys: [], look: async () => 'nothing new', isDone: () => false };

let waiters: Waiters;
/** When the right of the caller ends. */
let endsAt: number;
let checks: number;

beforeEach(() => {
  vi.useFakeTimers();
  waiters = new Waiters();
  waiters.on('access').up();
  endsAt = Number.POSITIVE_INFINITY;
  checks = 0;
});
afterEach(() => {
  waiters.close();
  vi.useRealTimers();
});

const patience = (rest: Partial<Patience> = {}): Patience => ({
  milliseconds: 60 * SECOND,
  departure: new Departure(),
  accountId: ACCOUNT,
  isCurrent: () => true,
  endsAt: () => endsAt,
  readmit() {
    checks++;
    return endsAt <= Date.now() ? EXPIRED : undefined;
  },
  ...rest,
});

/** Starts to wait; `outcome` is undefined until the wait is over. */
function start(asked: Patience) {
  const held: { outcome: unknown } = { outcome: undefined };
  hold(waiters, asked, forever).then(
    (value) => {
      held.outcome = value;
    },
    (error: unknown) => {
      held.outcome = error;
    },
  );
  return held;
}

describe('a held request', () => {
  it('ends when the right of its caller expires', async () => {
    endsAt = Date.now() + 20 * SECOND;
    const held = start(patience());
    await vi.advanceTimersByTimeAsync(20 * SECOND - 10);
    expect(held.outcome).toBeUndefined();
    await vi.advanceTimersByTimeAsync(10);
    expect(held.outcome).toBe(EXPIRED);
    expect(waiters.size).toBe(0);
  });

  it('goes on if the expiry was postponed, until the new expiry', async () => {
    endsAt = Date.now() + 20 * SECOND;
    const held = start(patience());
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    endsAt += 20 * SECOND;
    await vi.advanceTimersByTimeAsync(29 * SECOND);
    expect(held.outcome).toBeUndefined();
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(held.outcome).toBe(EXPIRED);
  });

  it('ends immediately if the right was lost before it began to watch', async () => {
    endsAt = Date.now();
    let looks = 0;
    const look = async () => ++looks;
    const begun = hold(waiters, patience({ isCurrent: () => false }), { ...forever, look });
    await expect(begun).rejects.toBe(EXPIRED);
    expect([looks, waiters.size]).toEqual([0, 0]);
  });

  it('without a time limit can wait longer than a timer allows, and checks nothing while nothing changes', async () => {
    const departure = new Departure();
    const held = start(patience({ milliseconds: Number.POSITIVE_INFINITY, departure }));
    await vi.advanceTimersByTimeAsync(60 * 86_400 * SECOND);
    expect([held.outcome, checks]).toEqual([undefined, 0]);
    departure.leave();
    await vi.advanceTimersByTimeAsync(0);
    expect(held.outcome).toBe('nothing new');
  });

  it('is checked every second while the listener is disconnected', async () => {
    const held = start(patience());
    await vi.advanceTimersByTimeAsync(0);
    const channel = accessOf(ACCOUNT).split(' ')[0] ?? '';
    waiters.on(channel).down();
    await vi.advanceTimersByTimeAsync(3 * SECOND);
    expect([held.outcome, checks]).toEqual([undefined, 4]);
  });
});
