/** How a location is served by an Incus or LXD server or cluster, as the provider's file says it. */
import { readFileSync } from 'node:fs';
import type { IncusCompute } from '../../../provider/compute.ts';
import type { Address } from './client.ts';

export type InstanceType = 'container' | 'virtual-machine';

/** What one account may have there at most, beside the quotas of its own that it can see; `null`: no bound. */
export interface AccountBounds {
  readonly instances: number | null;
  readonly vcpus: number | null;
  readonly memoryMb: number | null;
  readonly diskGb: number | null;
}

export interface IncusSettings {
  readonly address: Address;
  readonly instanceType: InstanceType;
  readonly storagePool: string;
  /** The bridge that public addresses are on. */
  readonly publicNetwork: string;
  readonly bounds: AccountBounds;
  /** Virtual processors sold for each one there is. */
  readonly vcpuOvercommit: number;
  /** Of memory and disk, in percent: what the hosts keep for themselves. */
  readonly reservePercent: number;
}

/** The files were there when the configuration was read; if they are gone now, nothing starts. */
export function readSettings({
  url,
  otherUrls,
  client,
  serverCertificate,
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
