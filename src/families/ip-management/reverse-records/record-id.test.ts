import { expect, it } from 'vitest';
import { parseAddress } from '../../../kernel/net/address.ts';
import { addressNamed, recordIdOf } from './record-id.ts';

it.each([
  ['203.0.113.20', 'rdns_00000000000000007zzz5g0w8m'],
  ['2001:db8::1', 'rdns_10046vg0000000000000000001'],
  ['0.0.0.0', 'rdns_00000000000000007zzw000000'],
  ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'rdns_7zzzzzzzzzzzzzzzzzzzzzzzzz'],
])('the record of %s has the id %s, which names the address again', (text, id) => {
  expect(recordIdOf(parseAddress(text)!)).toBe(id);
  for (const name of [id, text]) expect(addressNamed(name)?.text).toBe(text);
});

it.each([
  'rdns_8zzzzzzzzzzzzzzzzzzzzzzzzz',
  'rdns_',
  'RDNS_10046vg0000000000000000001',
  'rdns_10046vg000000000000000000l',
  '203.0.113.020',
  '2001:db8::1%eth0',
  '203.0.113.20/32',
  '',
])('%j names no address', (text) => {
  expect(addressNamed(text)).toBeNull();
});
