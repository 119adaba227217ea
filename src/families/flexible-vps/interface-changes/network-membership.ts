/** Checks whether a machine may be in a private network, and creates its interface there. */
import type { Call } from '../../../kernel/call.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import type { Db } from '../../../store/database.ts';
import { insertInterface } from '../interfaces/insertion/store.ts';
import { newMac } from '../interfaces/macs.ts';
import { newInterfaceId } from '../interfaces/resource.ts';
import type { InterfaceRow, NewInterface } from '../interfaces/table.ts';
import { overlaps } from '../networks/addresses.ts';
import { readNetwork } from '../networks/store.ts';
import type { NetworkRow } from '../networks/table.ts';
import type { VmRow } from '../vms/table.ts';

const usable = ['active', 'updating'];

export function refuseUnusable({ name, status }: Pick<NetworkRow, 'name' | 'status'>): void {
  if (usable.includes(status)) return;
  throw new Problem('invalid_state', {
    detail: `The network ${name} is ${status}. Machines can join it only while it is ${usable.join(' or ')}.`,
    extra: { current_state: status, allowed_states: usable },
  });
}

function refuseElsewhere(vm: Pick<VmRow, 'location'>, network: NetworkRow): void {
  if (vm.location === network.location) return;
  const detail = `The network is in ${network.location}, the machine in ${vm.location}.`;
  throw invalid([{ pointer: '/network_id', code: 'location_mismatch', detail }]);
}

async function refuseConflicts(db: Db, network: NetworkRow, present: readonly InterfaceRow[]): Promise<void> {
  const same = present.find(({ network_id }) => network_id === network.id);
  if (same !== undefined)
    throw new Problem('already_attached', {
      detail: `The machine is already in this network with its interface ${same.id}.`,
      nextStep: 'Use that interface; to give it another address, detach it first.',
      extra: { attached_to: same.id },
    });
  for (const { network_id } of present) {
    const other = network_id === null ? undefined : await readNetwork(db, network.account_id, network_id);
    if (other !== undefined && overlaps(other.ipv4_cidr, network.ipv4_cidr))
      throw new Problem('cidr_overlap', {
        detail: `The machine is in ${other.name} (${other.ipv4_cidr}), which overlaps ${network.ipv4_cidr}.`,
        extra: { existing_id: other.id },
      });
  }
}

/** Throws unless the machine with the interfaces `present` may join the network. Callers hold the locks of both. */
export async function requireJoinable(
  call: Pick<Call, 'db' | 'caller' | 'services' | 'event'>,
  vm: VmRow,
  network: NetworkRow,
  present: readonly InterfaceRow[],
): Promise<void> {
  refuseElsewhere(vm, network);
  refuseUnusable(network);
  await refuseConflicts(call.db, network, present);
  await requireRoomIn(call, 'flexible-vps.interfaces-per-vm', vm.id, { before: present.length });
}

/** The lowest free position. An interface keeps its position until it is deleted. */
export function nextPosition(present: readonly Pick<InterfaceRow, 'position'>[]): number {
  const taken = new Set(present.map(({ position }) => position));
  let free = 0;
  while (taken.has(free)) free++;
  return free;
}

interface Chosen {
  readonly id?: string;
  readonly anti_spoofing?: boolean | undefined;
  readonly description?: string | undefined;
}

export function newInterface(
  vm: Pick<VmRow, 'id' | 'account_id'>,
  present: readonly Pick<InterfaceRow, 'position'>[],
  network: Pick<NetworkRow, 'id' | 'mtu'> | null,
  { id = newInterfaceId(), anti_spoofing = true, description = '' }: Chosen = {},
): NewInterface {
  return {
    id,
    account_id: vm.account_id,
    vm_id: vm.id,
    kind: network === null ? 'public' : 'private',
    network_id: network?.id ?? null,
    mac: newMac(),
    position: nextPosition(present),
    mtu: network?.mtu ?? PUBLIC_MTU,
    anti_spoofing,
    description,
    status: 'attaching',
  };
}

export const addInterface = (db: Db, ...args: Parameters<typeof newInterface>): Promise<InterfaceRow> =>
  insertInterface(db, newInterface(...args));

const PUBLIC_MTU = 1500;
