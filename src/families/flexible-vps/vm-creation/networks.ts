/** Resolves the private networks of a new machine and checks the addresses it requests there. */
import type { Call } from '../../../kernel/call.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import { Faults } from '../faults.ts';
import { refuseUnusable } from '../interface-changes/network-membership.ts';
import { checkAddresses, type Wanted } from '../interface-changes/private-addresses.ts';
import { overlaps } from '../networks/addresses.ts';
import { lockNetwork } from '../networks/store.ts';
import type { NetworkRow } from '../networks/table.ts';
import type { CreateVm } from './body.ts';

export interface Connection {
  readonly pointer: string;
  readonly network: NetworkRow;
  readonly wanted: Wanted;
}

const refuse = (pointer: string, code: FieldError['code'], detail: string) =>
  invalid([{ pointer, code, detail }]);

/** Prefixes error pointers with the position of the network in the request. */
function checkedAt(
  pointer: string,
  network: NetworkRow,
  asked: Parameters<typeof checkAddresses>[1],
): Wanted {
  try {
    return checkAddresses(network, asked);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw invalid(error.errors.map((each) => ({ ...each, pointer: `${pointer}${each.pointer}` })));
  }
}

/** Locks the networks in the order of their ids, so that two requests for the same networks do not deadlock. */
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
        throw new Problem('already_attached', {
          detail: 'The request contains the same network twice.',
          nextStep: 'Name each network only once.',
          extra,
        });
      }
      if (overlaps(one.network.ipv4_cidr, other.network.ipv4_cidr)) {
        const detail = `${one.network.name} and ${other.network.name} have overlapping ranges.`;
        throw new Problem('cidr_overlap', { detail, extra: { existing_id: one.network.id } });
      }
    }
  }
}

export async function resolveNetworks(
  call: Pick<Call, 'db' | 'caller'>,
  wanted: NonNullable<CreateVm['networks']>,
): Promise<Connection[]> {
  if (wanted.length === 0) return [];
  const rows = await lockAll(call, wanted);
  const faults = new Faults();
  const connections: Connection[] = [];
  for (const [i, { network_id, ipv4, alias_ips = [] }] of wanted.entries()) {
    await faults.check(() => {
      const pointer = `/networks/${i}`;
      const network = rows.get(network_id);
      if (network === undefined)
        throw refuse(
          `${pointer}/network_id`,
          'unknown_reference',
          'There is no such network in this account.',
        );
      refuseUnusable(network);
      connections.push({ pointer, network, wanted: checkedAt(pointer, network, { ipv4, alias_ips }) });
    });
  }
  faults.found({});
  refuseOverlap(connections);
  return connections;
}
