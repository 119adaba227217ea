/**
 * Schema of the catalogue: everything that the provider sells. Each entry has a slug that clients use and one or more
 * SKUs in the price list. Stored machines refer to slugs, so an entry that is no longer sold gets a `removed_at` date
 * instead of being deleted.
 */
import { familyNames } from '../kernel/families.ts';
import { Nullable, OneOf, Shape, Slug, type Static, type TSchema, Type } from '../kernel/schema.ts';
import { Datacenter, Dedicated } from './metal.ts';
import { PriceEntry } from './price-entry.ts';
import { Count, Country, Day, Default, ListOf, Sku, Text, Whole } from './words.ts';

const Architecture = OneOf(['amd64', 'arm64']);

const Retired = {
  deprecated_at: Default(Nullable(Day), null),
  removed_at: Default(Nullable(Day), null),
};

const Product = Shape({
  family: OneOf(familyNames),
  name: Text,
  /** Whether a new account can use the product family at once. */
  enabled: Default(Type.Boolean(), true),
});

/** A location also has the settings of each engine port (`port-settings.ts`). */
const place = {
  slug: Slug,
  name: Text,
  country: Country,
  city: Text,
  network_zone: Slug,
  architectures: ListOf(Architecture, { minItems: 1, uniqueItems: true }),
  features: Default(
    ListOf(OneOf(['ipv6', 'volumes', 'vpn', 'live_resize', 'nested_virtualization']), { uniqueItems: true }),
    [],
  ),
  status: Default(OneOf(['available', 'limited', 'full', 'maintenance']), 'available'),
};
const Place = Shape(place);

/** The members of a location that ports bring. Each port adds its own beside its settings. */
// biome-ignore lint/suspicious/noEmptyInterface: the ports add its members.
export interface LocationPorts {}

export type Location = Static<typeof Place> & LocationPorts;

export const Plan = Shape({
  slug: Slug,
  name: Text,
  category: OneOf(['shared', 'dedicated']),
  architecture: Architecture,
  vcpus: Count,
  memory_mb: Count,
  disk_gb: Count,
  traffic_gb_per_month: Whole,
  network_mbps: Count,
  locations: ListOf(Slug, { minItems: 1, uniqueItems: true }),
  sku: Sku,
  /** If `true`, a stopped machine is still billed for its plan. Extra disk and addresses are always billed. */
  billed_while_stopped: Default(Type.Boolean(), false),
  ...Retired,
});

const Bounds = Shape({ min: Count, max: Count, step: Default(Count, 1) });

/** Machines of a size that the customer chooses: vCPUs, memory and disk are priced separately. */
export const CustomPlan = Shape({
  architecture: Architecture,
  traffic_gb_per_month: Whole,
  network_mbps: Count,
  locations: ListOf(Slug, { minItems: 1, uniqueItems: true }),
  billed_while_stopped: Default(Type.Boolean(), false),
  limits: Shape({
    vcpus: Bounds,
    memory_mb: Bounds,
    disk_gb: Bounds,
    memory_mb_per_vcpu: Shape({ min: Count, max: Count }),
  }),
});

export const Image = Shape({
  slug: Slug,
  name: Text,
  os: Shape({ family: OneOf(['linux', 'windows', 'bsd']), distribution: Slug, version: Text }),
  architecture: Architecture,
  boot_mode: Default(OneOf(['uefi', 'bios']), 'uefi'),
  secure_boot: Default(Type.Boolean(), false),
  min_disk_gb: Count,
  min_memory_mb: Count,
  default_user: Text,
  cloud_init: Default(Type.Boolean(), true),
  guest_agent: Default(Type.Boolean(), true),
  licence_sku: Default(Nullable(Sku), null),
  /** The day on which the image was first offered. */
  added_on: Default(Day, '2025-01-01'),
  ...Retired,
});

