/**
 * What the calls check and start that give a public address to a machine or take it away: those about a machine, and
 * those about an address. The caller has locked the machine, and then the address.
 */
import type { Call } from '../../../kernel/call.ts';
import { forNow } from '../../../kernel/effect.ts';
import type { Child } from '../../../kernel/operations/kind.ts';
import { pendingOn, queueOf, type StoredOperation } from '../../../kernel/operations/store.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import { setStatus } from '../../../resources/addresses/holding/store.ts';
import { addressLife } from '../../../resources/addresses/lifecycle.ts';
import { SINGLE } from '../../../resources/addresses/pool.ts';
import { isIpv6, lengthOf, textOf } from '../../../resources/addresses/resource.ts';
import { attachedAddresses, type PublicAddressRow } from '../../../resources/addresses/store.ts';
import { requireRoomIn } from '../../../resources/limits/require-room.ts';
import { requireFilter } from '../firewalls/checks.ts';
import { membershipsOf } from '../firewalls/members/store.ts';
import {
  ASSIGN_ADDRESS,
  ATTACH_PUBLIC_IP,
  arrivesAt,
  leaves,
  RESERVE_ADDRESS,
} from '../interface-changes/connection-operations.ts';
import { requireConnected } from '../interface-changes/last-connection.ts';
import { readInterfaces } from '../interfaces/store.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { readVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { withoutEphemeral } from './address-price.ts';

type Asking = Pick<Call, 'db' | 'caller' | 'services' | 'event'>;
type Accepting = Asking & Pick<Call, 'warn' | 'effect' | 'follow' | 'start' | 'now' | 'cost'>;

/** The member of the request that names the address or the machine. */
export type Pointer = '/ip_id' | '/target/id' | '/assign_to/id';

export const refuse = (pointer: Pointer, code: FieldError['code'], detail: string): Problem =>
  invalid([{ pointer, code, detail }]);

function refuseMisfit(vm: VmRow, address: PublicAddressRow, move: boolean, pointer: Pointer): void {
  requireFit(vm, address, pointer);
  if (address.vm_id === vm.id) return;
  if (address.kind === 'ephemeral')
    throw refuse(
      pointer,
      'incompatible',
      'An ephemeral address cannot be moved to another machine; use a reserved address.',
    );
  if (address.vm_id !== null && !move)
    throw new Problem('already_attached', {
      detail: `The machine ${address.vm_id} has ${textOf(address)}.`,
      extra: { attached_to: address.vm_id },
    });
}

/** Throws 422 if the machine is elsewhere, or if the address is none that machines can have. */
export function requireFit(
  vm: Pick<VmRow, 'location'>,
  address: Pick<PublicAddressRow, 'location' | 'block'>,
  pointer: Pointer,
): void {
  if (address.location !== vm.location)
    throw refuse(
      pointer,
      'location_mismatch',
      `The address is in ${address.location}, the machine in ${vm.location}.`,
    );
  if (lengthOf(address) !== SINGLE[isIpv6(address) ? 6 : 4])
    throw refuse(
      pointer,
      'incompatible',
      'Machines have single IPv4 addresses and IPv6 prefixes of the length 64; larger blocks are for dedicated servers.',
    );
}

/** Checks the limits of the machine. Addresses that are still on their way to it count as well. */
export async function requirePlace(
  call: Asking,
  vm: VmRow,
  held: readonly PublicAddressRow[],
): Promise<void> {
  const queued = await queueOf(call.db, [vm.id]);
  const adding: readonly string[] = [ATTACH_PUBLIC_IP, ASSIGN_ADDRESS, RESERVE_ADDRESS];
  const coming = queued.filter(({ type }) => adding.includes(type)).length;
  await requireRoomIn(call, 'flexible-vps.public-ips-per-vm', vm.id, { before: held.length + coming });
  const interfaces = await readInterfaces(call.db, [vm.id]);
  if (interfaces.some(({ kind }) => kind === 'public')) return;
  await requireRoomIn(call, 'flexible-vps.interfaces-per-vm', vm.id, { before: interfaces.length });
  // Firewalls of the whole machine apply to the new interface, too.
  const had = await membershipsOf(call.db, vm.id);
  if (had.some(({ interface_id }) => interface_id === null))
    requireFilter(call.services, vm.location, 'public');
}

