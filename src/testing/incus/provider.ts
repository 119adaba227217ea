/** The demo provider, but that its first location is served by an engine of the test's own. */
import { parse } from 'yaml';
import type { ComputeDriver } from '../../provider/compute.ts';
import { readDefaultText } from '../../provider/default.ts';
import type { ProviderConfig } from '../../provider/schema.ts';
import type { TestDaemon } from './daemon.ts';
import { type Furniture, furnish, POOL, PUBLIC_NETWORK } from './furnish.ts';

export const LOCATION = 'fra1';
/** What the demo provider sells there; the engine knows it as the image that tests build. */
export const SYSTEM = 'ubuntu-24.04';
const OTHER_SYSTEM = 'debian-13';
/** As large as a few hundred disks, and only as much of it as is written. */
const ROOMY = '4TiB';

/** With the addresses that the demo provider has there. */
export const demoFurniture: Furniture = {
  poolSize: ROOMY,
  images: [SYSTEM, OTHER_SYSTEM],
  gateway: '203.0.113.1/25',
};

export const furnishForDemo = (daemon: TestDaemon, furniture: Furniture = {}): Promise<void> =>
  furnish(daemon, { ...demoFurniture, ...furniture });

export const computeAt = (
  { url }: Pick<TestDaemon, 'url'>,
  choices: Partial<ComputeDriver> = {},
): ComputeDriver => ({
  driver: 'incus',
  pace: null,
  url,
  other_urls: null,
  client_certificate: null,
  client_key: null,
  server_certificate: null,
  instance_type: null,
  storage_pool: POOL,
  public_network: PUBLIC_NETWORK,
  account_bounds: null,
  vcpu_overcommit: 64,
  reserve_percent: 0,
  ...choices,
});

/** Machines are sold in the one location, so that nothing is copied to others, and with disks that fit into small pools. */
export const servedBy =
  (daemon: Pick<TestDaemon, 'url'>, choices: Partial<ComputeDriver> = {}) =>
  (config: ProviderConfig): ProviderConfig => {
    const { catalogue } = config;
    const locations = catalogue.locations.map((location) => ({
      ...location,
      compute: location.slug === LOCATION ? computeAt(daemon, choices) : null,
    }));
    const address_pools = catalogue.address_pools.map((pool) =>
      pool.location === LOCATION && pool.purpose === 'single' && !pool.cidr.includes(':')
        ? { ...pool, cidr: '203.0.113.0/25' }
        : pool,
    );
    const plans = catalogue.plans.map((plan) => ({ ...plan, disk_gb: 1 }));
    const images = catalogue.images.map((image) => ({ ...image, min_disk_gb: 1 }));
    return { ...config, catalogue: { ...catalogue, locations, address_pools, plans, images } };
  };

interface DemoCatalogue {
  readonly locations: readonly { readonly slug: string }[];
  readonly plans: readonly object[];
  readonly images: readonly object[];
  readonly limits: readonly { readonly id: string }[];
  readonly address_pools: readonly { readonly slug: string }[];
}

/** The same as a provider's file, for a product that runs in a process of its own; else with what the demo sells. */
export function writeProvider(
  daemon: Pick<TestDaemon, 'url'>,
  adapt: (catalogue: DemoCatalogue) => Partial<DemoCatalogue> = () => ({}),
): string {
  const { catalogue } = parse(readDefaultText()) as { catalogue: DemoCatalogue };
  const { driver, url, storage_pool, public_network, vcpu_overcommit } = computeAt(daemon);
  const compute = { driver, url, storage_pool, public_network, vcpu_overcommit };
  const locations = catalogue.locations.map((location) => ({
    ...location,
    compute: location.slug === LOCATION ? compute : { driver: 'sandbox', pace: 0 },
  }));
  return JSON.stringify({ catalogue: { locations, ...adapt(catalogue) } });
}
