/**
 * Optional features of a compute driver: `true` if it has the feature, otherwise the reason why not, written for the
 * customer.
 */
import type { Capability } from '../capability.ts';

export interface Capabilities {
  /** CPU and memory can grow while the machine is running. */
  readonly liveResize: Capability;
  /** Network interfaces can be attached and detached while the machine is running. */
  readonly nicHotPlug: Capability;
  /** An account can have private networks for its machines. */
  readonly privateNetworks: Capability;
  /** Two private networks, of the same or of different accounts, can have the same addresses. */
  readonly overlappingNetworks: Capability;
  /** Private networks can have VPN gateways. */
  readonly vpnGateways: Capability;
  /** Machines can open connections to the subnets behind the peers of a VPN gateway. */
  readonly vpnRoutes: Capability;
  /** Volumes are raw devices, on which the guest makes its own file system. */
  readonly blockVolumes: Capability;
  /** Volumes are file systems that the engine mounts in the guest. */
  readonly fileSystemVolumes: Capability;
  /** All servers of the location reach all volumes, so no volume is copied to the server of its machine. */
  readonly volumesEverywhere: Capability;
  /** A volume can grow while its machine is running. */
  readonly onlineVolumeResize: Capability;
  /** Private networks can have routes to IPv6 destinations. */
  readonly ipv6Routes: Capability;
  /** Firewalls decide about the packets of interfaces in private networks. */
  readonly privateFirewalls: Capability;
  /** Firewalls decide about the packets of public interfaces. */
  readonly publicFirewalls: Capability;
  /** Snapshots can freeze the file system of a running machine while they are taken. */
  readonly quiesce: Capability;
  readonly rescue: Capability;
  readonly passwordReset: Capability;
  readonly imageImport: Capability;
  /** A machine has a drive, which can have an ISO in it and boot from it. */
  readonly isoDrive: Capability;
  readonly consoleLog: Capability;
  readonly serialConsole: Capability;
  readonly graphicalConsole: Capability;
  readonly series: Capability;
}
export type CapabilityName = keyof Capabilities;
