/** The names of the ports that a firewall covers. They contain an id that the engine gives to each machine. */
import { EngineUnreachable } from '../../../errors.ts';
import type { FirewallMember } from '../../firewall.ts';
import type { Ref } from '../../instance.ts';
import { askOrNull, type RawInstance, type Site } from '../driver-context.ts';
import { idOf, projectOf } from '../names.ts';
import { labels } from './groups.ts';
import { type LogicalNetwork, portOf } from './logical-network.ts';
import { isLabelled, type Northbound } from './northbound.ts';
import { groupOf } from './rules.ts';

/** The ids of the engine by machine; null for a machine on a cluster member that does not answer. */
export type EngineIds = ReadonlyMap<string, string | null>;

type Listed = Pick<RawInstance, 'name'> & { readonly config: RawInstance['config'] | null };

/** One request for all machines of the account. */
export async function readEngineIds({ client }: Site, ref: Ref, signal?: AbortSignal): Promise<EngineIds> {
  const ask = { project: projectOf(ref), query: { recursion: 1 }, signal };
  const raw = await askOrNull(() => client.ask<readonly Listed[]>('GET', '/1.0/instances', ask));
  return new Map((raw ?? []).map(({ name, config }) => [idOf(name), config?.['volatile.uuid'] ?? null]));
}

/** Interfaces of machines that the engine does not have are left out. */
export async function portsOf(
  northbound: Northbound,
  network: LogicalNetwork,
  ids: EngineIds,
  members: readonly FirewallMember[],
  signal?: AbortSignal,
): Promise<string[]> {
  const known = members.flatMap(({ instance, nic }) => {
    const id = ids.get(instance) ?? null;
    return id === null ? [] : [portOf(network, id, nic)];
  });
  const lost = members.filter(({ instance }) => ids.get(instance) === null);
  const found = lost.length === 0 ? [] : await findLost(northbound, network, lost, signal);
  return [...known, ...found].toSorted();
}

/**
 * The ports of machines on a lost cluster member. Such a machine may still run, or start again without a request, so no
 * rule may forget it. While a machine runs, OVN has its port; the rules against foreign sources name it always.
 */
async function findLost(
  northbound: Northbound,
  network: LogicalNetwork,
  members: readonly FirewallMember[],
  signal?: AbortSignal,
): Promise<string[]> {
  const inGroup = isLabelled({ [labels.group]: groupOf(network).name });
  const [ports, rules] = await Promise.all([
    northbound.find('Logical_Switch_Port', [], ['name'], signal),
    northbound.find('ACL', [inGroup], ['match'], signal),
  ]);
  const texts = [...ports.map(({ name }) => name), ...rules.map(({ match }) => match)].join('\n');
  return members.map(({ nic }) => {
    const name = new RegExp(`\\b${portOf(network, '[0-9a-f-]+', nic)}\\b`).exec(texts)?.[0];
    if (name === undefined) throw new EngineUnreachable('The host of a machine does not answer.');
    return name;
  });
}