/** A disc that machines can have in their drive. */
export const Iso = Shape({
  slug: Slug,
  name: Text,
  architecture: Architecture,
  /** The day on which the ISO was first offered. */
  added_on: Default(Day, '2025-01-01'),
});

/** A storage class for volumes. The first tier of the list is the default for new volumes. */
const VolumeTier = Shape({
  slug: Slug,
  name: Text,
  locations: ListOf(Slug, { minItems: 1, uniqueItems: true }),
  sku: Sku,
});

const Kubernetes = Shape({
  regions: Default(ListOf(Slug, { uniqueItems: true }), []),
  node_plans: Default(ListOf(Slug, { uniqueItems: true }), []),
  tiers: Default(
    ListOf(Shape({ slug: OneOf(['standard', 'ha']), name: Text, replicas: Count, sku: Sku })),
    [],
  ),
  versions: Default(
    ListOf(
      Shape({
        version: Type.String({ pattern: '^\\d+\\.\\d+\\.\\d+$', examples: ['1.34.2'] }),
        support: OneOf(['preview', 'supported', 'deprecated']),
        end_of_life_on: Day,
      }),
    ),
    [],
  ),
});

const ObjectStorage = Shape({
  regions: Default(
    ListOf(
      Shape({
        location: Slug,
        s3_endpoint_url: Type.String({ pattern: '^https?://[^\\s@]+$', maxLength: 255 }),
        virtual_host_suffix: Text,
        max_object_gb: Default(Count, 5000),
      }),
    ),
    [],
  ),
});

const Monitoring = Shape({
  probe_regions: Default(ListOf(Shape({ slug: Slug, name: Text })), []),
});

const AddressPool = Shape({
  slug: Slug,
  location: Slug,
  cidr: Type.String({ maxLength: 64 }),
  /** `single`: addresses and prefixes are allocated one by one; `subnet`: routed blocks for dedicated servers. */
  purpose: OneOf(['single', 'subnet']),
});

export const LimitEntry = Shape({
  id: Type.String({ pattern: '^[a-z][a-z-]*\\.[a-z0-9-]+$', maxLength: 80, examples: ['flexible-vps.vms'] }),
  name: Text,
  unit: Text,
  /** `null`: unlimited; usage is only counted. */
  limit: Nullable(Whole),
  scope: OneOf(['account', 'location', 'parent']),
  raisable: Default(Type.Boolean(), true),
  maximum_on_request: Default(Nullable(Whole), null),
});

/** A provider who does not sell something leaves its section out. */
const sections = {
  version: Text,
  products: ListOf(Product),
  plans: Default(ListOf(Plan), []),
  custom_plan: Default(Nullable(CustomPlan), null),
  images: Default(ListOf(Image), []),
  isos: Default(ListOf(Iso), []),
  volume_tiers: Default(ListOf(VolumeTier), []),
  kubernetes: Default(Kubernetes, {}),
  dedicated: Default(Dedicated, {}),
  object_storage: Default(ObjectStorage, {}),
  datacenter: Default(Datacenter, {}),
  monitoring: Default(Monitoring, {}),
  address_pools: Default(ListOf(AddressPool), []),
  prices: Default(ListOf(PriceEntry), []),
  limits: ListOf(LimitEntry),
};
const Sections = Shape(sections);

export type Catalogue = Static<typeof Sections> & { locations: Location[] };

/** `ports`: the schemas of the members that engine ports bring to each location. */
export const catalogueWith = (ports: Readonly<Record<string, TSchema>>) =>
  Shape({ ...sections, locations: ListOf(Shape({ ...place, ...ports }), { minItems: 1 }) });

export type Plan = Static<typeof Plan>;
export type CustomPlan = Static<typeof CustomPlan>;
export type Image = Static<typeof Image>;
export type Iso = Static<typeof Iso>;
export type LimitEntry = Static<typeof LimitEntry>;
export type AddressPool = Static<typeof AddressPool>;
