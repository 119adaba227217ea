/** Schemas of the physical products: dedicated servers, and the datacenter sites that house customers' equipment. */
import { Nullable, OneOf, Shape, Slug, type Static, Type } from '../kernel/schema.ts';
import { Count, Default, ListOf, Sku, Text, Whole } from './words.ts';

/** Each contract term has its own SKU, so its price is in the price list and no code computes discounts. */
const Months = Type.Unsafe<1 | 12 | 24 | 36>({ type: 'integer', enum: [1, 12, 24, 36] });
const Terms = ListOf(Shape({ months: Months, sku: Sku }), { minItems: 1, maxItems: 4 });

const DedicatedProduct = Shape({
  slug: Slug,
  name: Text,
  cpu: Text,
  cores: Count,
  memory_gb: Count,
  disks: ListOf(Shape({ kind: OneOf(['nvme', 'ssd', 'hdd']), count: Count, size_gb: Count }), {
    minItems: 1,
  }),
  sites: ListOf(Shape({ site: Slug, stock: Whole }), { minItems: 1 }),
  terms: Terms,
  /** The first uplink is the default for orders that name none. */
  uplinks: ListOf(Shape({ slug: Slug, name: Text, mbps: Count, sku: Default(Nullable(Sku), null) }), {
    minItems: 1,
  }),
  extra_ipv4_max: Default(Type.Integer({ minimum: 0, maximum: 16 }), 16),
  traffic: Shape({ basis: OneOf(['volume', 'unmetered']), included_gb: Default(Whole, 0) }),
  delivery_minutes: Shape({ typical: Count, max: Count }),
  operating_systems: ListOf(Slug, { uniqueItems: true }),
});

const OperatingSystem = Shape({
  slug: Slug,
  name: Text,
  filesystems: ListOf(OneOf(['ext4', 'xfs', 'btrfs', 'zfs', 'ntfs']), { uniqueItems: true }),
  custom_partitioning: Default(Type.Boolean(), true),
  licence_sku: Default(Nullable(Sku), null),
});

export const Dedicated = Shape({
  operating_systems: Default(ListOf(OperatingSystem), []),
  products: Default(ListOf(DedicatedProduct), []),
});

export const crossConnectMedia = ['single_mode', 'multi_mode', 'cat6a', 'coax'] as const;

const Site = Shape({
  slug: Slug,
  name: Text,
  /** The location whose prices and network the site uses. */
  location: Slug,
  timezone: Text,
  address_lines: ListOf(Text, { minItems: 1, maxItems: 8 }),
  halls: ListOf(Shape({ slug: Slug, name: Text, max_kw_per_rack: Count })),
  access: Shape({ hours: Text, visit_lead_minutes: Whole, emergency_lead_minutes: Whole }),
  remote_hands: Shape({
    increment_minutes: Count,
    response_minutes: Shape({ standard: Count, expedited: Count, emergency: Count }),
  }),
  shipping: Shape({ hours: Text, free_storage_days: Whole, max_package_kg: Count }),
  carriers: ListOf(Text),
  cross_connects: ListOf(Shape({ media: OneOf(crossConnectMedia), install_days: Count, terms: Terms })),
});

export const Datacenter = Shape({ sites: Default(ListOf(Site), []) });

export type DedicatedProduct = Static<typeof DedicatedProduct>;
export type Site = Static<typeof Site>;
