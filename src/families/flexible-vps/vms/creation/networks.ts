/** The private networks of a new machine and its addresses there. */

import type { Call } from '../../../../kernel/call.ts';
import { requireRoomIn } from '../../../../kernel/limits/room.ts';
import { parseAddress } from '../../../../kernel/net/address.ts';
import { type FieldError, invalid, Problem } from '../../../../kernel/problems/problem.ts';
import { contains, isUsable, overlaps } from '../../networks/addresses.ts';
import { lockNetwork } from '../../networks/store.ts';
import type { NetworkRow } from '../../tables.ts';
import type { CreateVm } from './body.ts';

export interface Connection {
  readonly pointer: string;
  readonly network: NetworkRow;
  readonly ipv4: string | null;
  readonly aliases: readonly string[];
}

const refuse = (pointer: string, code: FieldError['code'], detail: string) =>
  invalid([{ pointer, code, detail }]);

function checkAddress(network: NetworkRow, address: string, pointer: string): string {
  const parsed = parseAddress(address);
  if (parsed === null) throw refuse(pointer, 'invalid_format', 'This is not an IP address.');
  const cidr = parsed.family === 4 ? network.ipv4_cidr : network.ipv6_cidr;
  if (cidr === null || !contains(cidr, address))
    throw refuse(pointer, 'out_of_range', `It is not inside ${cidr ?? network.ipv4_cidr}.`);
  if (!isUsable(cidr, address))
    throw refuse(pointer, 'out_of_range', 'It is the gateway, or one that is kept back.');
  return parsed.text;
}

/** Locked in the order of their ids, so that two who name the same do not wait for each other. */
async function lockAll(call: Pick<Call, 'db' | 'caller'>, wanted: NonNullable<CreateVm['networks']>) {
  const found = new Map<string, NetworkRow>();
  for (const id of [...new Set(wanted.map(({ network_id }) => network_id))].sort()) {
    const row = await lockNetwork(call.db, call.caller.account.id, id);
    if (row !== undefined) found.set(id, row);
  }
  return found;
}

function refuseOverlap(connections: readonly Connection[]): void {
  for (const [i, one] of connections.entries()) {
    for (const other of connections.slice(i + 1)) {
      if (one.network.id === other.network.id) {
        const extra = { attached_to: one.network.id };
        throw new Problem('already_attached', { detail: 'The same network is named twice.', extra });
      }
      if (overlaps(one.network.ipv4_cidr, other.network.ipv4_cidr)) {
        const detail = `${one.network.name} and ${other.network.name} have overlapping ranges.`;
        throw new Problem('cidr_overlap', { detail, extra: { existing_id: one.network.id } });
      }
    }
  }
}

export async function resolveNetworks(
  call: Pick<Call, 'db' | 'caller' | 'services'>,
  wanted: NonNullable<CreateVm['networks']>,
  hasPublic: boolean,
): Promise<Connection[]> {
  if (wanted.length === 0) return [];
  await requireRoomIn(call, 'flexible-vps.interfaces-per-vm', hasPublic ? 1 : 0, wanted.length);
  const rows = await lockAll(call, wanted);
  const connections = wanted.map(({ network_id, ipv4, alias_ips = [] }, i): Connection => {
    const pointer = `/networks/${i}`;
    const network = rows.get(network_id);
    if (network === undefined)
      throw refuse(`${pointer}/network_id`, 'unknown_reference', 'There is no such network in this account.');
    if (network.status !== 'active' && network.status !== 'updating')
      throw new Problem('invalid_state', {
        detail: `The network ${network.name} is ${network.status}.`,
        extra: { current_state: network.status, allowed_states: ['active', 'updating'] },
      });
    const checked = ipv4 === undefined ? null : checkAddress(network, ipv4, `${pointer}/ipv4`);
    const aliases = alias_ips.map((alias, n) => checkAddress(network, alias, `${pointer}/alias_ips/${n}`));
    return { pointer, network, ipv4: checked, aliases };
  });
  refuseOverlap(connections);
  return connections;
}
