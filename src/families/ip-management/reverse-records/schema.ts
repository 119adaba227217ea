import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { exampleOf } from '../../../kernel/examples.ts';
import { dateFilters, ListQuery } from '../../../kernel/pages/list.ts';
import {
  byProvider,
  CreatedAt,
  Etag,
  Id,
  label,
  Named,
  Nullable,
  OneOf,
  OwnId,
  Shape,
  type Static,
  Time,
  Type,
  UpdatedAt,
  volatile,
} from '../../../kernel/schema.ts';
import { written } from '../../../kernel/text-patterns.ts';
import { AddressRef } from '../references.ts';
import { reverseRecordLife } from './lifecycle.ts';
import { PREFIX, recordIdOf } from './record-id.ts';

/** For how long resolvers may keep an answer. */
const TTL = { minimum: 300, maximum: 86_400, 'x-unit': 'seconds' } as const;
export const DEFAULT_TTL = 3600;
/** Until a change is seen everywhere, apart from resolvers that keep the former answer. */
export const EFFECTIVE_WITHIN_SECONDS = 300;

const Hostname = Type.String({ minLength: 1, maxLength: 254 });

export const ReverseRecord = Named(
  'ReverseRecord',
  Shape({
    id: OwnId(PREFIX),
    address: Type.String({ ...byProvider, description: 'The IPv4 or IPv6 address.' }),
    address_id: Id('ip', {
      ...label('Address or prefix'),
      description: 'The address or prefix of your account that has it.',
    }),
    family: OneOf({ ipv4: 'An IPv4 address.', ipv6: 'An IPv6 address.' }, { description: 'The IP version.' }),
    hostname: Nullable({
      ...Hostname,
      description: 'The name that the nameserver answers for the address. Null: none.',
    }),
    is_default: Type.Boolean({
      description: 'Whether nobody has set a name. IPv4 addresses then have one that the provider makes.',
    }),
    ttl_seconds: Type.Integer({
      ...TTL,
      ...label('Time to live'),
      description: 'For how long resolvers may keep the answer.',
    }),
    forward_confirmed: OneOf(
      {
        yes: 'The name leads back to the address.',
        no: 'The name does not lead back to the address. Many mail servers then refuse mail from it.',
        unknown: 'Not looked up yet, or no resolver answered. Default names are not looked up.',
      },
      {
        ...volatile,
        description:
          'Whether the DNS has an A or AAAA record that leads from the name back to the address. Looked up when the name is set, and again after 5 minutes, an hour and a day.',
      },
    ),
    forward_checked_at: Nullable({
      ...Time,
      ...volatile,
      description: 'When the name was looked up last.',
    }),
    sync_status: reverseRecordLife.ShownStatus,
    sync_error: Nullable(
      Type.String({
        ...byProvider,
        ...volatile,
        description: 'Why the nameserver refused the record. Null unless `sync_status` is `failed`.',
      }),
    ),
    effective_within_seconds: Type.Integer({
      'x-unit': 'seconds',
      description:
        'How long it takes at most until everybody sees a change, apart from resolvers that keep the former answer for its `ttl_seconds`.',
    }),
    etag: Etag,
    created_at: { ...CreatedAt, description: 'Since when the address has a record in your account.' },
    updated_at: UpdatedAt,
  }),
  { columns: ['address', 'hostname', 'sync_status', 'forward_confirmed'] },
);
export type ReverseRecord = Static<typeof ReverseRecord>;

export const SetReverseRecord = Shape({
  hostname: Nullable({
    ...Hostname,
    ...addressFor('host_name'),
    description:
      'The full name, such as mail.example.com. Null: the default name of an IPv4 address, no name for an IPv6 address. Stored as the DNS has it: in small letters, in ASCII, without a dot at the end.',
  }),
  ttl_seconds: Type.Optional(
    Type.Integer({
      ...TTL,
      ...label('Time to live'),
      default: DEFAULT_TTL,
      description: 'For how long resolvers may keep the answer.',
    }),
  ),
});
export type SetReverseRecord = Static<typeof SetReverseRecord>;

export const RecordParams = Shape({
  id: Type.Unsafe<string>({
    type: 'string',
    maxLength: 64,
    ...written(
      `^(${PREFIX}_[0-7][0-9a-hjkmnp-tv-z]{25}|[0-9]{1,3}(\\.[0-9]{1,3}){3}|[0-9a-fA-F:]*:[0-9a-fA-F:.]*)$`,
      `Must be an address such as 203.0.113.20 or 2001:db8::1, or an id that starts with ${PREFIX}_.`,
    ),
    description:
      'The address itself, such as 203.0.113.20 or 2001:db8::1, or the id of its record. Any address that your account holds, also one of an IPv6 prefix that has no record yet.',
  }),
});

export const ReverseRecordsQuery = ListQuery(
  {
    address: Type.Optional(
      Type.String({
        maxLength: 45,
        ...addressFor('filter'),
        description: 'Only the record of this address.',
      }),
    ),
    address_id: Type.Optional({
      ...AddressRef,
      description: 'Only records of this address, or of addresses in this prefix or subnet.',
    }),
    cidr: Type.Optional(
      Type.String({
        maxLength: 49,
        ...addressFor('filter'),
        description: 'Only records of addresses in this range, such as 198.51.100.0/24.',
      }),
    ),
    hostname: Type.Optional(
      Type.String({
        maxLength: 254,
        ...addressFor('filter'),
        description: 'Only records with exactly this name, in small or capital letters.',
      }),
    ),
    sync_status: Type.Optional({
      ...reverseRecordLife.Status,
      description: 'Only records in this state.',
    }),
    ...dateFilters,
  },
  { sort: ['address', '-address', 'created_at', '-created_at', 'updated_at', '-updated_at'] },
);
export type ReverseRecordsQuery = Static<typeof ReverseRecordsQuery>;

const address = { family: 4, w0: 0, w1: 0, w2: 0xffff, w3: 0xcb007114 | 0, text: '203.0.113.20' } as const;

export const exampleRecord = exampleOf(ReverseRecord, {
  id: recordIdOf(address),
  address: address.text,
  address_id: 'ip_01jqzv2m7xe9rs5d3k8w4t6y0b',
  family: 'ipv4',
  hostname: 'mail.example.com',
  is_default: false,
  ttl_seconds: DEFAULT_TTL,
  forward_confirmed: 'yes',
  forward_checked_at: '2026-03-01T10:00:00.000Z',
  sync_status: 'synced',
  sync_error: null,
  effective_within_seconds: EFFECTIVE_WITHIN_SECONDS,
});
