/** How a location is served by an Incus or LXD server or cluster, as the provider's file says it. */
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
