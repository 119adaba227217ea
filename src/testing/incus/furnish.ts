/**
 * Sets up what a provider prepares once on an engine before a location can use it: storage pool, public network and
 * image.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestDaemon } from './daemon.ts';
import { buildImage } from './image.ts';
import { installVpn } from './vpn-image.ts';

export const POOL = 'default';
export const PUBLIC_NETWORK = 'public';
export const IMAGE = 'busybox';
export const VPN_IMAGE = 'vpn-gateway';

export interface Furniture {
  /** The maximum size of the pool, which is a file that grows as it is filled. */
  readonly poolSize?: string;
  /** The aliases of the one test image. */
  readonly images?: readonly string[];
  /** Also the image of VPN gateways. */
  readonly vpn?: boolean;
  /** The gateway address of the public network. */
  readonly gateway?: string;
}

export async function furnish(daemon: TestDaemon, furniture: Furniture = {}): Promise<void> {
  await Promise.all([furnishServer(daemon, furniture), furnishImages(daemon, furniture)]);
}

/** Sets up everything except the images. */
export async function furnishServer(
  { client }: TestDaemon,
  { poolSize = '64GiB', gateway = '192.0.2.1/24' }: Furniture = {},
): Promise<void> {
  const addPool = client.run('POST', '/1.0/storage-pools', {
    body: { name: POOL, driver: 'btrfs', config: { size: poolSize } },
  });
  const addNetwork = client.run('POST', '/1.0/networks', {
    body: {
      name: PUBLIC_NETWORK,
      type: 'bridge',
      config: {
        'ipv4.address': gateway,
        'ipv4.nat': 'false',
        // Otherwise DHCP assigns addresses that are on sale to any client.
        'ipv4.dhcp.ranges': `${gateway.split('/')[0]}-${gateway.split('/')[0]}`,
        'ipv6.address': '2001:db8:1::1/64',
        'ipv6.nat': 'false',
        'ipv6.dhcp.stateful': 'true',
        // Otherwise no machine can have two interfaces on this network.
        'dns.mode': 'none',
      },
    },
  });
  await Promise.all([addPool, addNetwork]);
}

export async function furnishImages(
  daemon: TestDaemon,
  { images: names = [IMAGE], vpn = false }: Furniture = {},
): Promise<void> {
  await upload(daemon.client, await buildImage(daemon.folder), names);
  if (vpn) await furnishVpn(daemon);
}

/** The test image with WireGuard's programs. The gateway configures its private interfaces itself. */
async function furnishVpn({ client, folder }: TestDaemon): Promise<void> {
  const place = join(folder, 'vpn');
  await mkdir(place);
  await upload(client, await buildImage(place, installVpn), [VPN_IMAGE]);
}

async function upload(client: TestDaemon['client'], file: string, names: readonly string[]): Promise<void> {
  const done = await client.run('POST', '/1.0/images', {
    file,
    headers: { 'content-type': 'application/octet-stream' },
  });
  const target = done?.metadata?.fingerprint;
  for (const name of names) await client.run('POST', '/1.0/images/aliases', { body: { name, target } });
}
