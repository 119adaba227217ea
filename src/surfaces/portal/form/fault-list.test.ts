import { expect, it } from 'vitest';
import { isFaulty, step, textOf, withoutChanged } from '../../../../portal/src/form/fault-list.ts';

const at = (...pointers: string[]) => pointers.map((pointer) => ({ pointer, code: 'invalid_format' }));
const left = (pointers: string[], changed: string): string[] =>
  withoutChanged(at(...pointers), changed).map(({ pointer }) => pointer);

it('a fault goes when its own field is changed, and others stay', () => {
  expect(left(['/rules/3/ports', '/rules/1/ports', '/name'], '/rules/3/ports')).toEqual([
    '/rules/1/ports',
    '/name',
  ]);
});

it('a fault about the whole goes when a part of it is changed', () => {
  expect(left(['', '/rules', '/rules/3', '/name'], '/rules/3/ports')).toEqual(['/name']);
});

it('faults in a list go when its items have moved', () => {
  expect(left(['/dns/0', '/dns/1', '/dns_names'], '/dns')).toEqual(['/dns_names']);
});

it('a fault of a parameter has a place of its own', () => {
  expect(left(['query/limit', '/limit'], 'query/limit')).toEqual(['/limit']);
});

it('what is folded is opened by a fault in it, not by one beside it', () => {
  expect(isFaulty(at('/source/image_id'), '/source')).toBe(true);
  expect(isFaulty(at('/source_id'), '/source')).toBe(false);
});

it('names of labels are escaped in pointers', () => {
  expect(step('example.com/a~b')).toBe('example.com~1a~0b');
});

it('a fault is said in words', () => {
  expect(textOf({ pointer: '/a', code: 'x', detail: 'Too long.' })).toBe('Too long.');
  expect(textOf({ pointer: '/a', code: 'x' })).toBe('This is not valid.');
});

it('people read of no calls that list the values', () => {
  const detail =
    'There is no such network. GET /flexible-vps/v1/networks?location=ams1 lists the valid values, with a key that has flexible-vps:networks:read. Did you mean `inside`?';
  expect(textOf({ pointer: '/a', code: 'x', detail })).toBe(
    'There is no such network. Did you mean `inside`?',
  );
});
