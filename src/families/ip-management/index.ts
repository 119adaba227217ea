import { computePort } from '../../engines/compute/port.ts';
import { dnsPort } from '../../engines/dns/port.ts';
import type { Family } from '../../kernel/registry.ts';
import { countReserved, RESERVED_LIMITS } from '../../resources/addresses/availability/store.ts';
import { holdingExpiry } from '../../resources/addresses/ledger/expiry.ts';
import { addressLife } from '../../resources/addresses/lifecycle.ts';
import { addresses } from '../../resources/addresses/resource.ts';
import { releaseAddress } from './address-release/endpoint.ts';
import { reserveAddress } from './address-reservation/endpoint.ts';
import { addressEndpoints } from './addresses/endpoints.ts';
import { setAddressAssignment } from './assignment/endpoint.ts';
import { unassignAddressKind } from './assignment/kinds.ts';
import { nullRouteExpiry } from './null-routes/expiry.ts';
import { routeAddressKind } from './null-routes/kind.ts';
import { ipManagementPrices } from './prices.ts';
import { listReverseRecords } from './reverse-records/endpoints.ts';
import { examineReverseRecords } from './reverse-records/examination.ts';
import { reverseRecordLife } from './reverse-records/lifecycle.ts';
import { reverseRecordResource } from './reverse-records/resource.ts';
import { forwardChecks, nameDrift, names } from './reverse-records/schedules.ts';
import { setReverseRecord } from './reverse-records/set.ts';
import { countReverseRecords } from './reverse-records/store.ts';
import { topics } from './topics.ts';

export const ipManagement: Family = {
  name: 'ip-management',
  title: 'IP Management',
  description: 'Public addresses and their names in the DNS.',
  topics,
  endpoints: [
    ...addressEndpoints,
    reserveAddress,
    releaseAddress,
    setAddressAssignment,
    listReverseRecords,
    setReverseRecord,
  ],
  pricedTypes: ipManagementPrices,
  resources: [addresses, reverseRecordResource],
  lifecycles: [addressLife, reverseRecordLife],
  limitCounts: [
    ...RESERVED_LIMITS.map((limit) => ({
      limits: [limit],
      query: (accountId: string, location: string | null) => countReserved(limit, accountId, location),
    })),
    { limits: ['ip-management.reverse-records'], query: countReverseRecords },
  ],
  kinds: [routeAddressKind, unassignAddressKind],
  schedules: [holdingExpiry, nullRouteExpiry, nameDrift, names, forwardChecks],
  ports: [computePort, dnsPort],
  examine: examineReverseRecords,
};
