/**
 * Operations that attach public addresses to machines and detach them. The table says which machine has an address;
 * an address with a machine but no interface is being moved or detached. The engine removes an address from a
 * machine before another machine can get it.
 */
import { step } from '../../../engines/engine-step.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { done, failed, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { readOperation } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { Nullable, Shape, type Static, Type } from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import {
  ipv4In,
  type PublicAddressRow,
  readAddress,
  releaseAddress,
  setAttachment,
} from '../../../resources/addresses/store.ts';
import type { Db } from '../../../store/database.ts';
import { applyFirewallsOf } from '../firewalls/engine-firewall.ts';
import { ATTACH_PUBLIC_IP, DETACH_PUBLIC_IP } from '../interface-changes/connection-operations.ts';
import { plug, plugIfThere, stillFit } from '../interface-changes/engine-nics.ts';
import { newInterface } from '../interface-changes/network-membership.ts';
import { insertInterface } from '../interfaces/insertion/store.ts';
import { deleteInterface, readInterfaces, updateInterface } from '../interfaces/store.ts';
import { noteVm } from '../vms/inventory.ts';
import { readVm, updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { withoutEphemeral } from './address-price.ts';
import { addressRef, textOf } from './schema.ts';

const common = {
  family: 'flexible-vps',
  resourceType: 'vm',
  queue: 'attach',
  typicalSeconds: 5,
  deadlineSeconds: 600,
  cancellable: false,
} as const;

const AttachInput = Shape({
  ip_id: Type.String(),
  /** The machine that loses the address; the operation holds its queue too. */
  from: Nullable(Type.String()),
});
type AttachInput = Static<typeof AttachInput>;

const DetachInput = Shape({ ip_id: Type.String() });

const frontOf = async (db: Db, vmId: string) =>
  (await readInterfaces(db, [vmId])).find(({ kind }) => kind === 'public');

const event = (verb: 'attached' | 'detached', vm: VmRow, address: PublicAddressRow): NewEvent => ({
  type: `public_ip.${verb}`,
  resource: addressRef(address),
  message: `${textOf(address)} was ${verb === 'attached' ? 'attached to' : 'detached from'} the machine ${vm.name}.`,
});

/** Returns the machine and the address; null if one is gone. Throws if the call would not be accepted any more. */
async function both<I extends { readonly ip_id: string }>(
  work: Work<I>,
  endpointId: string,
): Promise<{ vm: VmRow; address: PublicAddressRow } | null> {
  const vm = await stillFit(work, work.resourceId, endpointId);
  const address = await readAddress(work.db, work.input.ip_id);
  return vm === null || address?.account_id !== work.accountId ? null : { vm, address };
}

const GONE = failed('not_found', 'The machine or the address is gone.');

/** Attaches an address that has a machine but no interface to the public interface of that machine again. */
async function leadBack(tx: Db, address: PublicAddressRow): Promise<void> {
  const { vm_id, interface_id } = address;
  const front = vm_id === null || interface_id !== null ? undefined : await frontOf(tx, vm_id);
  if (vm_id === null || front === undefined) return;
  await updateVm(tx, vm_id, {});
  await setAttachment(tx, address.id, { vmId: vm_id, interfaceId: front.id });
}

/** Deletes a public interface that was created for an address whose attachment failed. */
async function removeUnused(tx: Db, vmId: string): Promise<void> {
  const front = await frontOf(tx, vmId);
  const { ipv4 = null, ipv6 = null } = front?.addresses ?? {};
  if (front?.status === 'attaching' && ipv4 === null && ipv6 === null) await deleteInterface(tx, front.id);
}

async function prepare(work: Work<AttachInput>): Promise<Outcome> {
  const { db, input } = work;
  const found = await both(work, 'attachVmPublicIp');
  if (found === null) return GONE;
  const { vm, address } = found;
  const changed = address.vm_id !== vm.id;
  if (changed && address.vm_id !== null && address.vm_id !== input.from)
    throw new Problem('already_attached', { detail: `The machine ${address.vm_id} has it now.` });
  const present = await readInterfaces(db, [vm.id]);
  return done({ changed }, async (tx) => {
    await updateVm(tx, vm.id, {});
    if (!present.some(({ kind }) => kind === 'public'))
      await insertInterface(tx, newInterface(vm, present, null), ipv4In([address]));
    if (!changed || address.vm_id === null) return undefined;
    await updateVm(tx, address.vm_id, {});
    await setAttachment(tx, address.id, { vmId: address.vm_id, interfaceId: null });
    return undefined;
  });
}

async function take(work: Work<AttachInput>): Promise<Outcome> {
  const { db, resourceId, input } = work;
  const address = await readAddress(db, input.ip_id);
  const front = await frontOf(db, resourceId);
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
    await setAttachment(tx, address.id, { vmId: front.vm_id, interfaceId: front.id });
    return isElsewhere ? [event('detached', loser, address)] : undefined;
  });
}

