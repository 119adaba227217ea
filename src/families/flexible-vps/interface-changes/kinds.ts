/**
 * Operations that attach, change and detach interfaces. An accepted call writes the wanted state to the tables at
 * once, so that no other call gets the same address. If the engine then fails, the tables are restored.
 */
import { step } from '../../../engines/engine-step.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { done, failed, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { wakeOperations } from '../../../kernel/operations/store.ts';
import { Shape, type Static, Type } from '../../../kernel/schema.ts';
import type { Db } from '../../../store/database.ts';
import { applyFirewallsOf } from '../firewalls/engine-firewall.ts';
import { interfaceRef } from '../interfaces/schema.ts';
import { deleteInterface, readInterface, updateInterface } from '../interfaces/store.ts';
import type { InterfaceRow } from '../interfaces/table.ts';
import { readNetwork } from '../networks/store.ts';
import { readVm, updateVm } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { plug, plugIfThere, stillFit, unplug } from './engine-nics.ts';
import { refuseUnusable } from './network-membership.ts';
import { giveBack, putBack, Settings, Taken } from './previous-settings.ts';

const common = {
  family: 'flexible-vps',
  resourceType: 'interface',
  queue: 'attach',
  typicalSeconds: 5,
  deadlineSeconds: 600,
  cancellable: false,
} as const;

const GONE = failed('not_found', 'The interface is gone.');

const AttachInput = Shape({ interface_id: Type.String(), taken: Type.Optional(Type.Array(Taken)) });
const UpdateInput = Shape({ interface_id: Type.String(), taken: Type.Array(Taken), before: Settings });
const DetachInput = Shape({ interface_id: Type.String() });

type Asking = Pick<Work<unknown>, 'db' | 'services' | 'signal'>;

/** Removes taken aliases from their previous interfaces at the engine, before another interface gets them. */
async function unplugTaken(work: Asking, taken: readonly Static<typeof Taken>[]): Promise<Outcome | null> {
  for (const { interface_id } of taken) {
    const row = await readInterface(work.db, interface_id);
    const vm = row && (await readVm(work.db, row.vm_id));
    const fault = vm === undefined ? null : await plugIfThere(work, vm, interface_id);
    if (fault !== null) return fault;
    if (vm !== undefined) await applyFirewallsOf(work, vm);
  }
  return null;
}

const tellTaken = (taken: readonly Static<typeof Taken>[]): NewEvent[] =>
  taken.map(({ interface_id, addresses }) => ({
    type: 'interface.updated',
    resource: interfaceRef({ id: interface_id }),
    message: `Another interface took over ${addresses.join(', ')}.`,
  }));

/** Increases the version of the machine too, because a machine shows its interfaces. */
async function setActive(tx: Db, row: InterfaceRow): Promise<void> {
  await updateVm(tx, row.vm_id, {});
  await updateInterface(tx, row.id, { status: 'active' });
}

async function networkName({ db }: Asking, { account_id, network_id }: InterfaceRow): Promise<string> {
  const network = network_id === null ? undefined : await readNetwork(db, account_id, network_id);
  return network?.name ?? 'of the location';
}

export const attachInterfaceKind = kind<typeof AttachInput>({
  ...common,
  type: 'interface.attach',
  input: AttachInput,
  steps: [
    step('plug', async (work) => {
      const { db, input } = work;
      const row = await readInterface(db, input.interface_id);
      const vm = row && (await stillFit(work, row.vm_id, 'attachVmInterface'));
      if (!row || !vm) return GONE;
      const network =
        row.network_id === null ? undefined : await readNetwork(db, row.account_id, row.network_id);
      if (network === undefined) return failed('not_found', 'The network is gone.');
      refuseUnusable(network);
      const fault = await unplugTaken(work, input.taken ?? []);
      if (fault !== null) return fault;
      await applyFirewallsOf(work, vm);
      const misfit = await plug(work, vm, row.id);
      if (misfit !== null) return misfit;
      return done({}, async (tx) => {
        await setActive(tx, row);
        const message = `The machine ${vm.name} was connected to the network ${network.name}.`;
        const attached = { type: 'interface.attached', resource: interfaceRef(row), message };
        return [...tellTaken(input.taken ?? []), attached];
      });
    }),
  ],
  undo: [
    step('unplug', async (work) => {
      const row = await readInterface(work.db, work.input.interface_id);
      const vm = row && (await readVm(work.db, row.vm_id));
      const fault = row && vm && (await unplug(work, vm, row.id));
      if (row && vm) await applyFirewallsOf(work, vm, { interfaceId: row.id });
      return fault ?? done();
    }),
  ],
  // A failed attachment leaves no row, whatever the call wants: `settle` deletes it.
  erase: async () => [],
  provisions: 'vm_interfaces',
  async settle(tx, { status }, { interface_id, taken = [] }) {
    if (status === 'succeeded') return undefined;
    const row = await readInterface(tx, interface_id);
    if (row?.status !== 'attaching') return undefined;
    await updateVm(tx, row.vm_id, {});
    await giveBack(tx, row, taken);
    await deleteInterface(tx, row.id);
    if (row.network_id !== null) await wakeOperations(tx, row.network_id);
    return undefined;
  },
});

