import { etagOf } from '../../../kernel/etag.ts';
import { parseAddress } from '../../../kernel/net/address.ts';
import type { Services } from '../../../kernel/services.ts';
import { view } from '../../../resources/records/records.ts';
import { defaultName } from './hostname.ts';
import { reverseRecordResource } from './resource.ts';
import { EFFECTIVE_WITHIN_SECONDS, exampleRecord, ReverseRecord } from './schema.ts';
import type { ReverseRecordRow } from './table.ts';

/** The name that the nameserver is to have; null: none. */
export function wantedName(
  { provider }: Pick<Services, 'provider'>,
  { hostname, address, location }: Pick<ReverseRecordRow, 'hostname' | 'address' | 'location'>,
): string | null {
  const parsed = parseAddress(address);
  return hostname ?? (parsed === null ? null : defaultName(parsed, location, provider));
}

export const recordEtag = ({ id, version }: ReverseRecordRow): string => etagOf(id, version);

export const recordView = view(
  { ...reverseRecordResource, etag: recordEtag },
  {
    path: '/ip-management/v1/dns/reverse-records',
    schema: ReverseRecord,
    example: exampleRecord,
    compute: (row: ReverseRecordRow, { services }) => ({
      address: parseAddress(row.address)?.text ?? row.address,
      address_id: row.address_id ?? '',
      family: row.address.includes(':') ? ('ipv6' as const) : ('ipv4' as const),
      hostname: wantedName(services, row),
      is_default: row.hostname === null,
      effective_within_seconds: EFFECTIVE_WITHIN_SECONDS,
    }),
  },
);
