import { expect, it } from 'vitest';
import { machinesIn } from './change-words.ts';

it.each([
  [{ machines: 0, rows: 0 }, 'no machine yet'],
  [{ machines: 1, rows: 2 }, '1 machine'],
  [{ machines: 12, rows: 12 }, '12 machines'],
  [{ machines: 1001, rows: 1001 }, 'more than 1,000 machines'],
  [{ machines: 600, rows: 1001 }, 'at least 600 machines'],
])('%j is described as: %s', (counted, words) => {
  expect(machinesIn(counted)).toBe(words);
});