export const updateInterfaceKind = kind<typeof UpdateInput>({
  ...common,
  type: 'interface.update',
  input: UpdateInput,
  steps: [
    step('apply', async (work) => {
      const row = await readInterface(work.db, work.input.interface_id);
      const vm = row && (await stillFit(work, row.vm_id, 'updateVmInterface'));
      if (!row || !vm) return GONE;
      const fault = (await unplugTaken(work, work.input.taken)) ?? (await plug(work, vm, row.id));
      if (fault !== null) return fault;
      await applyFirewallsOf(work, vm);
      return done({}, async (tx) => {
        await setActive(tx, row);
        const message = `An interface of the machine ${vm.name} was changed.`;
        const updated = { type: 'interface.updated', resource: interfaceRef(row), message };
        return [...tellTaken(work.input.taken), updated];
      });
    }),
  ],
  async settle(tx, { status }, { interface_id, taken, before }) {
    if (status === 'succeeded') return undefined;
    const row = await readInterface(tx, interface_id);
    if (row?.status !== 'updating') return undefined;
    await updateVm(tx, row.vm_id, {});
    await giveBack(tx, row, taken);
    await putBack(tx, row, before);
    return undefined;
  },
});

/**
 * Returns the machine. For a detachment that a caller requested (`detaching`), its state is checked again. The
 * deletion of a network detaches machines in any state.
 */
async function leaving(work: Asking, row: InterfaceRow): Promise<VmRow | null> {
  if (row.status === 'detaching') return stillFit(work, row.vm_id, 'detachVmInterface');
  return (await readVm(work.db, row.vm_id)) ?? null;
}

export const detachInterfaceKind = kind<typeof DetachInput>({
  ...common,
  type: 'interface.detach',
  input: DetachInput,
  steps: [
    step('announce', async (work) => {
      const row = await readInterface(work.db, work.input.interface_id);
      if (row === undefined || (await leaving(work, row)) === null) return done();
      return done({}, async (tx) => {
        if (row.status === 'detaching') return undefined;
        await updateVm(tx, row.vm_id, {});
        await updateInterface(tx, row.id, { status: 'detaching' });
        return undefined;
      });
    }),
    step('unplug', async (work) => {
      const row = await readInterface(work.db, work.input.interface_id);
      const vm = row && (await readVm(work.db, row.vm_id));
      if (!row || !vm) return done({ changed: false });
      const fault = await unplug(work, vm, row.id);
      if (fault !== null) return fault;
      await applyFirewallsOf(work, vm, { interfaceId: row.id });
      const name = await networkName(work, row);
      return done({}, async (tx) => {
        await updateVm(tx, row.vm_id, {});
        await deleteInterface(tx, row.id);
        if (row.network_id !== null) await wakeOperations(tx, row.network_id);
        const message = `The machine ${vm.name} was disconnected from the network ${name}.`;
        return [{ type: 'interface.detached', resource: interfaceRef(row), message }];
      });
    }),
  ],
  async settle(tx, { status }, { interface_id }) {
    const row = status === 'succeeded' ? undefined : await readInterface(tx, interface_id);
    if (row?.status === 'detaching') await setActive(tx, row);
    return undefined;
  },
});
