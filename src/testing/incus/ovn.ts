/**
 * OVN for one test: the central databases, an uplink with a gateway, and a virtual switch for each engine. All of it
 * runs in network namespaces of the test and in temporary folders. The switches forward packets in user space, so the
 * kernel needs no module.
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { makeTemporaryFolder, removeTemporaryFolder } from '../folder.ts';
import type { TestDaemon } from './daemon.ts';
import { ip, makeNamespace, type Namespace, removeNamespace, runIn } from './namespace.ts';
import { searchPath } from './programs.ts';

export interface Fabric {
  /** Contains the gateway of the uplink, which stands for the internet. */
  readonly namespace: Namespace;
  readonly northbound: string;
  readonly southbound: string;
  stop(): Promise<void>;
}

export const UPLINK = 'uplink';
export const INTERNET = '198.18.0.1';
export const INTERNET6 = 'fd00:198:18::1';
const SCHEMAS = '/usr/share';
const BRIDGE = 'br-ex';

/** The two networks between the engines: one for tunnels, one for the uplink. Each is a switch in the fabric. */
const cables = ['tunnel', 'uplink'] as const;

const quiet = ['--detach', '--no-chdir', '-vconsole:off'];

/** Starts a daemon of OVN or Open vSwitch. Returns when it is ready; it then runs until its namespace is removed. */
async function start(namespace: Namespace, folder: string, program: string, args: readonly string[]) {
  const name = args.length === 0 ? program : `${program}-${args[0]?.split('/').at(-1)}`;
  const own = [`--pidfile=${folder}/${name}.pid`, `--log-file=${folder}/${name}.log`];
  await runIn(namespace, 'env', [...folders(folder), program, ...args, ...own, ...quiet]);
}

const folders = (folder: string): string[] => [`OVS_RUNDIR=${folder}`, `OVN_RUNDIR=${folder}`];

async function startDatabase(namespace: Namespace, folder: string, name: string, schema: string) {
  const file = join(folder, `${name}.db`);
  await runIn(namespace, 'ovsdb-tool', ['create', file, `${SCHEMAS}/${schema}`]);
  await start(namespace, folder, 'ovsdb-server', [file, `--remote=punix:${folder}/${name}.sock`]);
  return `unix:${folder}/${name}.sock`;
}