interface Door {
  /** The call, as the states of addresses know it. */
  readonly endpointId: string;
  /** Reports the effect. `held` are the addresses that the machine has now; null: nothing changes. */
  report(held: readonly PublicAddressRow[] | null): void;
}

/** A repeated call follows the pending operation instead of starting another one. */
function followed(call: Accepting, door: Door, operation: StoredOperation): StoredOperation {
  door.report(null);
  call.follow(operation);
  return operation;
}

/** Checks that the machine that loses the address stays connected, and reports its loss. */
async function takeFrom(
  call: Accepting,
  loser: VmRow,
  address: PublicAddressRow,
  confirm: string | undefined,
): Promise<void> {
  await requireConnected(
    call,
    { machines: [loser], taken: [address.id] },
    {
      given: confirm,
      pointer: '/confirm',
      subject: { type: 'machine that has the address', name: loser.name },
    },
  );
  call.effect({ action: 'detach', ...vms.ref(loser), loss: forNow(`The address ${textOf(address)}.`) });
}

interface Attaching {
  readonly vm: VmRow;
  readonly address: PublicAddressRow;
  /** Whether the address may be taken from the machine that has it. */
  readonly move: boolean;
  /** The name of the machine that has the address. */
  readonly confirm: string | undefined;
}

export async function attach(
  call: Accepting,
  { vm, address, move, confirm }: Attaching,
  door: Door & {
    readonly pointer: Pointer;
    /** The operation that does it; `from` is the machine that loses the address. */
    start(from: string | null): Child;
  },
): Promise<StoredOperation> {
  const { db } = call;
  const pending = await pendingOn(db, [vm.id, address.id]);
  vmLife.require('attachVmPublicIp', vm.status, { operation: pending.get(vm.id) });
  refuseMisfit(vm, address, move, door.pointer);
  const working = pending.get(address.id);
  if (working !== undefined && arrivesAt(working) === vm.id) return followed(call, door, working);
  addressLife.require(door.endpointId, address.status, { operation: working });
  const from = address.vm_id === vm.id ? null : address.vm_id;
  const start = door.start(from);
  if (address.vm_id === vm.id) {
    door.report(null);
    return call.start({ ...start, unchanged: true });
  }
  const held = await attachedAddresses(db, [vm.id]);
  await requirePlace(call, vm, held);
  door.report(held);
  const loser = from === null ? undefined : await readVm(db, from);
  if (loser !== undefined) await takeFrom(call, loser, address, confirm);
  await setStatus(db, address.id, from === null ? 'assigning' : 'moving');
  return call.start({ ...start, subjects: [vm.id, ...(from === null ? [] : [from]), address.id] });
}

interface Detaching {
  readonly vm: VmRow;
  /** The machine has it. */
  readonly address: PublicAddressRow;
}

/** Where the name of the machine is, in a request that may leave it without a connection. */
export interface Confirming {
  readonly given: string | undefined;
  readonly pointer: '/confirm' | 'query/confirm';
}

export function requireStaysConnected(
  call: Pick<Call, 'db' | 'warn'>,
  { vm, address }: Detaching,
  confirm: Confirming,
): Promise<void> {
  const subject = { type: 'machine', name: vm.name };
  return requireConnected(call, { machines: [vm], taken: [address.id] }, { ...confirm, subject });
}

export async function detach(
  call: Accepting,
  { vm, address }: Detaching,
  door: Door & { readonly confirm: Confirming; start(): Child },
): Promise<StoredOperation> {
  const { db } = call;
  const pending = await pendingOn(db, [vm.id, address.id]);
  const working = pending.get(address.id);
  if (working !== undefined && leaves(working) === vm.id) return followed(call, door, working);
  vmLife.require('detachVmPublicIp', vm.status, { operation: pending.get(vm.id) });
  addressLife.require(door.endpointId, address.status, { operation: working });
  const held = await attachedAddresses(db, [vm.id]);
  await requireStaysConnected(call, { vm, address }, door.confirm);
  door.report(held);
  await vms.reportCost(call, [vm], withoutEphemeral(vm, address));
  await setStatus(db, address.id, 'unassigning');
  return call.start({ ...door.start(), subjects: [vm.id, address.id] });
}
