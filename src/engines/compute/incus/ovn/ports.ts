/** The ports of a machine in private networks: what may leave them, before each start and each change. */
import type { Nic, Ref } from '../../instance.ts';
import { findRaw, missing, type RawInstance, requireRaw, type Site } from '../driver-context.ts';
import { networkNameOf } from '../names.ts';
import { nicsOf } from '../nic-notes.ts';
import { securePort, sourceRules, subjectOf } from './anti-spoofing.ts';
import { findLogical, type LogicalNetwork, portOf } from './logical-network.ts';
import type { Northbound } from './northbound.ts';
import { ensureRules, groupOf, removeRules } from './rules.ts';

interface Port {
  readonly northbound: Northbound;
  readonly network: LogicalNetwork;
  readonly name: string;
}

/** Null for an interface that is not in OVN. */
async function findPort(
  { northbound, client }: Site,
  ref: Ref,
  { config }: RawInstance,
  nic: Nic,
  signal?: AbortSignal,
): Promise<Port | null> {
  if (northbound === null || nic.network === null) return null;
  const name = networkNameOf({ account: ref.account, id: nic.network }, 'ovn');
  const network = await findLogical({ client, northbound }, name, signal);
  if (network === null) throw missing('network', nic.network);
  return { northbound, network, name: portOf(network, config['volatile.uuid'] ?? '', nic.id) };
}

/** Writes the rules of an interface. They hold as soon as the engine connects it. */
export async function guardPort(site: Site, ref: Ref, nic: Nic, signal?: AbortSignal): Promise<void> {
  if (site.northbound !== null) await guard(site, ref, await requireRaw(site, ref, signal), nic, signal);
}

async function guard(
  site: Site,
  ref: Ref,
  raw: RawInstance,
  nic: Nic,
  signal: AbortSignal | undefined,
): Promise<void> {
  const port = await findPort(site, ref, raw, nic, signal);
  if (port === null) return;
  const { northbound, network, name } = port;
  await ensureRules(northbound, groupOf(network), [sourceRules(name, ref.id, nic)], signal);
}

const isPrivate = ({ network }: Nic): boolean => network !== null;

/** For a machine that is about to start. */
export async function guardPorts(site: Site, ref: Ref, signal?: AbortSignal): Promise<void> {
  if (site.northbound === null) return;
  const raw = await requireRaw(site, ref, signal);
  for (const nic of nicsOf(raw).filter(isPrivate)) await guard(site, ref, raw, nic, signal);
}

/** For a machine that runs, or has just got an interface: sets the port security. */
export async function securePorts(site: Site, ref: Ref, signal?: AbortSignal): Promise<void> {
  if (site.northbound === null) return;
  const raw = await findRaw(site, ref, signal);
  if (raw === null) return;
  for (const nic of nicsOf(raw).filter(isPrivate)) {
    const port = await findPort(site, ref, raw, nic, signal);
    if (port !== null) await securePort(port.northbound, port.name, nic, signal);
  }
}

/** For a machine, or an interface of it, that is gone. */
export async function forgetPorts(
  { northbound }: Site,
  { id }: Ref,
  nicId: string | null,
  signal?: AbortSignal,
): Promise<void> {
  if (northbound === null) return;
  await removeRules(northbound, id, nicId === null ? null : subjectOf(nicId), signal);
}
