import { expect, it } from 'vitest';
import { collected } from './families.ts';

it('entries of several tables become one table', () => {
  expect(collected([{ a: 1 }, {}, { b: 2 }])).toEqual({ a: 1, b: 2 });
});

it('a name that two families define is refused', () => {
  expect(() => collected([{ a: 1 }, { b: 2, a: 3 }])).toThrow('The contract defines a twice.');
});
