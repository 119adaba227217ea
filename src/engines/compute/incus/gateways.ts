/**
 * VPN gateways: instances of an image of the provider with WireGuard's programs, in the project of their account. Their
 * settings are files in the instance, which a script applies (`gateway-files.ts`). Keys are never in the arguments or
 * the environment of a command, because the engine keeps those for a while.
 */
import { CapabilityMissing, EngineRefused } from '../../errors.ts';
import type { Gateway, GatewayPeer } from '../gateway.ts';
import type { InstanceSpec, Nic, Ref } from '../instance.ts';
import type { ComputeEngine } from '../port.ts';
import { NO_VPN } from './capabilities.ts';
import {
  changeInstance,
  findRaw,
  insist,
  missing,
  pathOf,
  type RawInstance,
  requireRaw,
  type Site,
} from './driver-context.ts';
import { isMissing } from './failure.ts';
import { APPLY, FOLDER, interfaceFiles, parseState, peerFiles, SHOW, STATE } from './gateway-files.ts';
import { ensureInstance, removeInstance } from './machines.ts';
import { idOf, isGatewayName, projectOf } from './names.ts';
import { nicsOf } from './nic-notes.ts';
import { ensureNic, removeNic } from './nics.ts';
import { ensureRunning } from './power.ts';

const SIZE = { vcpus: 1, memoryMb: 256, diskGb: 2 } as const;

async function specOf(site: Site, ref: Ref, nics: readonly Nic[]): Promise<InstanceSpec> {
  const { vpnImage } = site.settings;
  if (vpnImage === null) throw new CapabilityMissing('vpnGateways', NO_VPN);
  const { architectures } = (await site.readServer()).environment;
  return {
    source: { image: { account: null, id: vpnImage } },
    architecture: architectures.includes('aarch64') ? 'arm64' : 'amd64',
    size: SIZE,
    nics,
    guest: { seed: ref.id, hostname: 'vpn-gateway', userData: null, sshKeys: [], passwordHash: null },
    bootMode: 'uefi',
    secureBoot: false,
    placement: null,
  };
}

/** Returns the exit status. */
async function exec(site: Site, ref: Ref, script: string, signal?: AbortSignal): Promise<unknown> {
  const ask = {
    project: projectOf(ref),
    body: {
      command: ['sh', '-c', script],
      interactive: false,
      'wait-for-websocket': false,
      'record-output': false,
    },
    signal,
  };
  const done = await insist(() => site.client.run('POST', `${pathOf(ref)}/exec`, ask), signal);
  return done?.metadata?.['return'];
}

type Files = Readonly<Record<string, string>>;

/** Root owns the files, and nobody else reads them. Both engines have headers with their own name. */
const headers = Object.fromEntries(
  ['x-incus', 'x-lxd'].flatMap((engine) => [
    [`${engine}-uid`, '0'],
    [`${engine}-gid`, '0'],
    [`${engine}-mode`, '0600'],
    [`${engine}-type`, 'file'],
  ]),
);

/**
 * Settings and peers are changed at the same time, by different callers. So nobody may meet a file that is half written:
 * each is written beside the old one, which it then replaces.
 */
async function apply(site: Site, ref: Ref, files: Files, signal?: AbortSignal): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const query = { path: `${FOLDER}/${name}.new` };
    const ask = { project: projectOf(ref), query, headers, text, signal };
    await insist(() => site.client.run('POST', `${pathOf(ref)}/files`, ask), signal);
  }
  // A repeated command finds them replaced.
  const replaced = Object.keys(files).map((name) => `{ [ ! -e ${name}.new ] || mv ${name}.new ${name}; }`);
  const status = await exec(site, ref, [`cd ${FOLDER}`, ...replaced, `sh ${APPLY}`].join(' && '), signal);
  if (status !== 0)
    throw new EngineRefused('engine_failed', `The gateway could not apply its settings (status ${status}).`);
}

