/** Which networks a gateway may join, and its interfaces there. */
import type { Call } from '../../../kernel/call.ts';
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import type { Db } from '../../../store/database.ts';
import { refuseUnusable } from '../interface-changes/network-membership.ts';
import { holdOwn } from '../interface-changes/private-addresses.ts';
import { newMac } from '../interfaces/macs.ts';
import { newInterfaceId } from '../interfaces/resource.ts';
import { lockNetwork } from '../networks/store.ts';
import type { NetworkRow } from '../networks/table.ts';
import type { NamedRange } from './rules.ts';
import { joinNetwork } from './store.ts';
import type { GatewayNetworkRow } from './table.ts';

/** Locks the networks in the order of their ids, so that calls do not deadlock. Returns them in the given order. */
export async function lockNetworks(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  location: string,
  ids: readonly string[],
): Promise<NetworkRow[]> {
  const found = new Map<string, NetworkRow>();
  for (const id of ids.toSorted()) {
    const row = await lockNetwork(db, caller.account.id, id);
    if (row !== undefined) found.set(id, row);
  }
  const faults = ids.flatMap((id, i): FieldError[] => {
    const pointer = `/network_ids/${i}`;
    const row = found.get(id);
    if (row === undefined)
      return [{ pointer, code: 'unknown_reference', detail: 'There is no such network in this account.' }];
    const detail = `The network is in ${row.location}, the gateway in ${location}.`;
    return row.location === location ? [] : [{ pointer, code: 'location_mismatch', detail }];
  });
  if (faults.length > 0) throw invalid(faults);
  const rows = ids.flatMap((id) => found.get(id) ?? []);
  for (const row of rows) refuseUnusable(row);
  return rows;
}

export const rangesOf = (networks: readonly Pick<NetworkRow, 'id' | 'name' | 'ipv4_cidr'>[]): NamedRange[] =>
  networks.map(({ id, name, ipv4_cidr }) => ({ id, what: `the network ${name}`, range: ipv4_cidr }));

function freePosition(present: readonly Pick<GatewayNetworkRow, 'position'>[]): number {
  const taken = new Set(present.map(({ position }) => position));
  // The public interface has the index 0.
  let free = 1;
  while (taken.has(free)) free++;
  return free;
}

/** Reserves an interface with addresses in each network, after those that the gateway already has. */
export async function joinNetworks(
  db: Db,
  gatewayId: string,
  present: readonly Pick<GatewayNetworkRow, 'position'>[],
  joined: readonly { readonly network: NetworkRow; readonly rank: number }[],
): Promise<void> {
  const all = [...present];
  for (const { network, rank } of joined) {
    const position = freePosition(all);
    all.push({ position });
    const [nic_id, mac] = [newInterfaceId(), newMac()];
    await joinNetwork(db, {
      gateway_id: gatewayId,
      network_id: network.id,
      nic_id,
      mac,
      position,
      rank,
      state: 'joining',
    });
    await holdOwn(db, network, { gatewayId, mac }, { ipv4: null, ipv6: null });
  }
}
