import { expect, it } from 'vitest';
import { ratiosOf } from '../bench/rounds.ts';

it('a round of the bench without answers has no ratio, and the report counts it', () => {
  expect(ratiosOf([3, 0, 4], [2, 5, 2])).toEqual({
    median: 1.75,
    text: 'rounds 1.50 to 2.00, 1 without answers',
  });
  expect(ratiosOf([1, Number.NaN], [Number.NaN, 1]).text).toBe('no round, 2 without answers');
  expect(ratiosOf([2], [1]).text).toBe('rounds 2.00 to 2.00');
});
