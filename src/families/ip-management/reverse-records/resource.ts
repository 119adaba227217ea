import { eventTypesOf } from '../../../kernel/events/declaration.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { idPrefix } from '../../../kernel/ids.ts';
import type { Resource } from '../../../kernel/registry.ts';
import type { ResourceRef } from '../../../kernel/resource-ref.ts';
import { Named, Nullable, Shape, Type } from '../../../kernel/schema.ts';
import { PREFIX } from './record-id.ts';
import type { ReverseRecordRow } from './table.ts';

const TYPE = 'reverse_record';

// Reserves the prefix. The ids are made of the addresses.
idPrefix(TYPE, PREFIX);

const Details = Named(
  'ReverseRecordDetails',
  Shape(
    {
      address: Type.String({ description: 'The IPv4 or IPv6 address that the name is for.' }),
      hostname: Nullable(Type.String({ description: 'The name that it is to have; null: none.' })),
    },
    { description: 'The address, and the name that it is to have.' },
  ),
);

/** Not in the inventory: a record is a part of its address, and no call reads a single one. */
export const reverseRecordResource = {
  type: TYPE,
  words: 'reverse record',
  idPrefix: PREFIX,
  permission: 'ip-management:reverse-records:read',
  eventTypes: eventTypesOf(TYPE, {
    updated: { when: 'A call changed the name of an address.', data: Details },
    failed: {
      severity: 'error',
      when: 'The nameserver refused the name of an address. It is tried again by itself.',
      data: Details,
    },
  }),
} as const satisfies Resource & { readonly idPrefix: string };

export const recordRef = ({ id, address }: Pick<ReverseRecordRow, 'id' | 'address'>): ResourceRef => ({
  type: TYPE,
  id,
  name: address,
});

type Addressed = Pick<ReverseRecordRow, 'id' | 'address'>;

/** `hostname`: the name that the address has now. */
export const updatedEvent = (row: Addressed, hostname: string | null): NewEvent => ({
  type: `${TYPE}.updated`,
  resource: recordRef(row),
  message:
    hostname === null ? `The name of ${row.address} was removed.` : `${row.address} is named ${hostname}.`,
  data: { address: row.address, hostname },
});

export const failedEvent = (row: Addressed, hostname: string | null): NewEvent => ({
  type: `${TYPE}.failed`,
  resource: recordRef(row),
  message:
    hostname === null
      ? `The nameserver refused to remove the name of ${row.address}.`
      : `The nameserver refused the name ${hostname} of ${row.address}.`,
  data: { address: row.address, hostname },
});
