import { expect, it } from 'vitest';
import { withoutUnwanted } from '../../../../portal/src/form/when.ts';

const same = <T>(schema: T): T => schema;
const schema = {
  required: ['source'],
  properties: {
    plan: { 'x-when': { member: 'custom_size', sent: false } },
    custom_size: { 'x-when': { member: 'plan', sent: false } },
    source: {
      required: ['type'],
      properties: { type: { enum: ['snapshot', 'backup'] } },
    },
    delete_snapshots: { 'x-when': { member: 'source/type', is: ['backup'] } },
    protocol: { default: 'tcp' },
    ports: { 'x-when': { member: 'protocol', is: ['tcp'] } },
    note: { 'x-when': { member: 'ports', sent: true } },
    mode: {},
    until: { 'x-when': { member: 'mode', is: ['soon'] } },
  },
};
const kept = (value: Record<string, unknown>): string[] => Object.keys(withoutUnwanted(value, schema, same));

it('what does not matter because of another member is left out', () => {
  expect(kept({ source: { type: 'snapshot' }, delete_snapshots: true })).toEqual(['source']);
  expect(kept({ source: { type: 'backup' }, delete_snapshots: true })).toEqual([
    'source',
    'delete_snapshots',
  ]);
});

it('the default counts for a member that was left out', () => {
  expect(kept({ ports: ['80'] })).toEqual(['ports']);
  expect(kept({ protocol: 'icmp', ports: ['80'] })).toEqual(['protocol']);
});

it('what depends on a choice that somebody must still make is left out', () => {
  expect(kept({ delete_snapshots: true })).toEqual([]);
});

it('what depends on a value that the request does not say is kept', () => {
  expect(kept({ until: 'tomorrow' })).toEqual(['until']);
  expect(kept({ mode: 'never', until: 'tomorrow' })).toEqual(['mode']);
});

it('leaving one member out may leave out another one', () => {
  expect(kept({ protocol: 'udp', ports: ['80'], note: 'x' })).toEqual(['protocol']);
});

it('of two members that exclude each other, the one that is sent is kept', () => {
  expect(kept({ custom_size: { vcpus: 1 } })).toEqual(['custom_size']);
});
