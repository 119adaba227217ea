/** Prices of volumes (by tier and size) and of images, ISOs, backups and snapshots (by the space their data takes). */
import { micro } from '../../../kernel/micro.ts';
import { Nullable, Shape, Slug, Type } from '../../../kernel/schema.ts';
import { count } from '../../../money/prices/bill.ts';
import { IDENTITY, type PricedType, pricedType } from '../../../money/prices/priced-type.ts';
import { copySales, volumeSales } from './sales.ts';

export const volume = pricedType({
  family: 'flexible-vps',
  place: 'location',
  configuration: Shape({
    location: Slug,
    size_gb: Type.Integer({ minimum: 10, maximum: 10_000 }),
    tier: Type.Optional(Nullable(Slug)),
  }),
  ignored: [...IDENTITY, 'vm_id', 'source_snapshot_id'],
  sales: volumeSales,
  draw(configuration, bill) {
    const location = bill.location(configuration.location, '/location');
    const tiers = bill.book.catalogue.volume_tiers;
    const tier = configuration.tier ? tiers.find(({ slug }) => slug === configuration.tier) : tiers[0];
    if (!tier) {
      bill.unknown(
        '/tier',
        'volume tier',
        configuration.tier ?? '',
        tiers.map(({ slug }) => slug),
      );
    }
    if (!bill.sound || !location || !tier) return;
    if (!tier.locations.includes(location.slug) || !location.features.includes('volumes')) {
      bill.unavailable(`Volumes of tier ${tier.slug} are not sold in ${location.slug}.`, '/location');
    }
    const description = `Volume ${tier.slug}, ${configuration.size_gb} GB, ${location.slug}`;
    bill.charge(tier.sku, location.slug, { description, each: count(configuration.size_gb) });
    bill.demand('flexible-vps.volumes', 1);
  },
});

/** A priced type whose data is stored apart from the disk of a machine: an image, ISO, backup or snapshot. */
interface Copy {
  readonly noun: string;
  readonly sku: string;
  readonly limit: string | null;
  readonly ignored: readonly string[];
}

function copy({ noun, sku, limit, ignored }: Copy): PricedType {
  return pricedType({
    family: 'flexible-vps',
    place: 'location',
    configuration: Shape({ location: Slug, size_gb: Type.Number({ minimum: 0, maximum: 100_000 }) }),
    ignored: [...IDENTITY, ...ignored],
    usage: ['download_gb'],
    sales: copySales(sku),
    draw(configuration, bill) {
      const location = bill.location(configuration.location, '/location');
      if (!location) return;
      const description = `${noun}, ${configuration.size_gb} GB, ${location.slug}`;
      bill.charge(sku, location.slug, { description, each: micro(configuration.size_gb) });
      bill.chargeUsage('download_gb', 'traffic.out', location.slug, { noun: 'Downloads', unit: 'GB' });
      if (limit) bill.demand(limit, 1);
    },
  });
}

export const image = copy({
  noun: 'Image',
  sku: 'vps.image',
  limit: 'flexible-vps.images',
  ignored: ['source'],
});

export const iso = copy({
  noun: 'ISO',
  sku: 'vps.iso',
  limit: 'flexible-vps.isos',
  ignored: ['url', 'sha256', 'architecture'],
});

export const backup = copy({
  noun: 'Backup',
  sku: 'vps.backup',
  limit: 'flexible-vps.backups',
  ignored: ['vm_id', 'expires_at', 'quiesce'],
});

/** Counts against no limit: the snapshot limit is per machine, and a bill has no information about the machine. */
export const snapshot = copy({
  noun: 'Snapshot',
  sku: 'vps.snapshot',
  limit: null,
  ignored: ['vm_id', 'expires_at', 'quiesce'],
});
