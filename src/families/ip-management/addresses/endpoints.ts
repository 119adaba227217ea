import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { Shape, Type } from '../../../kernel/schema.ts';
import { written } from '../../../kernel/text-patterns.ts';
import { addressLife } from '../../../resources/addresses/lifecycle.ts';
import { listOf, readOf } from '../../../resources/records/records.ts';
import { LocationRef, VmRef } from '../../flexible-vps/offers.ts';
import { addressView } from './present.ts';
import { Kind, Version } from './schema.ts';
import { contains, findIdAt, isAssignedTo, isOfVersion } from './store.ts';
import { updateAddress } from './update.ts';

const listAddresses = listOf(addressView, {
  id: 'listAddresses',
  description: 'All addresses that the account holds, also those that live with a machine or a VPN gateway.',
  query: ResourceQuery({
    location: Type.Optional({ ...LocationRef, description: 'Only addresses of this location.' }),
    status: Type.Optional({ ...addressLife.Status, description: 'Only addresses in this state.' }),
    family: Type.Optional({ ...Version, description: 'Only addresses of this version of IP.' }),
    kind: Type.Optional({ ...Kind, description: 'Only addresses of this kind.' }),
    assigned_to: Type.Optional({ ...VmRef, description: 'Only addresses that this machine has.' }),
    contains: Type.Optional(
      Type.String({
        maxLength: 45,
        ...addressFor('filter'),
        description: 'Only the address or block that contains this address.',
      }),
    ),
  }),
  where: ({ query: { location, status, kind } }) => ({ location, status, kind }),
  also: ({ family, assigned_to, contains: text }) => [
    ...(family === undefined ? [] : [isOfVersion(family === 'ipv4' ? 4 : 6)]),
    ...(assigned_to === undefined ? [] : [isAssignedTo(assigned_to)]),
    ...(text === undefined ? [] : [contains(text)]),
  ],
});

const IdOrAddress = Shape({
  id: Type.Unsafe<string>({
    type: 'string',
    maxLength: 45,
    ...written(
      '^(ip_[0-7][0-9a-hjkmnp-tv-z]{25}|[0-9a-fA-F.:]+)$',
      'Must be an address, or an id that starts with ip_.',
    ),
    description: 'Its id, or an address in it, such as `203.0.113.7` or `2001:db8::1`.',
  }),
});

const getAddress = readOf(addressView, {
  id: 'getAddress',
  params: IdOrAddress,
  async read(call) {
    const { db, caller, params } = call;
    const id = params.id.startsWith('ip_') ? params.id : await findIdAt(db, caller.account.id, params.id);
    return id === undefined ? undefined : addressView.find(call, id);
  },
});

export const addressEndpoints = [listAddresses, getAddress, updateAddress];
