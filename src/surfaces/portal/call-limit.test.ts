import { expect, it } from 'vitest';
import { CallLimit } from './call-limit.ts';

it('600 calls a minute of each session are allowed, and the answer says when the next one is', () => {
  const limit = new CallLimit();
  const start = 1_000_000;
  for (let i = 0; i < 600; i++) expect(limit.take('one', start)).toBe(0);
  expect(limit.take('one', start + 15_000)).toBe(45);
  expect(limit.take('two', start + 15_000)).toBe(0);
  expect(limit.take('one', start + 60_000)).toBe(0);
});
