/**
 * Public addresses as a resource. They stand below the families, because the machines of one family have the addresses
 * that customers reserve with another. The inventory and the meter know only what was reserved: an ephemeral address is
 * a part of its machine.
 */
import './table.ts';
import { Owned } from '../owned/owned.ts';
import { addressLife } from './lifecycle.ts';
import type { PublicAddressRow } from './table.ts';

type Block = Pick<PublicAddressRow, 'block'>;

/** Removes the prefix length from single IPv4 addresses. */
export const textOf = ({ block }: Block): string => block.replace(/\/32$/, '');

export const isIpv6 = ({ block }: Block): boolean => block.includes(':');

export const lengthOf = ({ block }: Block): number => Number(block.split('/')[1]);

/** The name of an address that nobody has named: `203-0-113-7`, `2001-db8-100-1-64`. */
export const ownName = ({ block }: Block): string =>
  block.replace(/\/32$/, '').replace(/:+\//, '-').replaceAll(/[.:/]/g, '-');

/** What a reserved address is priced by. */
export const configurationOf = (row: Block & Pick<PublicAddressRow, 'location'>) => ({
  location: row.location,
  family: isIpv6(row) ? 'ipv6' : 'ipv4',
  prefix_length: lengthOf(row),
});

export const addresses = new Owned({
  type: 'address',
  idPrefix: 'ip',
  table: 'public_addresses',
  words: 'public address',
  subject: 'The address',
  permission: 'ip-management:addresses:read',
  path: '/ip-management/v1/addresses/{id}',
  loses: 'Nobody can be reached there any more.',
  events: {
    reserved: { when: 'An address was reserved, or an ephemeral one was kept.' },
    updated: {
      when: 'The name, labels, description or protection of an address was changed.',
      says: 'was changed',
    },
    assigned: { when: 'An address was assigned to a machine that it was not taken from another for.' },
    moved: { when: 'An address was taken from one machine and assigned to another.' },
    unassigned: { when: 'An address was taken from its machine.' },
    null_routed: {
      severity: 'warning',
      when: 'The provider drops all traffic to an address, for example during an attack.',
      says: 'gets no traffic any more',
    },
    null_route_ended: {
      when: 'The provider no longer drops the traffic to an address.',
      says: 'gets traffic again',
    },
    released: { when: 'An address was given back. For 7 days, only its former account can have it again.' },
  },
  inventory: (row) =>
    row.kind === 'ephemeral'
      ? null
      : {
          status: row.status,
          location: row.location,
          configuration: row.provisioned_at === null ? null : configurationOf(row),
          keepsPrice: row.provisioned_at !== null && addressLife.transitional.includes(row.status),
        },
});
