import type { Capability } from '../../capability.ts';
import type { Capabilities } from '../capabilities.ts';
import type { Server } from './driver-context.ts';
import type { IncusSettings } from './settings.ts';

const NO_RESCUE = 'Machines in this location cannot be booted into a rescue system.';
const NO_QUIESCE = 'This location cannot freeze a file system while a snapshot is taken.';

/** A bridge exists on one server only and does not connect the members of a cluster. */
export const NO_NETWORKS =
  'This location has several servers, and private networks cannot connect machines on different servers.';

export const ISO_EXTENSION = 'custom_volume_iso';
export const NO_ISOS = 'The engine of this location cannot store ISOs.';

/** The driver moves volumes between the members of a cluster of Incus, but not of LXD. */
const NO_VOLUMES =
  'This location has several servers, and a volume could not follow a machine from one to another.';
const NO_BLOCK =
  'Machines in this location are containers. A volume there is a file system, which is mounted at the path in device_path.';
const NO_FILE_SYSTEM =
  'Machines in this location are virtual machines. A volume there is a raw device: make a file system on it inside the machine.';

const COPIES_VOLUMES =
  'This location has several servers. A volume may be copied to the server of its machine, which takes time.';

export const NO_VPN = 'This location has no VPN gateways.';
/** Machines answer to the address of the gateway, and have no route to what is behind it. */
const NO_VPN_ROUTES =
  'Machines in this location cannot reach subnets behind VPN peers; peers reach the machines.';
const NO_DRIVE = 'Machines in this location are containers: they have no drive, and boot no ISO.';
const NO_DRIVE_HERE =
  'This location has several servers, and an ISO could not follow a machine from one to another.';

/** All bridges of a server share its routing table. */
const NO_OVERLAP = 'Two networks in this location cannot have the same addresses.';
/** The driver knows how Incus names its objects in OVN, but not how LXD does. */
const NO_OVN = 'The engine of this location has no private networks.';
export const NO_IPV6_ROUTES = 'Networks of this location have IPv4 routes only.';

/** Rules for single interfaces of a bridge need a kernel that tracks connections on bridges. LXD has no such rules. */
export const NO_FIREWALLS = 'This location has no firewalls. Use a firewall inside the machine instead.';
export const NO_PUBLIC_FIREWALLS =
  'This location has firewalls for private networks only. Attach the firewall to the network or to a private interface, and use a firewall inside the machine for public addresses.';

/**
 * Before the server is read (`server` is null), private networks and volumes count as supported; `ensureNetwork` and
 * `ensureVolume` reject the call if they are not. The server then counts as one of a cluster, whose calls take longer.
 */
export function capabilitiesOf(
  {
    instanceType,
    ovn = null,
    vpnImage = null,
  }: Pick<IncusSettings, 'instanceType'> & Partial<Pick<IncusSettings, 'ovn' | 'vpnImage'>>,
  server: Server | null = null,
): Capabilities {
  const isOvn = ovn !== null;
  const isContainer = instanceType === 'container';
  const isClustered = server?.environment.server_clustered === true;
  const isLxdCluster = isClustered && server.environment.server === 'lxd';
  return {
    liveResize: isContainer ? true : 'Machines in this location are resized while they are stopped.',
    nicHotPlug: true,
    blockVolumes: isLxdCluster ? NO_VOLUMES : isContainer ? NO_BLOCK : true,
    fileSystemVolumes: isLxdCluster ? NO_VOLUMES : isContainer ? true : NO_FILE_SYSTEM,
    volumesEverywhere: server === null || isClustered ? COPIES_VOLUMES : true,
    onlineVolumeResize: isContainer
      ? true
      : 'Volumes in this location grow only while their machine is stopped.',
    vpnGateways: vpnImage === null ? NO_VPN : privateNetworksOf(isOvn, server),
    vpnRoutes: NO_VPN_ROUTES,
    privateNetworks: privateNetworksOf(isOvn, server),
    overlappingNetworks: isOvn ? true : NO_OVERLAP,
    ipv6Routes: isOvn ? true : NO_IPV6_ROUTES,
    privateFirewalls: isOvn ? privateNetworksOf(isOvn, server) : NO_FIREWALLS,
    publicFirewalls: isOvn ? NO_PUBLIC_FIREWALLS : NO_FIREWALLS,
    quiesce: NO_QUIESCE,
    rescue: NO_RESCUE,
    passwordReset: true,
    imageImport: true,
    isoDrive: isContainer ? NO_DRIVE : isClustered ? NO_DRIVE_HERE : storesIsos(server) ? true : NO_ISOS,
    consoleLog: true,
    serialConsole: true,
    graphicalConsole: isContainer
      ? 'Machines in this location have no screen. Open the serial console instead.'
      : true,
    series: true,
  };
}

const storesIsos = (server: Server | null): boolean =>
  server === null || server.api_extensions.includes(ISO_EXTENSION);

function privateNetworksOf(isOvn: boolean, server: Server | null): Capability {
  if (isOvn) return server?.environment.server === 'lxd' ? NO_OVN : true;
  return server?.environment.server_clustered === true ? NO_NETWORKS : true;
}
