import type { Call } from '../../../kernel/call.ts';
import { Confirm } from '../../../kernel/confirmation.ts';
import { forNow } from '../../../kernel/effect.ts';
import { during } from '../../../kernel/operations/example.ts';
import { child } from '../../../kernel/operations/kind.ts';
import { pendingOn, type StoredOperation } from '../../../kernel/operations/store.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { Named, Nullable, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { addressLife } from '../../../resources/addresses/lifecycle.ts';
import { addresses, textOf } from '../../../resources/addresses/resource.ts';
import { readAddress } from '../../../resources/addresses/store.ts';
import type { PublicAddressRow } from '../../../resources/addresses/table.ts';
import { attach, detach, lockVmIfThere, refuse, type VmRow } from '../../flexible-vps/offers.ts';
import { addressView } from '../addresses/present.ts';
import { Address, AddressId, Target } from '../addresses/schema.ts';
import { readWhole } from '../addresses/store.ts';
import { assignAddressKind, unassignAddressKind } from './kinds.ts';

const AssignAddress = Named(
  'AssignAddress',
  Shape({
    target: Nullable(Target),
    move: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether the address may be taken from the machine that has it, in the same operation.',
      }),
    ),
    confirm: Confirm(
      'The current name of the machine that has the address: required if the machine would have no interface and no address left. Default: none.',
    ),
  }),
);
type AssignAddress = Static<typeof AssignAddress>;
type AssignCall = Call<{ readonly id: string }, unknown, AssignAddress>;

/** The call, as the states of addresses know it. */
const ENDPOINT = 'setAddressAssignment';

interface Locked {
  readonly address: PublicAddressRow;
  readonly machines: ReadonlyMap<string, VmRow>;
}

/**
 * Locks the machines in the order of their ids, then the address, as all calls do, so that they do not deadlock. Starts
 * over if the address went to another machine meanwhile.
 */
async function lock(call: AssignCall): Promise<Locked> {
  const { db, caller, params, body } = call;
  const accountId = caller.account.id;
  for (;;) {
    const seen = await readAddress(db, params.id);
    if (seen === undefined || seen.account_id !== accountId) throw new Problem('not_found');
    const machines = new Map<string, VmRow>();
    const ids = [seen.vm_id, body.target?.id ?? null].filter((id) => id !== null);
    for (const id of [...new Set(ids)].sort()) {
      const vm = await lockVmIfThere(db, accountId, id);
      if (vm !== undefined) machines.set(id, vm);
    }
    const address = await addresses.lock(call, { by: 'id', value: params.id });
    if (address === undefined) throw new Problem('not_found');
    if (address.vm_id === null || machines.has(address.vm_id)) return { address, machines };
  }
}

const assignmentOf = (vmId: string | null) => (vmId === null ? null : { type: 'vm', id: vmId });

const changeTo = ({ vm_id }: PublicAddressRow, to: string | null) => ({
  pointer: '/assignment',
  before: assignmentOf(vm_id),
  after: assignmentOf(to),
});

function assign(call: AssignCall, { address, machines }: Locked, target: string): Promise<StoredOperation> {
  const { move = false, confirm } = call.body;
  const vm = machines.get(target);
  if (vm === undefined)
    throw refuse('/target/id', 'unknown_reference', 'There is no such machine in this account.');
  return attach(
    call,
    { vm, address, move, confirm },
    {
      endpointId: ENDPOINT,
      pointer: '/target/id',
      start: (from) =>
        child({ kind: assignAddressKind, input: { vm_id: vm.id, from }, resource: addresses.ref(address) }),
      report(held) {
        const ref = addresses.ref(address);
        if (held === null) call.effect({ action: 'none', ...ref });
        else call.effect({ action: 'attach', ...ref, changes: [changeTo(address, vm.id)] });
      },
    },
  );
}

/** An address that nothing has stays as it is. */
async function unassign(call: AssignCall, { address, machines }: Locked): Promise<StoredOperation> {
  const ref = addresses.ref(address);
  const vm = address.vm_id === null ? undefined : machines.get(address.vm_id);
  if (address.kind === 'ephemeral') {
    const detail = 'An ephemeral address goes with what has it. Turn it into a reserved one first.';
    throw invalid([{ pointer: '/target', code: 'incompatible', detail }]);
  }
  if (vm === undefined) {
    const operation = (await pendingOn(call.db, [address.id])).get(address.id);
    addressLife.require(ENDPOINT, address.status, { operation });
    call.effect({ action: 'none', ...ref });
    const start = { kind: unassignAddressKind, input: { vm_id: null }, resource: ref };
    return call.start({ ...start, unchanged: true });
  }
  return detach(
    call,
    { vm, address },
    {
      endpointId: ENDPOINT,
      confirm: { given: call.body.confirm, pointer: '/confirm' },
      start: () => child({ kind: unassignAddressKind, input: { vm_id: vm.id }, resource: ref }),
      report(held) {
        if (held === null) return call.effect({ action: 'none', ...ref });
        const loss = forNow(`The address ${textOf(address)} at the machine ${vm.name}.`);
        call.effect({ action: 'detach', ...ref, loss, changes: [changeTo(address, null)] });
      },
    },
  );
}

const example = { ...addressView.example, status: 'moving' as const };

export const setAddressAssignment = endpoint({
  id: 'setAddressAssignment',
  method: 'PUT',
  path: '/ip-management/v1/addresses/{id}/assignment',
  summary: 'Assign a public address, or unassign it',
  description:
    'Does what `attachVmPublicIp` and `detachVmPublicIp` do, for callers that only manage addresses. With `move`, one operation withdraws the address from the machine that has it, announces it at the other, and verifies that. If the other machine cannot have it, the first gets it back. The guest has to have the address configured. With `If-Match`, of two callers that move it at the same time only one succeeds.',
  permission: 'ip-management:assignments:write',
  access: 'write',
  resource: { name: 'address', role: 'action' },
  changes: { assignment: '/target', assign_to: '/target' },
  params: AddressId,
  body: AssignAddress,
  answers: { 202: Address },
  problems: [
    'operation_in_progress',
    'operation_queue_full',
    'invalid_state',
    'resource_suspended',
    'already_attached',
    'quota_exceeded',
    'capability_missing',
  ],
  operation: assignAddressKind,
  example: {
    params: { id: example.id },
    body: { target: { type: 'vm', id: 'vm_01jqzvbw8fh0xtq5a2k7r9t1mz' }, move: true },
    answer: { status: 202, body: during(assignAddressKind, example, {}) },
  },
  async handle(call) {
    const locked = await lock(call);
    call.checkVersion(addresses.etag(locked.address));
    const target = call.body.target?.id;
    const operation =
      target === undefined ? await unassign(call, locked) : await assign(call, locked, target);
    const row = await readWhole(call.db, locked.address.id);
    if (row === undefined) throw new Problem('not_found');
    return accepted(addressView.present(call, row, operation));
  },
});
