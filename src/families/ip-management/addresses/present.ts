import { exampleOf } from '../../../kernel/examples.ts';
import { cidrFacts } from '../../../resources/addresses/facts.ts';
import { addresses, isIpv6 } from '../../../resources/addresses/resource.ts';
import { FREE, priceShown } from '../../../resources/inventory/cost.ts';
import { view } from '../../../resources/records/records.ts';
import { Address } from './schema.ts';
import { addressParts, type Billed } from './store.ts';

function amountsOf(billed: Billed) {
  if (billed?.hourly == null || billed.monthly == null) return FREE;
  return { hourly: BigInt(billed.hourly), monthly: BigInt(billed.monthly) };
}

const exampleVm = 'vm_01jqzvbw8fh0xtq5a2k7r9t1mz';

export const addressView = view(addresses, {
  schema: Address,
  more: addressParts,
  example: exampleOf(Address, {
    name: 'shop',
    location: 'fra1',
    cidr: '203.0.113.7/32',
    address: '203.0.113.7',
    prefix_length: 32,
    family: 'ipv4',
    kind: 'reserved',
    gateway: '203.0.113.1',
    netmask: '255.255.255.128',
    status: 'assigned',
    assignment: { type: 'vm', id: exampleVm, name: 'web-1', since: '2026-03-01T10:00:05.000Z' },
    releasable: true,
    price: { hourly: '0.000700', monthly: '0.50', currency: 'EUR' },
  }),
  compute: (row, { services }) => {
    const { holder, null_route_reason: reason, null_route_since: since } = row;
    return {
      ...cidrFacts(row, services.provider.catalogue.address_pools),
      family: isIpv6(row) ? ('ipv6' as const) : ('ipv4' as const),
      assignment:
        holder === null
          ? null
          : {
              type: holder.type,
              id: holder.id,
              name: holder.name ?? holder.id,
              since: (row.assigned_at ?? row.created_at).toISOString(),
            },
      null_route:
        reason === null || since === null
          ? null
          : {
              reason,
              since: since.toISOString(),
              until: row.null_route_until?.toISOString() ?? null,
            },
      protection: { delete: row.protected },
      releasable: row.kind !== 'ephemeral',
      price: priceShown(services, amountsOf(row.billed)),
    };
  },
});
