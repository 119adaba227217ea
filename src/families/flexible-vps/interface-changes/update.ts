import { changesBetween } from '../../../kernel/audit/changes.ts';
import type { AuditChange } from '../../../kernel/audit/entry.ts';
import type { Call } from '../../../kernel/call.ts';
import { forNow } from '../../../kernel/effect.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { exampleWork } from '../interfaces/example.ts';
import { interfaceLife } from '../interfaces/lifecycle.ts';
import {
  exampleInterface,
  Interface,
  InterfaceId,
  interfaceEtag,
  interfaceRef,
  presentInterface,
  UpdateInterface,
} from '../interfaces/schema.ts';
import {
  type AddressedInterface,
  dropAliases,
  lockInterface,
  readInterface,
  updateInterface,
} from '../interfaces/store.ts';
import { lockNetwork } from '../networks/store.ts';
import type { NetworkRow } from '../networks/table.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { updateVm } from '../vms/store.ts';
import { lockWithHolders, noteTaken } from './attach.ts';
import { updateInterfaceKind } from './kinds.ts';
import type { Settings } from './previous-settings.ts';
import { checkAddresses, holdAliases, readableAliases } from './private-addresses.ts';

const sameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each) => other.includes(each));

const settingsOf = ({ addresses, anti_spoofing, description }: AddressedInterface): Settings => ({
  alias_ips: [...addresses.aliases],
  anti_spoofing,
  description,
});

/**
 * The settings after the change. The addresses of a public interface cannot change here: they belong to public IPs.
 */
function settingsAfter(
  row: AddressedInterface,
  network: NetworkRow | undefined,
  body: UpdateInterface,
): Settings {
  const before = settingsOf(row);
  const { alias_ips = before.alias_ips, anti_spoofing = before.anti_spoofing } = body;
  const { description = before.description } = body;
  if (network !== undefined && body.alias_ips !== undefined) {
    const { aliases } = checkAddresses(network, {
      ipv4: row.addresses.ipv4 ?? undefined,
      ipv6: row.addresses.ipv6 ?? undefined,
      alias_ips,
    });
    return { alias_ips: [...aliases], anti_spoofing, description };
  }
  if (body.alias_ips !== undefined && !sameSet(alias_ips, before.alias_ips)) {
    const detail = 'To change the addresses of the public interface, attach or detach public IPs.';
    throw invalid([{ pointer: '/alias_ips', code: 'incompatible', detail }]);
  }
  return { ...before, anti_spoofing, description };
}

/** The same aliases in another order are no change. */
function changesOf(before: Settings, after: Settings): AuditChange[] {
  const { alias_ips } = sameSet(before.alias_ips, after.alias_ips) ? before : after;
  return changesBetween(before, { ...after, alias_ips }, ['alias_ips', 'anti_spoofing', 'description']);
}

type UpdateCall = Call<{ id: string; interface_id: string }, unknown, UpdateInterface>;

/** Lock order: the network, the machines, the interface. */
async function lockAll(call: UpdateCall) {
  const { db, caller, params, body } = call;
  const accountId = caller.account.id;
  const glance = await readInterface(db, params.interface_id);
  const networkId = glance?.account_id === accountId ? glance.network_id : null;
  const network = networkId === null ? undefined : await lockNetwork(db, accountId, networkId);
  const movable = body.move_aliases ? readableAliases(body.alias_ips) : [];
  const vm = await lockWithHolders(call, params.id, network, movable);
  const row = await lockInterface(db, accountId, vm.id, params.interface_id);
  return { network, vm, row };
}

export const updateVmInterface = endpoint({
  id: 'updateVmInterface',
  method: 'PATCH',
  path: '/flexible-vps/v1/vms/{id}/interfaces/{interface_id}',
  summary: 'Change an interface of a machine',
  description:
    'You can change the alias addresses, the protection against spoofed addresses, and the description. To change the other addresses, detach the interface and attach it again. `move_aliases` takes over aliases from other machines in the network, for failover.',
  permission: 'flexible-vps:vm-networking:write',
  access: 'write',
  resource: { name: 'interface', role: 'update' },
  params: InterfaceId,
  body: UpdateInterface,
  answers: { 202: Interface },
  problems: [
    'operation_in_progress',
    'operation_queue_full',
    'invalid_state',
    'resource_suspended',
    'address_taken',
  ],
  operation: updateInterfaceKind,
  example: {
    params: { id: exampleInterface.vm_id, interface_id: exampleInterface.id },
    body: { anti_spoofing: false, description: 'routes for the VPN' },
    answer: {
      status: 202,
      body: {
        ...exampleInterface,
        anti_spoofing: false,
        description: 'routes for the VPN',
        status: 'updating',
        operation: exampleWork('update'),
      },
    },
  },
  async handle(call) {
    const { db, body, services } = call;
    const { network, vm, row } = await lockAll(call);
    call.checkVersion(interfaceEtag(row));
    const pending = await pendingOn(db, [vm.id, row.id]);
    vmLife.require('updateVmInterface', vm.status, { operation: pending.get(vm.id) });
    const before = settingsOf(row);
    const after = settingsAfter(row, network, body);
    const changes = changesOf(before, after);
    const resource = interfaceRef(row);
    const working = pending.get(row.id);
    // The row already has the settings that the pending operation applies.
    if (working?.type === updateInterfaceKind.type && changes.length === 0) {
      call.effect({ action: 'none', ...resource });
      call.follow(working);
      return accepted(presentInterface(row, row.addresses, working, services.baseUrl));
    }
    interfaceLife.require('updateVmInterface', row.status, {
      operation: working ?? pending.get(vm.id),
    });
    call.effect({ action: changes.length === 0 ? 'none' : 'update', ...resource, changes });
    const start = { kind: updateInterfaceKind, resource };
    if (changes.length === 0) {
      const input = { interface_id: row.id, taken: [], before };
      const operation = await call.start({ ...start, input, unchanged: true });
      return accepted(presentInterface(row, row.addresses, operation, services.baseUrl));
    }
    const gone = before.alias_ips.filter((address) => !after.alias_ips.includes(address));
    await dropAliases(db, row.id, gone);
    const taken =
      network === undefined
        ? []
        : await holdAliases(db, { network, id: row.id }, after.alias_ips, body.move_aliases === true);
    for (const { interface_id } of taken)
      call.effect({
        action: 'update',
        ...interfaceRef({ id: interface_id }),
        loss: forNow('The aliases that move to the other interface.'),
      });
    const losers = await noteTaken(call, taken);
    await updateVm(db, vm.id, {});
    const { anti_spoofing, description } = after;
    await updateInterface(db, row.id, { anti_spoofing, description, status: 'updating' });
    const operation = await call.start({
      ...start,
      input: { interface_id: row.id, taken, before },
      subjects: [...new Set([vm.id, ...losers, row.id])],
    });
    const changed = await lockInterface(db, vm.account_id, vm.id, row.id);
    return accepted(presentInterface(changed, changed.addresses, operation, services.baseUrl));
  },
});
