/** The names of the logical objects that Incus creates in OVN for one network. */
import { EngineUnreachable } from '../../../errors.ts';
import type { Client } from '../client.ts';
import { askOrNull, type RawInstance } from '../driver-context.ts';
import { labels, prefixOf } from './groups.ts';
import { isLabelled, type Northbound, readUuid, readUuids, setOf, uuid } from './northbound.ts';

export interface LogicalNetwork {
  /** The name of the network at the engine. */
  readonly name: string;
  /** Such as `incus-net5`: all names of the network begin with it. */
  readonly prefix: string;
  readonly router: string;
  /** The port of the router towards the machines. */
  readonly routerPort: string;
  readonly switch: string;
  /** The port of the switch towards the router. */
  readonly gatewayPort: string;
  /** The switch between the router and the uplink, seen from its two ports. */
  readonly outside: { readonly routerPort: string; readonly uplinkPort: string };
}

/** The addresses of the router on the uplink. The engine assigns them, and no other network has them. */
const ADDRESSES = ['volatile.network.ipv4.address', 'volatile.network.ipv6.address'] as const;
const ROUTER = /^(.+)-lr$/;

const namesOf = (name: string, prefix: string): LogicalNetwork => ({
  name,
  prefix,
  router: `${prefix}-lr`,
  routerPort: `${prefix}-lr-lrp-int`,
  switch: `${prefix}-ls-int`,
  gatewayPort: `${prefix}-ls-int-lsp-router`,
  outside: { routerPort: `${prefix}-ls-ext-lsp-router`, uplinkPort: `${prefix}-ls-ext-lsp-provider` },
});

/**
 * The names from the group of our rules in the network. OVN takes a port from its groups when it removes the port, so a
 * group with a port is that of a network which exists: one that is removed and created again has other names.
 */
async function findByGroup(
  northbound: Northbound,
  name: string,
  signal?: AbortSignal,
): Promise<LogicalNetwork | null> {
  const where = [isLabelled({ [labels.network]: name })];
  for (const group of await northbound.find('Port_Group', where, ['name', 'ports'], signal)) {
    const prefix = prefixOf(String(group.name));
    if (prefix !== null && readUuids(group.ports).length > 0) return namesOf(name, prefix);
  }
  return null;
}

/** Null if the engine has no such network. */
export async function findLogical(
  { client, northbound }: { readonly client: Client; readonly northbound: Northbound },
  name: string,
  signal?: AbortSignal,
): Promise<LogicalNetwork | null> {
  return (await findByGroup(northbound, name, signal)) ?? findByAddress({ client, northbound }, name, signal);
}

/**
 * The engine tells the names only while the network has a gateway, so the router is found by the address that it
 * translates to.
 */
async function findByAddress(
  { client, northbound }: { readonly client: Client; readonly northbound: Northbound },
  name: string,
  signal?: AbortSignal,
): Promise<LogicalNetwork | null> {
  const path = `/1.0/networks/${name}`;
  const raw = await askOrNull(() => client.ask<Pick<RawInstance, 'config'>>('GET', path, { signal }));
  if (raw === null) return null;
  const own = ADDRESSES.map((key) => raw.config[key]).find((address) => address !== undefined);
  const translations = await northbound.find(
    'NAT',
    [
      ['external_ip', '==', own ?? ''],
      ['type', '==', 'snat'],
    ],
    [],
    signal,
  );
  for (const row of translations) {
    const where = ['nat', 'includes', setOf([uuid(readUuid(row))])] as const;
    const [router] = await northbound.find('Logical_Router', [where], ['name'], signal);
    const prefix = ROUTER.exec(String(router?.name))?.[1];
    if (prefix !== undefined) return namesOf(name, prefix);
  }
  throw new EngineUnreachable('The network is not in OVN yet.');
}

/** The port exists only while the machine runs; its name is always the same. */
export const portOf = ({ prefix }: LogicalNetwork, machineUuid: string, nicId: string): string =>
  `${prefix}-instance-${machineUuid}-${nicId}`;
