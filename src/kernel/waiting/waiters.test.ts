import { describe, expect, it, vi } from 'vitest';
import { Departure } from './client-gone.ts';
import { newsKey, Waiters, WOKEN_AT_ONCE } from './waiters.ts';

const LONG = 60_000;

function open() {
  const waiters = new Waiters();
  const events = waiters.on('events');
  events.up();
  return { waiters, events, ends: waiters.on('ends') };
}

const key = (payload: string) => newsKey('events', payload);

describe('a watch', () => {
  it('is woken by its own keys and by no others', async () => {
    const { waiters, events, ends } = open();
    const watch = waiters.watch([key('a')]);
    const waiting = watch.wait(LONG);
    events.heard('b');
    ends.heard('a');
    events.heard('a');
    expect([...(await waiting)]).toEqual([key('a')]);
  });

  it('keeps notifications that arrive before it waits', async () => {
    const { waiters, events } = open();
    const watch = waiters.watch([key('a'), key('b')]);
    events.heard('b');
    events.heard('a');
    expect([...(await watch.wait(LONG))].sort()).toEqual([key('a'), key('b')]);
    // Each notification is returned only once.
    expect([...(await watch.wait(1))]).toEqual([]);
  });

  it('ends at its timeout or when its client leaves, immediately if that has already happened', async () => {
    const { waiters } = open();
    const watch = waiters.watch([key('a')]);
    expect(await watch.wait(1)).toEqual([]);
    const departure = new Departure();
    const waiting = watch.wait(LONG, departure);
    departure.leave();
    expect(await waiting).toEqual([]);
    expect(await watch.wait(LONG, departure)).toEqual([]);
  });

  it('is not woken a second time by a notification that it has already taken', async () => {
    const { waiters, events } = open();
    // The last watch is not waiting when the notification comes, and it is woken after all others.
    const sleepers = Array.from({ length: WOKEN_AT_ONCE }, () => waiters.watch([key('a')]).wait(LONG));
    const last = waiters.watch([key('a')]);
    events.heard('a');
    expect(await last.wait(LONG)).toEqual([key('a')]);
    let isAwake = false;
    const waiting = last.wait(LONG).finally(() => {
      isAwake = true;
    });
    await Promise.all(sleepers);
    await new Promise(setImmediate);
    expect(isAwake).toBe(false);
    events.heard('a');
    expect(await waiting).toEqual([key('a')]);
  });

  it('leaves no entry in the map', () => {
    const { waiters, events } = open();
    const watches = [waiters.watch([key('a')]), waiters.watch([key('a'), key('b')])];
    expect(waiters.size).toBe(2);
    for (const watch of watches) watch.close();
    expect(waiters.size).toBe(0);
    events.heard('a');
  });
});

describe('while the listener is disconnected', () => {
  it('all watches are woken immediately, every second, and when the listener is connected again', async () => {
    vi.useFakeTimers();
    try {
      const { waiters, events, ends } = open();
      const watches = [waiters.watch([key('a')]), waiters.watch([newsKey('ends', 'b')])];
      const all = async () =>
        (await Promise.all(watches.map((watch) => watch.wait(LONG)))).map((n) => n.length);
      const lost = all();
      events.down();
      ends.down();
      expect(await lost).toEqual([1, 1]);
      for (let i = 0; i < 3; i++) {
        const looking = all();
        await vi.advanceTimersByTimeAsync(1000);
        expect(await looking).toEqual([1, 1]);
      }
      const back = all();
      events.up();
      ends.up();
      expect(await back).toEqual([1, 1]);
      const quiet = all();
      await vi.advanceTimersByTimeAsync(LONG);
      expect(await quiet).toEqual([0, 0]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('lookTogether', () => {
  it('runs one query for all waiters of the same notification', async () => {
    const { waiters, events } = open();
    let asked = 0;
    const look = async () => ++asked;
    const [one, two] = [waiters.lookTogether('x', look), waiters.lookTogether('x', look)];
    expect(await Promise.all([one, two, waiters.lookTogether('y', look)])).toEqual([1, 1, 2]);
    const before = waiters.lookTogether('x', look);
    events.heard('a');
    const after = waiters.lookTogether('x', look);
    expect(await Promise.all([before, after])).toEqual([3, 4]);
    expect(await waiters.lookTogether('x', look)).toBe(5);
  });

  it('shares a failure with all of them, and does not cache it', async () => {
    const { waiters } = open();
    const fail = () => Promise.reject(new Error('gone'));
    const both = [waiters.lookTogether('x', fail), waiters.lookTogether('x', async () => 1)];
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await waiters.lookTogether('x', async () => 1)).toBe(1);
  });
});

it('closing ends all waits, and every later one', async () => {
  const { waiters } = open();
  const watch = waiters.watch([key('a')]);
  const waiting = watch.wait(LONG);
  waiters.close();
  expect(await waiting).toEqual([]);
  expect(await watch.wait(LONG)).toEqual([]);
});
