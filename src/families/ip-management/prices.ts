/** The priced types of the family: a reserved address, or a block of addresses. */
import { Nullable, OneOf, Shape, Slug, Type } from '../../kernel/schema.ts';
import { type Bill, count } from '../../money/prices/bill.ts';
import { IDENTITY, type PricedTypes, pricedType } from '../../money/prices/priced-type.ts';
import { namedSales } from '../../provider/sale.ts';
import { locationsWith, machineLocations } from '../flexible-vps/offers.ts';

/** The prefix lengths that can be ordered; the first one is the default. */
const PREFIXES = { ipv4: [32, 29, 28, 27], ipv6: [64, 56, 48] } as const;

const perHour = { billing: 'hourly_capped', unit: 'hour' } as const;

const address = pricedType({
  family: 'ip-management',
  place: 'location',
  configuration: Shape({
    location: Slug,
    family: OneOf(['ipv4', 'ipv6']),
    prefix_length: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 128 }))),
  }),
  ignored: [...IDENTITY, 'address', 'assign_to', 'justification'],
  sales: (draft) => [
    ...namedSales(machineLocations(draft), perHour, 'ip.ipv4', 'ip.ipv4-subnet'),
    ...namedSales(locationsWith(draft, 'ipv6'), perHour, 'ip.ipv6'),
  ],
  draw(configuration, bill) {
    const location = bill.location(configuration.location, '/location');
    const offered: readonly number[] = PREFIXES[configuration.family];
    const length = configuration.prefix_length ?? PREFIXES[configuration.family][0];
    if (!offered.includes(length)) {
      bill.fail(
        '/prefix_length',
        'out_of_range',
        `Must be one of ${offered.join(', ')}; ask your provider for larger blocks.`,
      );
    }
    if (!bill.sound || !location) return;
    if (configuration.family === 'ipv6') {
      if (!location.features.includes('ipv6')) {
        bill.unavailable(`IPv6 is not sold in ${location.slug}.`, '/location');
      }
      bill.charge('ip.ipv6', location.slug, { description: `IPv6 prefix /${length}`, each: count(1) });
      bill.demand('ip-management.ipv6-prefixes', 1, location.slug);
    } else drawIpv4(bill, location.slug, length);
  },
});

export const ipManagementPrices: PricedTypes = { address };

function drawIpv4(bill: Bill, location: string, length: number): void {
  if (length === 32) {
    bill.charge('ip.ipv4', location, { description: 'Reserved IPv4', each: count(1) });
    bill.demand('ip-management.ipv4-addresses', 1, location);
    return;
  }
  const addresses = 2 ** (32 - length);
  const description = `IPv4 subnet /${length}, ${addresses} addresses`;
  bill.charge('ip.ipv4-subnet', location, { description, each: count(addresses) });
  bill.demand('ip-management.ipv4-subnets', 1, location);
}
