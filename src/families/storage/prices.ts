/** The priced types of the family: object storage costs by stored data, traffic and requests. An empty bucket is free. */
import { Shape, Slug } from '../../kernel/schema.ts';
import { IDENTITY, type PricedTypes, pricedType } from '../../money/prices/priced-type.ts';
import type { UsageKey } from '../../money/prices/usage.ts';
import { namedSales } from '../../provider/sale.ts';

const MILLION = 1_000_000;

const objectStorage = pricedType({
  family: 'storage',
  place: 'region',
  configuration: Shape({ region: Slug }),
  ignored: [...IDENTITY, 'versioning', 'object_lock', 'public_access', 'quota', 'deletion_protection'],
  usage: ['stored_gb_average', 'egress_gb', 'read_requests', 'write_requests'],
  sales(draft) {
    const places = draft.entries('object_storage/regions').map(({ value }) => value.location);
    return [
      ...namedSales(places, { billing: 'metered', unit: 'gb_month' }, 's3.storage'),
      ...namedSales(places, { billing: 'metered', unit: 'gb' }, 's3.egress'),
      ...namedSales(
        places,
        { billing: 'metered', unit: 'million_requests' },
        's3.requests-read',
        's3.requests-write',
      ),
    ];
  },
  draw(configuration, bill) {
    const region = bill.location(configuration.region, '/region')?.slug;
    if (region === undefined) return;
    if (!bill.book.catalogue.object_storage.regions.some(({ location }) => location === region)) {
      bill.unavailable(`Object storage is not sold in ${region}.`, '/region');
    }
    const charge = (key: UsageKey, sku: string, noun: string, unit: string, divisor = 1): void =>
      bill.chargeUsage(key, sku, region, { noun, unit, divisor, always: true });
    charge('stored_gb_average', 's3.storage', 'Stored data', 'GB');
    charge('egress_gb', 's3.egress', 'Outgoing traffic', 'GB');
    charge('read_requests', 's3.requests-read', 'Read requests', 'million', MILLION);
    charge('write_requests', 's3.requests-write', 'Write requests', 'million', MILLION);
    bill.demand('storage.buckets', 1);
  },
});

export const storagePrices: PricedTypes = { object_storage: objectStorage };
