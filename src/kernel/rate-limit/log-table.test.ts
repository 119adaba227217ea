import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LogTable } from './log-table.ts';
import { LIMIT } from './port.ts';

const commands = fc.array(
  fc.record({
    what: fc.constantFrom('open', 'push', 'push', 'push', 'drop', 'close'),
    which: fc.nat(),
    times: fc.constantFrom(1, 3, 8, 33, 160),
  }),
  { maxLength: 80 },
);

it('the log table behaves like a set of queues in the order of their last push', () => {
  fc.assert(
    fc.property(commands, (plan) => {
      const table = new LogTable();
      // The insertion order of the map is the order of the last push.
      const model = new Map<number, number[]>();
      let time = 0;
      for (const { what, which, times } of plan) {
        const log = [...model.keys()][which % Math.max(1, model.size)];
        if (what === 'open') model.set(table.open(), []);
        else if (log === undefined) continue;
        else if (what === 'close') {
          table.close(log);
          model.delete(log);
        } else {
          const queue = model.get(log)!;
          for (let i = 0; i < times; i++) {
            if (what === 'drop' && queue.shift() !== undefined) table.dropOldest(log);
            if (what === 'drop' || queue.length === LIMIT) continue;
            queue.push(++time);
            table.push(log, time);
            model.delete(log);
            model.set(log, queue);
          }
        }
        expect(table.stalest()).toBe([...model.keys()][0] ?? -1);
        for (const [each, queue] of model) {
          expect(table.count(each)).toBe(queue.length);
          expect(queue.map((_, place) => table.timeAt(each, place))).toEqual(queue);
        }
      }
    }),
    { numRuns: 300 },
  );
});

it('the log table keeps every log when it grows', () => {
  const table = new LogTable();
  const logs = Array.from({ length: 5000 }, (_, i) => {
    const log = table.open();
    table.push(log, i);
    return log;
  });
  expect(logs.map((log) => table.timeAt(log, 0))).toEqual(logs.map((_, i) => i));
  for (const log of logs) {
    expect(table.stalest()).toBe(log);
    table.close(log);
  }
  expect(table.stalest()).toBe(-1);
});
