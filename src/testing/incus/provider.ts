/** The demo provider, with its first location served by an engine that is started for the test. */
import { parse } from 'yaml';
import type { ComputeSettings } from '../../engines/compute/settings.ts';
import { readDefaultText } from '../../provider/default.ts';
import type { ProviderConfig } from '../../provider/schema.ts';
import type { TestDaemon } from './daemon.ts';
import { type Furniture, furnish, POOL, PUBLIC_NETWORK } from './furnish.ts';

export const LOCATION = 'fra1';
/** An image that the demo provider sells there; on the engine, it is an alias of the test image. */
export const SYSTEM = 'ubuntu-24.04';
const OTHER_SYSTEM = 'debian-13';
/** Large enough for a few hundred disks; the file only takes up what is written. */
const ROOMY = '4TiB';

/** Uses the address range of the demo provider in this location. */
export const demoFurniture: Furniture = {
  poolSize: ROOMY,
  images: [SYSTEM, OTHER_SYSTEM],
  gateway: '203.0.113.1/25',
};

export const furnishForDemo = (daemon: TestDaemon, furniture: Furniture = {}): Promise<void> =>
  furnish(daemon, { ...demoFurniture, ...furniture });

export const computeAt = (
  { url }: Pick<TestDaemon, 'url'>,
  choices: Partial<ComputeSettings> = {},
): ComputeSettings => ({
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
  networks: null,
  ovn_uplink: null,
  ovn_northbound: null,
  ovn_certificate: null,
  ovn_key: null,
  ovn_authority: null,
  vpn_image: null,
  account_bounds: null,
  vcpu_overcommit: 64,
  reserve_percent: 0,
  ...choices,
});

/**
 * Only this location sells machines, so nothing is copied to others, and the disks are small enough for small pools.
 */
export const servedBy =
  (daemon: Pick<TestDaemon, 'url'>, choices: Partial<ComputeSettings> = {}) =>
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

/** Further members of the location. */
interface LocationChoices {
  readonly compute?: Partial<ComputeSettings>;
  readonly backups?: object;
}

/** The same as the text of a provider file, for an app in a process of its own. Everything else is as in the demo. */
export function writeProvider(
  daemon: Pick<TestDaemon, 'url'>,
  adapt: (catalogue: DemoCatalogue) => Partial<DemoCatalogue> = () => ({}),
  { compute: choices = {}, ...ofLocation }: LocationChoices = {},
): string {
  const { provider, catalogue } = parse(readDefaultText()) as { provider: object; catalogue: DemoCatalogue };
  const { driver, url, storage_pool, public_network, vcpu_overcommit } = computeAt(daemon);
  const compute = { driver, url, storage_pool, public_network, vcpu_overcommit, ...choices };
  const locations = catalogue.locations.map((location) => ({
    ...location,
    ...(location.slug === LOCATION
      ? { compute, ...ofLocation }
      : { compute: { driver: 'sandbox', pace: 0 } }),
  }));
  return JSON.stringify({ provider, catalogue: { ...catalogue, locations, ...adapt(catalogue) } });
}
