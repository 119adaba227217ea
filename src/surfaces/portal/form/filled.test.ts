import { expect, it } from 'vitest';
import type { Schema } from '../../../../portal/src/form/document.ts';
import { isFilled } from '../../../../portal/src/resource/schema.ts';

const item: Schema = { type: 'object', properties: { network_id: {}, note: {} }, required: ['network_id'] };
const schema: Schema = {
  type: 'object',
  properties: { name: {}, networks: { type: 'array', items: item }, first: item, source: { oneOf: [item] } },
  required: ['name'],
};
const filled = (body: Readonly<Record<string, unknown>>, known = {}): boolean =>
  isFilled(schema, body, (same) => same, known);

it('a form is filled when its required members have values', () => {
  expect([filled({}), filled({ name: '' }), filled({ name: 'a' })]).toEqual([false, false, true]);
});

it('a form is not filled while an item or a group in it lacks a required member', () => {
  expect(filled({ name: 'a', networks: [{ network_id: 'net_1' }, {}] })).toBe(false);
  expect(filled({ name: 'a', networks: [{ network_id: 'net_1' }] })).toBe(true);
  expect([filled({ name: 'a', first: { note: 'b' } }), filled({ name: 'a', first: null })]).toEqual([
    false,
    true,
  ]);
});

it('what the form began with, and alternatives, are left to the server', () => {
  const first = { note: 'b' };
  expect(filled({ name: 'a', first }, { first })).toBe(true);
  expect(filled({ name: 'a', source: {} })).toBe(true);
});