export async function startFabric(): Promise<Fabric> {
  const folder = await makeTemporaryFolder();
  const namespace = await makeNamespace();
  const end = (): void => removeNamespace(namespace);
  process.once('exit', end);
  const stop = async (): Promise<void> => {
    process.off('exit', end);
    end();
    await removeTemporaryFolder(folder);
  };
  try {
    const [northbound, southbound] = await Promise.all([
      startDatabase(namespace, folder, 'nb', 'ovn/ovn-nb.ovsschema'),
      startDatabase(namespace, folder, 'sb', 'ovn/ovn-sb.ovsschema'),
      layCables(namespace),
    ]);
    const databases = [`--ovnnb-db=${northbound}`, `--ovnsb-db=${southbound}`];
    await start(namespace, folder, 'ovn-northd', databases);
    return { namespace, northbound, southbound, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function layCables({ name }: Namespace): Promise<void> {
  for (const cable of cables) {
    await ip('-n', name, 'link', 'add', cable, 'type', 'bridge');
    await ip('-n', name, 'link', 'set', cable, 'up');
  }
  await ip('-n', name, 'addr', 'add', `${INTERNET}/24`, 'dev', 'uplink');
  await ip('-n', name, 'addr', 'add', `${INTERNET6}/64`, 'dev', 'uplink', 'nodad');
}

/**
 * The engine creates the interfaces of machines with `ip`. In user space, a switch needs complete checksums, but the
 * kernel leaves them to the device, so this stand-in turns that off for each new pair.
 */
const IP = `#!/bin/sh
/usr/sbin/ip "$@" || exit
case " $* " in *" type veth "*) ;; *) exit 0 ;; esac
while [ $# -gt 1 ]; do
  [ "$1" = name ] && /usr/sbin/ethtool -K "$2" tx off >/dev/null 2>&1
  shift
done
exit 0
`;

const withoutOffload = (namespace: Namespace, device: string): Promise<string> =>
  runIn(namespace, 'ethtool', ['-K', device, 'tx', 'off']);

async function plugIn(fabric: Namespace, own: Namespace, index: number): Promise<void> {
  for (const cable of cables) {
    const far = `${cable}${index}`;
    await ip('-n', own.name, 'link', 'add', cable, 'type', 'veth', 'peer', 'name', far, 'netns', fabric.name);
    await ip('-n', fabric.name, 'link', 'set', far, 'master', cable, 'up');
    await ip('-n', own.name, 'link', 'set', cable, 'up');
    await Promise.all([
      withoutOffload(own, cable),
      withoutOffload(fabric, far),
      withoutOffload(fabric, cable),
    ]);
  }
}

const socketIn = (folder: string): string => `unix:${join(folder, 'ovs')}/conf.sock`;

/** Starts the virtual switch of one engine in its namespace. Returns the PATH for the engine. */
export const switchOf =
  (fabric: Fabric, index = 1) =>
  async (namespace: Namespace, folder: string): Promise<string> => {
    const place = join(folder, 'ovs');
    const bin = join(folder, 'bin');
    await Promise.all([mkdir(place), mkdir(bin)]);
    await writeFile(join(bin, 'ip'), IP);
    await chmod(join(bin, 'ip'), 0o755);
    const [database] = await Promise.all([
      startDatabase(namespace, place, 'conf', 'openvswitch/vswitch.ovsschema'),
      plugIn(fabric.namespace, namespace, index),
    ]);
    const configure = (...commands: readonly string[]): Promise<string> =>
      runIn(namespace, 'ovs-vsctl', [`--db=${database}`, ...commands.join(' ').split(' ')]);
    const encap = `10.67.0.${index}`;
    const ids = {
      'system-id': `member${index}`,
      hostname: `member${index}`,
      'ovn-remote': `"${fabric.southbound}"`,
      'ovn-encap-type': 'geneve',
      'ovn-encap-ip': encap,
      'ovn-bridge': 'br-int',
      'ovn-bridge-datapath-type': 'netdev',
    };
    const settings = Object.entries(ids).map(([key, value]) => `external_ids:${key}=${value}`);
    await configure('--no-wait init -- set Open_vSwitch .', ...settings);
    await start(namespace, place, 'ovs-vswitchd', [database, '--disable-system']);
    const bridge = (name: string): string => `add-br ${name} -- set bridge ${name} datapath_type=netdev`;
    await configure(
      `-- ${bridge('br-int')} fail_mode=secure`,
      `-- ${bridge('br-tun')} -- add-port br-tun tunnel`,
      `-- ${bridge(BRIDGE)} -- add-port ${BRIDGE} uplink`,
    );
    await ip('-n', namespace.name, 'addr', 'add', `${encap}/24`, 'dev', 'br-tun');
    for (const name of ['br-int', 'br-tun', BRIDGE])
      await ip('-n', namespace.name, 'link', 'set', name, 'up');
    await start(namespace, place, 'ovn-controller', [database]);
    return [bin, searchPath].join(delimiter);
  };

/** Tells the engine about OVN and creates the uplink of its networks. In a cluster, all members have joined before. */
export async function joinOvn({ northbound }: Fabric, members: readonly TestDaemon[]): Promise<void> {
  const [first] = members as readonly [TestDaemon];
  for (const { client, folder } of members)
    await client.run('PATCH', '/1.0', { body: { config: { 'network.ovs.connection': socketIn(folder) } } });
  await first.client.run('PATCH', '/1.0', {
    body: { config: { 'network.ovn.northbound_connection': northbound } },
  });
  const make = (config: object, target?: string) =>
    first.client.run('POST', '/1.0/networks', {
      body: { name: UPLINK, type: 'physical', config },
      ...(target === undefined ? {} : { target }),
    });
  const parent = { parent: BRIDGE };
  const isAlone = members.length === 1;
  if (!isAlone) for (const index of members.keys()) await make(parent, `node${index + 1}`);
  await make({
    ...(isAlone ? parent : {}),
    'ipv4.gateway': `${INTERNET}/24`,
    'ipv4.ovn.ranges': '198.18.0.100-198.18.0.199',
    'ipv6.gateway': `${INTERNET6}/64`,
    'dns.nameservers': INTERNET,
  });
}
