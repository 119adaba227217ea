/**
 * How an address gets to a machine and leaves it, as steps that several operations share. The table says which machine
 * has an address; an address with a machine but no interface is being moved or detached. An engine refuses to route an
 * address twice, so a move withdraws it from the first machine, announces it at the second, and verifies what the engine
 * then reports. If the second refuses it, the first gets it back.
 */
import { EngineRefused } from '../../../engines/compute/port.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { done, failed, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import type { OperationError } from '../../../kernel/operations/schema.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { setAttachment, setStatus } from '../../../resources/addresses/holding/store.ts';
import type { AddressStatus } from '../../../resources/addresses/lifecycle.ts';
import { addresses, textOf } from '../../../resources/addresses/resource.ts';
import { ipv4In, type PublicAddressRow, readAddress } from '../../../resources/addresses/store.ts';
import type { Db } from '../../../store/database.ts';
import { applyFirewallsOf } from '../firewalls/engine-firewall.ts';
import { plug, plugIfThere, stillFit } from '../interface-changes/engine-nics.ts';
import { newInterface } from '../interface-changes/network-membership.ts';
import { insertInterface } from '../interfaces/insertion/store.ts';
import { deleteInterface, readInterfaces, updateInterface } from '../interfaces/store.ts';
import { readVm, updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';

/** An address on its way to a machine. */
export interface Route {
  readonly addressId: string;
  readonly vmId: string;
  /** The machine that loses the address; the operation holds its queue too. */
  readonly from: string | null;
}

export const GONE = failed('not_found', 'The machine or the address is gone.');

export const frontOf = async (db: Db, vmId: string) =>
  (await readInterfaces(db, [vmId])).find(({ kind }) => kind === 'public');

type Named = Pick<VmRow, 'name'>;

function assignedEvent(address: PublicAddressRow, vm: Named, from: Named | undefined): NewEvent {
  const ref = { ...address, name: textOf(address) };
  return from === undefined
    ? addresses.event('assigned', ref, { says: `was assigned to the machine ${vm.name}` })
    : addresses.event('moved', ref, { says: `was moved from the machine ${from.name} to ${vm.name}` });
}

export const unassignedEvent = (address: PublicAddressRow, vm: Named): NewEvent =>
  addresses.event(
    'unassigned',
    { ...address, name: textOf(address) },
    { says: `was taken from the machine ${vm.name}` },
  );

/** Returns the machine and the address; null if one is gone. Throws if the call would not be accepted any more. */
export async function bothOf(
  work: Pick<Work<unknown>, 'db' | 'accountId'>,
  { addressId, vmId }: Pick<Route, 'addressId' | 'vmId'>,
  endpointId: string,
): Promise<{ vm: VmRow; address: PublicAddressRow } | null> {
  const vm = await stillFit(work, vmId, endpointId);
  const address = await readAddress(work.db, addressId);
  return vm === null || address?.account_id !== work.accountId ? null : { vm, address };
}

/** What `prepare` keeps for the steps after it and for the end of the operation. */
export interface Prepared {
  readonly changed: boolean;
}

export async function prepare(work: Work<unknown>, route: Route): Promise<Outcome> {
  const { db } = work;
  const found = await bothOf(work, route, 'attachVmPublicIp');
  if (found === null) return GONE;
  const { vm, address } = found;
  const changed = address.vm_id !== vm.id;
  if (changed && address.vm_id !== null && address.vm_id !== route.from)
    throw new Problem('already_attached', { detail: `The machine ${address.vm_id} has it now.` });
  const present = await readInterfaces(db, [vm.id]);
  return done({ changed } satisfies Prepared, async (tx) => {
    await updateVm(tx, vm.id, {});
    if (!present.some(({ kind }) => kind === 'public'))
      await insertInterface(tx, newInterface(vm, present, null), ipv4In([address]));
    if (!changed || address.vm_id === null) return undefined;
    await updateVm(tx, address.vm_id, {});
    await setAttachment(tx, address.id, { vmId: address.vm_id, interfaceId: null }, address.status);
    return undefined;
  });
}

/** Removes the address from the machine that has it, at the engine and in the tables. */
export async function withdraw(work: Work<unknown>, { addressId, vmId }: Route): Promise<Outcome> {
  const { db } = work;
  const address = await readAddress(db, addressId);
  const front = await frontOf(db, vmId);
  if (address === undefined || front === undefined) return GONE;
  const loser = address.vm_id === null ? undefined : await readVm(db, address.vm_id);
  const isElsewhere = loser !== undefined && loser.id !== front.vm_id;
  const left = isElsewhere ? await frontOf(db, loser.id) : undefined;
  const fault = isElsewhere && left !== undefined ? await plugIfThere(work, loser, left.id) : null;
  if (fault !== null) return fault;
  if (isElsewhere) await applyFirewallsOf(work, loser);
  return done({}, async (tx) => {
    await updateVm(tx, front.vm_id, {});
    if (isElsewhere) await updateVm(tx, loser.id, {});
    await setAttachment(tx, address.id, { vmId: front.vm_id, interfaceId: front.id }, address.status);
    return undefined;
  });
}

interface Announced {
  readonly refused?: OperationError;
}

/** The final refusal of an engine, after which trying again is of no use. */
async function refusalOf(act: () => Promise<Outcome | null>): Promise<Outcome | null> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof EngineRefused) return failed(error.code, error.message);
    throw error;
  }
}

