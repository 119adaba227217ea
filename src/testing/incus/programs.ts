/**
 * The two engines that have the same REST API, as Debian packages them, and whether they can be started on this host.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export type EngineKind = 'incus' | 'lxd';

export interface EngineProgram {
  readonly program: string;
  /** Members of this group may use the socket. */
  readonly group: string;
  /** The environment variable that tells the engine and its helpers which folder to use. */
  readonly folderVariable: string;
  readonly packages: string;
}

export const engineKinds: readonly EngineKind[] = ['incus', 'lxd'];

export const programs: Readonly<Record<EngineKind, EngineProgram>> = {
  incus: {
    program: 'incusd',
    group: 'incus-admin',
    folderVariable: 'INCUS_DIR',
    packages: 'incus-base and incus-client (on Debian 12 from bookworm-backports)',
  },
  lxd: { program: 'lxd', group: 'lxd', folderVariable: 'LXD_DIR', packages: 'lxd' },
};

/** Debian installs the Incus daemon outside the default PATH. */
export const searchPath = [
  '/usr/libexec/incus',
  ...(process.env.PATH ?? '').split(delimiter),
  '/usr/sbin',
  '/sbin',
].join(delimiter);

/** Further programs that the engines and tests need, and the Debian package of each. */
const helpers: Readonly<Record<string, string>> = {
  lxcfs: 'lxcfs',
  dnsmasq: 'dnsmasq-base',
  nft: 'nftables',
  'mkfs.btrfs': 'btrfs-progs',
  busybox: 'busybox-static',
  newuidmap: 'uidmap',
  setfattr: 'attr',
  rsync: 'rsync',
  xz: 'xz-utils',
  unsquashfs: 'squashfs-tools',
  ip: 'iproute2',
};

export const findProgram = (program: string): string | undefined =>
  searchPath
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));

/** The test image contains only busybox, without libraries or a loader, so busybox has to be static. */
const isStatic = (path: string): boolean => !readFileSync(path).subarray(0, 4096).includes('/ld-');

function isThere(program: string): boolean {
  const path = findProgram(program);
  return path !== undefined && (program !== 'busybox' || isStatic(path));
}

const reasons = new Map<EngineKind, string | null>();

/** Why no such engine can be started on this host, or `null` if one can. */
export function whyNoIncus(kind: EngineKind = 'incus'): string | null {
  const known = reasons.get(kind);
  if (known !== undefined) return known;
  const reason = findReason(kind);
  reasons.set(kind, reason);
  return reason;
}

const knowsBtrfs = (): boolean => /\tbtrfs$/m.test(readFileSync('/proc/filesystems', 'utf8'));

function findReason(kind: EngineKind): string | null {
  if (process.getuid?.() !== 0) return 'only root can start one';
  const { program, packages } = programs[kind];
  if (!isThere(program)) return `no ${program} on this machine: install ${packages}`;
  const missing = Object.entries(helpers).filter(([name]) => !isThere(name));
  if (missing.length > 0)
    return `it needs more programs: install ${missing.map(([, name]) => name).join(', ')}`;
  for (const device of ['/dev/loop-control', '/dev/fuse'])
    if (!existsSync(device)) return `this machine has no ${device}`;
  if (!knowsBtrfs() && spawnSync('modprobe', ['btrfs']).status !== 0) return 'its kernel has no btrfs';
  const args = ['--mount', '--net', '--propagation', 'private', 'mount', '-t', 'sysfs', 'sysfs', '/sys'];
  const tried = spawnSync('unshare', args, { encoding: 'utf8' });
  return tried.status === 0 ? null : `namespaces are not permitted here: ${tried.stderr.trim()}`;
}

/** Programs of VPN gateways and their clients, and the Debian package of each. */
const ofVpn: Readonly<Record<string, string>> = {
  'wireguard-go': 'wireguard-go',
  wg: 'wireguard-tools',
  flock: 'util-linux',
};

/** Why no VPN gateway can be started on this host, or `null` if one can. */
export function whyNoVpn(kind: EngineKind = 'incus'): string | null {
  const reason = whyNoIncus(kind);
  if (reason !== null) return reason;
  const missing = Object.entries(ofVpn).filter(([name]) => !isThere(name));
  if (missing.length > 0)
    return `it needs more programs: install ${missing.map(([, name]) => name).join(', ')}`;
  return existsSync('/dev/net/tun') ? null : 'this machine has no /dev/net/tun';
}

/** Programs of OVN, and the Debian package of each. */
const ofOvn: Readonly<Record<string, string>> = {
  'ovs-vswitchd': 'openvswitch-switch',
  'ovn-northd': 'ovn-central',
  'ovn-controller': 'ovn-host',
  ethtool: 'ethtool',
};

/** Why no Incus with OVN can be started on this host, or `null` if one can. */
export function whyNoOvn(): string | null {
  const reason = whyNoIncus();
  if (reason !== null) return reason;
  const missing = Object.entries(ofOvn).filter(([name]) => !isThere(name));
  if (missing.length > 0)
    return `it needs more programs: install ${missing.map(([, name]) => name).join(', ')}`;
  return existsSync('/dev/net/tun') ? null : 'this machine has no /dev/net/tun';
}
