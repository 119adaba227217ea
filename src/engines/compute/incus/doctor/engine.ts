/** Checks whether the engine is new enough, can run the configured machines, and has all its cluster members. */
import type { Examination } from '../../../../kernel/registry.ts';
import type { Client } from '../client.ts';
import type { Server } from '../driver-context.ts';
import { architectureOf, cliOf, fine, type Place, wrong } from './context.ts';

/**
 * API extensions that the driver requires. Where an extension newer than LXD 5.0 is missing, the driver has an
 * alternative.
 */
const EXTENSIONS = [
  'etag',
  'event_lifecycle',
  'resources',
  'projects',
  'projects_limits',
  'projects_limits_disk',
  'projects_limits_instances',
  'container_nic_routes',
  'container_nic_ipfilter',
  'instance_nic_network',
  'instance_all_projects',
  'metrics',
  'cloud_init',
];

export function examineVersion({ server, sold }: Place): Examination {
  const { server: product, server_version: version } = server.environment;
  const shown = `${product === 'lxd' ? 'LXD' : 'Incus'} ${version}`;
  const missing = EXTENSIONS.filter((extension) => !server.api_extensions.includes(extension));
  if (missing.length === 0) return fine(sold, 'engine', shown);
  const fix = 'Upgrade to Incus 6.0 or newer, or LXD 5.0 or newer.';
  return wrong(
    sold,
    'engine',
    `${shown} is too old: it lacks the API extensions ${missing.join(', ')}.`,
    fix,
  );
}

export function examineKind({ server, sold, settings }: Place): Examination {
  const isContainer = settings.instanceType === 'container';
  const { driver } = server.environment;
  const name = 'machines';
  if (driver.includes(isContainer ? 'lxc' : 'qemu')) return fine(sold, name, `${settings.instanceType}s`);
  const fix = isContainer
    ? 'Install liblxc and restart the engine.'
    : 'Enable KVM on the host (ls /dev/kvm; in the BIOS: VT-x or AMD-V), apt-get install qemu-system-x86 ovmf, systemctl restart incus; or set instance_type to container.';
  return wrong(
    sold,
    name,
    `The engine cannot run ${settings.instanceType}s here, only: ${driver || 'none'}.`,
    fix,
  );
}

interface Member {
  readonly server_name: string;
  readonly status: string;
  readonly architecture: string;
}

export async function readMembers(client: Client, server: Server): Promise<readonly Member[]> {
  if (!server.environment.server_clustered) return [];
  return client.ask<Member[]>('GET', '/1.0/cluster/members', { query: { recursion: 1 } });
}

export function examineMembers({ sold, server }: Place, members: readonly Member[]): Examination[] {
  if (members.length === 0) return [];
  const away = members.filter(({ status }) => status !== 'Online');
  const list = away.map(({ server_name, status }) => `${server_name} is ${status.toLowerCase()}`);
  if (away.length === 0) return [fine(sold, 'members', `${members.length}, all online`)];
  const first = away[0]?.server_name ?? '';
  const cli = cliOf(server);
  const fix =
    away[0]?.status === 'Evacuated'
      ? `Bring it back: ${cli} cluster restore ${first}`
      : `Start the daemon on ${first}; see: ${cli} cluster list`;
  return [wrong(sold, 'members', `${list.join(', ')}.`, fix)];
}

export function examineArchitectures(
  { sold, server }: Place,
  members: readonly Member[],
): Examination | null {
  const there = new Set(
    [...server.environment.architectures.slice(0, 1), ...members.map((member) => member.architecture)].map(
      architectureOf,
    ),
  );
  const missing = sold.architectures.filter((architecture) => !there.has(architecture));
  if (missing.length === 0) return null;
  const shown = [...there].join(', ');
  const fix = `Correct architectures of ${sold.location} in the provider's file: [${shown}]`;
  return wrong(sold, 'architectures', `Sold: ${missing.join(', ')}. Of the hosts: ${shown}.`, fix);
}
