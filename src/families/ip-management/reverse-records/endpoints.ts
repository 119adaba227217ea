import { parseAddress } from '../../../kernel/net/address.ts';
import { parseCidr } from '../../../kernel/net/cidr.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import type { ProviderConfig } from '../../../provider/schema.ts';
import { listOf } from '../../../resources/records/records.ts';
import { addressOfDefaultName, canonicalName } from './hostname.ts';
import { recordView } from './present.ts';
import { recordIdOf } from './record-id.ts';
import { ReverseRecordsQuery } from './schema.ts';
import { inHolding, inRange, inState, named, readRecords, withId } from './store.ts';

const unreadable = (name: string, such: string) =>
  invalid([{ pointer: `query/${name}`, code: 'invalid_format', detail: `Write ${such}.` }]);

function conditionsOf(query: ReverseRecordsQuery, provider: ProviderConfig) {
  const { address, address_id, cidr, hostname, sync_status } = query;
  const single = address === undefined ? undefined : parseAddress(address);
  const range = cidr === undefined ? undefined : parseCidr(cidr)?.cidr;
  if (single === null) throw unreadable('address', 'one address, such as 203.0.113.20 or 2001:db8::1');
  if (cidr !== undefined && range === undefined)
    throw unreadable('cidr', 'a range, such as 203.0.113.0/24 or 2001:db8::/64');
  const name = hostname === undefined ? undefined : canonicalName(hostname);
  return [
    ...(single === undefined ? [] : [withId(recordIdOf(single))]),
    ...(range === undefined ? [] : [inRange(range.text)]),
    ...(address_id === undefined ? [] : [inHolding(address_id)]),
    ...(name === undefined ? [] : [named(name, addressOfDefaultName(name, provider))]),
    ...(sync_status === undefined ? [] : [inState(sync_status)]),
  ];
}

export const listReverseRecords = listOf(recordView, {
  id: 'listReverseRecords',
  summary: 'List the names of addresses (reverse DNS)',
  description:
    'Every IPv4 address that your account holds has a record, with the default name until you set another. Of IPv6 addresses only those are listed that have a name. Addresses in locations without reverse DNS are not listed.',
  query: ReverseRecordsQuery,
  exampleQuery: { cidr: '203.0.113.0/24' },
  read(call) {
    const { provider, dns } = call.services;
    const locations = dns.all.map(({ location }) => location);
    return readRecords(call, locations, conditionsOf(call.query, provider));
  },
});
