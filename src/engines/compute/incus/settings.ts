/** Settings of a location that is served by an Incus or LXD server or cluster, read from the provider's file. */
import { readFileSync } from 'node:fs';
import type { IncusCompute } from '../settings.ts';
import type { Address } from './client.ts';
import type { OvsdbAddress } from './ovn/ovsdb.ts';

export type InstanceType = 'container' | 'virtual-machine';

/**
 * Upper bounds for one account in this location, in addition to the quotas that the account can see; `null` means no
 * bound.
 */
export interface AccountBounds {
  readonly instances: number | null;
  readonly vcpus: number | null;
  readonly memoryMb: number | null;
  readonly diskGb: number | null;
}

export interface OvnSettings {
  readonly northbound: OvsdbAddress;
  /** The network of the engine through which private networks reach the internet. */
  readonly uplink: string;
}

export interface IncusSettings {
  readonly address: Address;
  readonly instanceType: InstanceType;
  readonly storagePool: string;
  /** The bridge that carries the public addresses. */
  readonly publicNetwork: string;
  /** Null if private networks are bridges. */
  readonly ovn: OvnSettings | null;
  /** The alias of the image of VPN gateways; null if the location has none. */
  readonly vpnImage: string | null;
  readonly bounds: AccountBounds;
  /** Virtual processors to sell for each physical one. */
  readonly vcpuOvercommit: number;
  /** The percentage of memory and disk that the hosts keep for themselves. */
  readonly reservePercent: number;
}

/** Throws if a certificate or key file is missing. The files existed when the configuration was checked. */
export function readSettings({
  url,
  otherUrls,
  client,
  serverCertificate,
  ovn,
  bounds,
  ...rest
}: IncusCompute): IncusSettings {
  const read = (file: string): string => readFileSync(file, 'utf8');
  return {
    address: {
      url,
      others: otherUrls,
      credentials: client && {
        certificate: read(client.certificate),
        key: read(client.key),
        serverCertificate: serverCertificate === null ? null : read(serverCertificate),
      },
    },
    instanceType: rest.instanceType,
    storagePool: rest.storagePool,
    publicNetwork: rest.publicNetwork,
    vpnImage: rest.vpnImage,
    ovn: ovn && {
      uplink: ovn.uplink,
      northbound: {
        remotes: ovn.northbound,
        credentials: ovn.files && {
          certificate: read(ovn.files.certificate),
          key: read(ovn.files.key),
          authority: read(ovn.files.authority),
        },
      },
    },
    bounds: {
      instances: bounds.instances,
      vcpus: bounds.vcpus,
      memoryMb: bounds.memory_mb,
      diskGb: bounds.disk_gb,
    },
    vcpuOvercommit: rest.vcpuOvercommit,
    reservePercent: rest.reservePercent,
  };
}