async function give(work: Work<AttachInput>): Promise<Outcome> {
  const { db, resourceId, input, results, now } = work;
  const address = await readAddress(db, input.ip_id);
  const vm = await readVm(db, resourceId);
  const front = vm && (await frontOf(db, vm.id));
  if (!vm || !front || !address) return GONE;
  await applyFirewallsOf(work, vm);
  const fault = await plug(work, vm, front.id);
  if (fault !== null) return fault;
  const { changed } = results['prepare'] as { changed: boolean };
  return done({ changed }, async (tx) => {
    await updateVm(tx, vm.id, {});
    await updateInterface(tx, front.id, { status: 'active', provisioned_at: front.provisioned_at ?? now });
    return changed ? [event('attached', vm, address)] : undefined;
  });
}

export const attachPublicIpKind = kind<typeof AttachInput>({
  ...common,
  type: ATTACH_PUBLIC_IP,
  input: AttachInput,
  steps: [step('prepare', prepare), step('take', take), step('give', give)],
  async settle(tx, { id, status, resourceId: vmId }, { ip_id }) {
    if (status === 'succeeded') return undefined;
    const address = await readAddress(tx, ip_id);
    const prepared = (await readOperation(tx, id))?.results['prepare'] as { changed: boolean } | undefined;
    // Nothing was changed before the step `prepare` committed.
    if (prepared === undefined) return undefined;
    await updateVm(tx, vmId, {});
    if (address?.vm_id === vmId && prepared.changed) await setAttachment(tx, ip_id, null);
    else if (address !== undefined) await leadBack(tx, address);
    await removeUnused(tx, vmId);
    return undefined;
  },
});

/**
 * Detaches a reserved address, which stays in the account, or releases an ephemeral one. No other account gets a
 * released address for a week, and the machine costs less without it.
 */
async function letGo(
  services: Services,
  tx: Db,
  vm: VmRow,
  address: PublicAddressRow,
  now: Date,
): Promise<void> {
  const { configuration } = withoutEphemeral(vm, address);
  const changed = await updateVm(tx, vm.id, { configuration });
  if (address.kind === 'reserved') await setAttachment(tx, address.id, null);
  else await releaseAddress(tx, address.id, now);
  if (changed !== undefined && address.kind === 'ephemeral') await noteVm(services, tx, changed, now);
}

export const detachPublicIpKind = kind<typeof DetachInput>({
  ...common,
  type: DETACH_PUBLIC_IP,
  input: DetachInput,
  steps: [
    step('withhold', async (work) => {
      const found = await both(work, 'detachVmPublicIp');
      if (found === null || found.address.vm_id !== found.vm.id) return GONE;
      const { vm, address } = found;
      return done({}, async (tx) => {
        await updateVm(tx, vm.id, {});
        await setAttachment(tx, address.id, { vmId: vm.id, interfaceId: null });
        return undefined;
      });
    }),
    step('unplug', async (work) => {
      const { db, resourceId, input, services, now } = work;
      const vm = await readVm(db, resourceId);
      const address = await readAddress(db, input.ip_id);
      if (vm === undefined || address?.vm_id !== vm.id) return GONE;
      const front = await frontOf(db, vm.id);
      const fault = front === undefined ? null : await plugIfThere(work, vm, front.id);
      if (fault !== null) return fault;
      await applyFirewallsOf(work, vm);
      return done({}, async (tx) => {
        await letGo(services, tx, vm, address, now);
        return [event('detached', vm, address)];
      });
    }),
  ],
  async settle(tx, { status, resourceId }, { ip_id }) {
    const address = status === 'succeeded' ? undefined : await readAddress(tx, ip_id);
    if (address !== undefined && address.vm_id === resourceId) await leadBack(tx, address);
    return undefined;
  },
});