/** Adds the address at the engine, and looks whether it is there. `status` is what the address has from then on. */
export async function announce(
  work: Work<unknown>,
  { addressId, vmId, from }: Route,
  status: AddressStatus = 'assigned',
): Promise<Outcome> {
  const { db, results, now } = work;
  const address = await readAddress(db, addressId);
  const vm = await readVm(db, vmId);
  const front = vm && (await frontOf(db, vm.id));
  if (!vm || !front || !address) return GONE;
  const { changed } = results['prepare'] as Prepared;
  const fault = await refusalOf(async () => {
    await applyFirewallsOf(work, vm);
    return plug(work, vm, front.id);
  });
  const loser = from === null || !changed ? undefined : await readVm(db, from);
  if (fault?.kind === 'failed' && !fault.error.retryable && loser !== undefined)
    return done({ refused: fault.error } satisfies Announced, (tx) => leadBack(tx, address, from));
  if (fault !== null) return fault;
  return done({ changed }, async (tx) => {
    await updateVm(tx, vm.id, {});
    await updateInterface(tx, front.id, { status: 'active', provisioned_at: front.provisioned_at ?? now });
    await setStatus(tx, address.id, status);
    return changed ? [assignedEvent(address, vm, loser)] : undefined;
  });
}

/** After a refusal at the second machine: announces the address at the first again, and then fails. */
export async function restore(work: Work<unknown>, { from }: Route): Promise<Outcome> {
  const { db, results } = work;
  const { refused } = results['announce'] as Announced;
  const { changed } = results['prepare'] as Prepared;
  if (refused === undefined) return done({ changed });
  const vm = from === null ? undefined : await readVm(db, from);
  const front = vm && (await frontOf(db, vm.id));
  if (vm !== undefined && front !== undefined) {
    await applyFirewallsOf(work, vm);
    const fault = await plugIfThere(work, vm, front.id);
    if (fault !== null) return fault;
  }
  return { kind: 'failed', error: refused };
}

/** In the tables, the address is at the machine again that was to lose it. Drift of the engine is repaired. */
async function leadBack(tx: Db, address: PublicAddressRow, vmId: string | null): Promise<undefined> {
  const front = vmId === null ? undefined : await frontOf(tx, vmId);
  if (vmId === null || front === undefined) {
    await setAttachment(tx, address.id, null);
    return undefined;
  }
  await updateVm(tx, vmId, {});
  await setAttachment(tx, address.id, { vmId, interfaceId: front.id });
  return undefined;
}

/** Deletes a public interface that was created for an address whose attachment failed. */
async function removeUnused(tx: Db, vmId: string): Promise<void> {
  const front = await frontOf(tx, vmId);
  const { ipv4 = null, ipv6 = null } = front?.addresses ?? {};
  if (front?.status === 'attaching' && ipv4 === null && ipv6 === null) await deleteInterface(tx, front.id);
}

/** Ends an assignment that did not succeed. `prepared` is undefined if nothing was changed before it ended. */
export async function abandon(
  tx: Db,
  { addressId, vmId, from }: Route,
  prepared: Prepared | undefined,
): Promise<void> {
  const address = await readAddress(tx, addressId);
  if (prepared !== undefined) await updateVm(tx, vmId, {});
  if (address !== undefined) {
    const isAtTarget = address.vm_id === vmId && prepared?.changed === true;
    await leadBack(tx, address, isAtTarget ? from : address.vm_id);
  }
  if (prepared !== undefined) await removeUnused(tx, vmId);
}

/** Before a machine loses an address: no engine call goes on with it, but the table still names the machine. */
export async function withhold(
  work: Work<unknown>,
  place: Pick<Route, 'addressId' | 'vmId'>,
  endpointId: string,
): Promise<Outcome> {
  const found = await bothOf(work, place, endpointId);
  if (found === null || found.address.vm_id !== found.vm.id) return GONE;
  const { vm, address } = found;
  return done({}, async (tx) => {
    await updateVm(tx, vm.id, {});
    await setAttachment(tx, address.id, { vmId: vm.id, interfaceId: null }, address.status);
    return undefined;
  });
}

/** Removes a withheld address from its machine. `letGo` writes what becomes of it. */
export async function unplugAddress(
  work: Work<unknown>,
  { addressId, vmId }: Pick<Route, 'addressId' | 'vmId'>,
  letGo: (tx: Db, vm: VmRow, address: PublicAddressRow) => Promise<readonly NewEvent[]>,
): Promise<Outcome> {
  const { db } = work;
  const vm = await readVm(db, vmId);
  const address = await readAddress(db, addressId);
  if (vm === undefined || address?.vm_id !== vm.id) return GONE;
  const front = await frontOf(db, vm.id);
  const fault = front === undefined ? null : await plugIfThere(work, vm, front.id);
  if (fault !== null) return fault;
  await applyFirewallsOf(work, vm);
  return done({}, async (tx) => {
    await updateVm(tx, vm.id, {});
    return letGo(tx, vm, address);
  });
}

/** Makes the engine of the machine that has the address route it, or not, as the table says by now. */
export async function routeAgain(work: Work<unknown>, { vm_id }: PublicAddressRow): Promise<Outcome> {
  const vm = vm_id === null ? undefined : await readVm(work.db, vm_id);
  const front = vm && (await frontOf(work.db, vm.id));
  if (vm === undefined || front === undefined) return done({ changed: false });
  return (await plugIfThere(work, vm, front.id)) ?? done({ changed: true });
}

/** The machine keeps an address whose detachment failed. */
export async function keepAttached(
  tx: Db,
  { addressId, vmId }: Pick<Route, 'addressId' | 'vmId'>,
): Promise<void> {
  const address = await readAddress(tx, addressId);
  if (address !== undefined && address.vm_id === vmId) await leadBack(tx, address, vmId);
}