/** An interface that changes is plugged in again; the others stay. */
async function alignNics(site: Site, ref: Ref, wanted: readonly Nic[], signal?: AbortSignal): Promise<void> {
  const present = new Map(nicsOf(await requireRaw(site, ref, signal)).map((nic) => [nic.id, nic]));
  for (const id of present.keys())
    if (!wanted.some((nic) => nic.id === id)) await removeNic(site, ref, id, signal);
  for (const nic of wanted)
    if (JSON.stringify(present.get(nic.id)) !== JSON.stringify(nic)) await ensureNic(site, ref, nic, signal);
}

/**
 * For `wireguard-go` in a container: the device of the host is often readable for its root alone, which the root of a
 * container is not.
 */
const TUN = { type: 'unix-char', source: '/dev/net/tun', path: '/dev/net/tun', mode: '0666' } as const;

/**
 * A container starts with the IPv4 forwarding of its server, which forwards for its own networks, and after a restart its
 * filter is gone. So the engine switches forwarding off at each start, and the script switches it on when the filter is
 * in force. A virtual machine, and IPv6 in a container, start with the default of the kernel, which does not forward.
 */
const FORWARDING = 'linux.sysctl.net.ipv4.ip_forward';

const isReady = ({ devices, config }: Pick<RawInstance, 'devices' | 'config'>): boolean =>
  devices['tun'] !== undefined && config[FORWARDING] === '0';

async function ensureContainer(site: Site, ref: Ref, signal?: AbortSignal): Promise<void> {
  if (site.settings.instanceType !== 'container') return;
  await changeInstance(
    site,
    ref,
    (raw) =>
      isReady(raw)
        ? null
        : { devices: { ...raw.devices, tun: TUN }, config: { ...raw.config, [FORWARDING]: '0' } },
    signal,
  );
}

export async function ensureGateway(
  site: Site,
  ...[ref, spec, signal]: Parameters<ComputeEngine['ensureGateway']>
): Promise<void> {
  await ensureInstance(site, ref, await specOf(site, ref, spec.nics), signal);
  await ensureContainer(site, ref, signal);
  await alignNics(site, ref, spec.nics, signal);
  await ensureRunning(site, ref, signal);
  await exec(site, ref, `mkdir -p -m 700 ${FOLDER}`, signal);
  await apply(site, ref, interfaceFiles(spec), signal);
}

export async function ensureGatewayPeers(
  site: Site,
  ref: Ref,
  peers: readonly GatewayPeer[],
  signal?: AbortSignal,
): Promise<void> {
  const raw = await findRaw(site, ref, signal);
  if (raw === null) throw missing('gateway', ref.id);
  // A gateway of an earlier version may start with forwarding.
  if (!isReady(raw)) await ensureContainer(site, ref, signal);
  await apply(site, ref, peerFiles(peers), signal);
}

export async function observeGateway(
  site: Site,
  ...[ref, signal]: Parameters<ComputeEngine['observeGateway']>
): Promise<Gateway | null> {
  const raw = await findRaw(site, ref, signal);
  if (raw === null) return null;
  return { ...ref, nics: nicsOf(raw), tunnel: await readTunnel(site, ref, raw, signal) };
}

async function readTunnel(
  site: Site,
  ref: Ref,
  { status }: RawInstance,
  signal: AbortSignal | undefined,
): Promise<Gateway['tunnel']> {
  if (status !== 'Running' || (await exec(site, ref, SHOW, signal)) !== 0) return null;
  try {
    const ask = { project: projectOf(ref), query: { path: STATE }, signal };
    return parseState(await site.client.askText(`${pathOf(ref)}/files`, ask));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

export async function observeGateways(
  site: Site,
  ...[signal]: Parameters<ComputeEngine['observeGateways']>
): Promise<readonly Ref[]> {
  const query = { recursion: 1, 'all-projects': 'true' };
  const listed = await site.client.ask<readonly Pick<RawInstance, 'name' | 'project'>[]>(
    'GET',
    '/1.0/instances',
    { query, signal },
  );
  return listed
    .filter(({ name }) => isGatewayName(name))
    .map(({ name, project }) => ({ account: idOf(project), id: idOf(name) }));
}

export const removeGateway = removeInstance;
