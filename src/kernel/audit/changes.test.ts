import { describe, expect, it } from 'vitest';
import { changesBetween } from './changes.ts';

interface Thing {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly at: Date | null;
}

const thing: Thing = { name: 'one', labels: { a: '1', b: '2' }, at: new Date(0) };

describe('changesBetween', () => {
  it('lists the members that differ, ignoring the order of members in objects', () => {
    const after = { name: 'two', labels: { b: '2', a: '1' }, at: new Date(0) };
    expect(changesBetween<Thing>(thing, after)).toEqual([{ pointer: '/name', before: 'one', after: 'two' }]);
  });

  it('distinguishes two dates', () => {
    const after = { at: new Date(1) };
    expect(changesBetween<Thing>(thing, after)).toEqual([
      { pointer: '/at', before: thing.at, after: after.at },
    ]);
  });

  it('lists only the named members, and all of them if there was no previous value', () => {
    expect(changesBetween<Thing>(null, { ...thing, at: null }, ['at', 'name'])).toEqual([
      { pointer: '/at', before: null, after: null },
      { pointer: '/name', before: null, after: 'one' },
    ]);
    expect(changesBetween<Thing>(thing, { name: 'two', at: null }, ['at'])).toEqual([
      { pointer: '/at', before: thing.at, after: null },
    ]);
  });
});
