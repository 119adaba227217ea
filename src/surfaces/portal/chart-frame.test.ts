/** Where bars, lines and round numbers of a chart are. */
import { describe, expect, it } from 'vitest';
import { bandAt, frameOf, linePath, stackOf, ticksOf } from '../../../portal/src/ui/chart-frame.ts';

describe('the round numbers of an axis', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 0.25, 0.5, 0.75, 1]],
    [0.03, [0, 0.01, 0.02, 0.03]],
    [7.3, [0, 2, 4, 6, 8]],
    [99, [0, 25, 50, 75, 100]],
    [100, [0, 25, 50, 75, 100]],
    [101, [0, 50, 100, 150]],
  ])('up to %s', (highest, ticks) => {
    expect(ticksOf(highest)).toEqual(ticks);
  });

  it('reach every value, in at most seven steps', () => {
    for (let exponent = -6; exponent < 9; exponent++)
      for (const digits of [1, 1.01, 1.9, 2.5, 3.3, 4.99, 7, 9.999]) {
        const highest = digits * 10 ** exponent;
        const ticks = ticksOf(highest);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(highest * 0.999_999);
        expect(ticks.length).toBeLessThanOrEqual(7);
      }
  });
});

const frame = frameOf({ width: 460, height: 200, count: 4, top: 10, labels: ['0', '10'] });

describe('a frame', () => {
  it('has nothing at the bottom and the highest value at the top', () => {
    expect([frame.y(0), frame.y(10)]).toEqual([frame.bottom, frame.above]);
  });

  it('finds the place under the pointer, also beside the chart', () => {
    expect([0, 1, 2, 3].map((place) => bandAt(frame, frame.x(place)))).toEqual([0, 1, 2, 3]);
    expect([bandAt(frame, -50), bandAt(frame, 5000)]).toEqual([0, 3]);
  });

  it('names fewer places when there is less room', () => {
    const named = (width: number) => frameOf({ width, height: 200, count: 31, top: 1, labels: [] }).everyNth;
    expect(named(2000)).toBe(1);
    expect(named(300)).toBeGreaterThan(4);
  });
});

describe('series', () => {
  it('stand on each other, also where one has no value', () => {
    expect(
      stackOf([
        [1, null],
        [2, 3],
      ]),
    ).toEqual([
      [
        [0, 1],
        [0, 0],
      ],
      [
        [1, 3],
        [0, 3],
      ],
    ]);
  });

  it('have a gap where a value is missing, and a dot between two gaps', () => {
    const path = linePath({ x: (i) => i, y: (value) => value }, [1, 2, null, 4, null]);
    expect(path).toBe('M0.0 1.0L1.0 2.0M3.0 4.0L3.0 4.0');
  });
});
