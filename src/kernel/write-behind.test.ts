import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { WriteBehind } from './write-behind.ts';

interface Row {
  readonly key: string;
  readonly count: number;
}

/** The duration of a write in these tests. Values pushed meanwhile go into the next batch. */
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

interface Bench {
  readonly queue: WriteBehind<Row>;
  readonly written: Row[][];
  readonly dropped: Row[];
  readonly failures: unknown[];
  /** The results of the next writes. Once the list is empty, writes succeed. */
  readonly outcomes: ('fail' | 'succeed')[];
}

function createBench(capacity = 100, intervalMs = 60_000): Bench {
  const written: Row[][] = [];
  const dropped: Row[] = [];
  const failures: unknown[] = [];
  const outcomes: ('fail' | 'succeed')[] = [];
  const queue = new WriteBehind<Row>({
    capacity,
    intervalMs,
    fold: (kept, next) => ({ key: kept.key, count: kept.count + next.count }),
    async write(rows) {
      await tick();
      if (outcomes.shift() === 'fail') throw new Error('the database is away');
      written.push([...rows]);
    },
    dropped: (row) => void dropped.push(row),
    failed: (error) => void failures.push(error),
  });
  return { queue, written, dropped, failures, outcomes };
}

const push = ({ queue }: Bench, key: string, count = 1): void => queue.push(key, { key, count });
const total = (rows: readonly Row[]): number => rows.reduce((sum, { count }) => sum + count, 0);

describe('WriteBehind', () => {
  it('writes pushed values in one batch, merging values of the same key', async () => {
    const bench = createBench();
    push(bench, 'a');
    push(bench, 'b');
    push(bench, 'a', 4);
    await bench.queue.flush();
    expect(bench.written).toEqual([
      [
        { key: 'a', count: 5 },
        { key: 'b', count: 1 },
      ],
    ]);
    await bench.queue.flush();
    expect(bench.written).toHaveLength(1);
  });

  it('keeps the newer value if there is no merge function', async () => {
    const written: unknown[] = [];
    const queue = new WriteBehind<number>({
      capacity: 2,
      intervalMs: 60_000,
      write: async (values) => void written.push(...values),
      failed: () => undefined,
    });
    queue.push('a', 1);
    queue.push('a', 2);
    await queue.flush();
    expect(written).toEqual([2]);
  });

  it('drops and counts values beyond its capacity, but still merges into keys that it holds', async () => {
    const bench = createBench(2);
    for (const key of ['a', 'b', 'c', 'a', 'd']) push(bench, key);
    expect(bench.queue.size).toBe(2);
    expect(bench.dropped.map(({ key }) => key)).toEqual(['c', 'd']);
    await bench.queue.flush();
    expect(bench.written).toEqual([
      [
        { key: 'a', count: 2 },
        { key: 'b', count: 1 },
      ],
    ]);
  });

  it('keeps a batch whose write failed and merges it with later values', async () => {
    const bench = createBench();
    bench.outcomes.push('fail');
    push(bench, 'a');
    const flushed = bench.queue.flush();
    while (bench.queue.size > 0) await Promise.resolve();
    push(bench, 'a', 2);
    await flushed;
    expect(bench.failures).toHaveLength(1);
    expect(bench.queue.size).toBe(1);
    await bench.queue.flush();
    expect(bench.written).toEqual([[{ key: 'a', count: 3 }]]);
  });

  it('drops values when a failed batch returns to a full queue', async () => {
    const bench = createBench(1);
    let fail = (_: Error): void => undefined;
    const queue = new WriteBehind<Row>({
      capacity: 1,
      intervalMs: 60_000,
      write: () => new Promise((_, reject) => (fail = reject)),
      dropped: (row) => void bench.dropped.push(row),
      failed: () => undefined,
    });
    queue.push('a', { key: 'a', count: 1 });
    const flushed = queue.flush();
    await vi.waitFor(() => expect(queue.size).toBe(0));
    queue.push('b', { key: 'b', count: 1 });
    fail(new Error('away'));
    await flushed;
    expect([queue.size, bench.dropped]).toEqual([1, [{ key: 'a', count: 1 }]]);
  });

  it('writes by itself after its interval, and again after a failure', async () => {
    const bench = createBench(100, 1);
    bench.outcomes.push('fail', 'fail');
    push(bench, 'a');
    await vi.waitFor(() => expect(bench.written).toEqual([[{ key: 'a', count: 1 }]]));
    expect(bench.failures).toHaveLength(2);
  });

  it('writes the rest when it is closed', async () => {
    const bench = createBench();
    push(bench, 'a');
    await bench.queue.close();
    expect(total(bench.written.flat())).toBe(1);
  });

  it('loses nothing and repeats nothing, whichever writes fail', async () => {
    const step = fc.oneof(
      fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
      fc.constant('flush' as const),
      fc.constant('fail' as const),
      fc.constant('wait' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const bench = createBench(3);
        let pushed = 0;
        const flushes: Promise<void>[] = [];
        for (const action of steps) {
          if (action === 'flush') flushes.push(bench.queue.flush());
          else if (action === 'wait') await Promise.resolve();
          else if (action === 'fail') bench.outcomes.push('fail');
          else {
            push(bench, action.key);
            pushed++;
          }
        }
        await Promise.all(flushes);
        bench.outcomes.length = 0;
        await bench.queue.close();
        expect(total(bench.written.flat()) + total(bench.dropped)).toBe(pushed);
      }),
    );
  });
});
