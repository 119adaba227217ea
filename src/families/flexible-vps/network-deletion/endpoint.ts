import type { Call } from '../../../kernel/call.ts';
import { Confirm } from '../../../kernel/confirmation.ts';
import { forGood } from '../../../kernel/effect.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { Shape, Type } from '../../../kernel/schema.ts';
import { refuseUsed } from '../../../resources/owned/refuse-used.ts';
import { writeOf } from '../../../resources/records/records.ts';
import { tellDetached } from '../firewalls/machine-firewalls.ts';
import { requireConnected } from '../interface-changes/last-connection.ts';
import { interfaceRef } from '../interfaces/schema.ts';
import { networkLife } from '../networks/lifecycle.ts';
import { networkView } from '../networks/present.ts';
import { networks } from '../networks/resource.ts';
import { countUsed, type NetworkUser, readUsers } from '../networks/store.ts';
import type { NetworkRow } from '../networks/table.ts';
import { gatewaysIn } from '../vpn-gateways/store.ts';
import { deleteNetworkKind } from './kind.ts';

const usersOf = (staying: readonly NetworkUser[]) =>
  staying.map(({ vm_id, vm_name }) => ({ type: 'vm', id: vm_id, name: vm_name }));

const detailOf = ({ length }: readonly NetworkUser[]): string =>
  `${length === 1 ? 'A machine has' : `${length} machines have`} an interface in this network.`;

const NEXT_STEP =
  'Detach the machines in used_by with DELETE /flexible-vps/v1/vms/{id}/interfaces/{interface_id}, or add ?detach=true to detach all of them with the deletion, and confirm if a machine would have no connection left.';

/** A gateway is never detached with the deletion: its peers would lose the network without a word. */
async function refuseGateways({ db }: Pick<Call, 'db'>, { id }: NetworkRow): Promise<void> {
  const staying = (await gatewaysIn(db, id)).filter(({ is_leaving }) => !is_leaving);
  refuseUsed(
    staying.map(({ id: gatewayId, name }) => ({ type: 'vpn_gateway', id: gatewayId, name })),
    {
      detail: 'VPN gateways lead into this network.',
      nextStep:
        'Take the network out of network_ids with PATCH /flexible-vps/v1/vpn-gateways/{id}, or delete the gateways in used_by.',
    },
  );
}

export const deleteVpsNetwork = writeOf(networkView, 'delete', {
  id: 'deleteVpsNetwork',
  summary: 'Delete a private network',
  description:
    'The operation waits for machines that are being deleted or detached. If other machines are in the network, the call is refused, unless `detach=true` detaches them first, as part of the same operation; running machines keep running. VPN gateways are not detached. If a machine would have no interface and no address left, `detach` also needs `confirm`.',
  query: Shape({
    detach: Type.Boolean({
      default: false,
      description: 'Whether machines that are still in the network are detached first.',
    }),
    confirm: Confirm(
      'The current name of the network: required if a machine would have no interface and no address left.',
    ),
  }),
  problems: ['resource_protected', 'resource_in_use', 'invalid_state', 'operation_in_progress'],
  kind: deleteNetworkKind,
  async handle(call) {
    const { db, query, effect, follow, start } = call;
    const before = await networks.take(call, call.params.id);
    const pending = (await pendingOn(db, [before.id])).get(before.id);
    const used = await countUsed(db, before.id);
    // A second deletion follows the pending one.
    if (pending?.type === deleteNetworkKind.type) {
      effect({ action: 'none', ...networks.ref(before) });
      follow(pending);
      return { row: { ...before, ipv4_used: used }, operation: pending };
    }
    if (before.protected) throw new Problem('resource_protected');
    networkLife.require('deleteVpsNetwork', before.status, { operation: pending });
    const staying = (await readUsers(db, before.id)).filter(({ is_leaving }) => !is_leaving);
    await refuseGateways(call, before);
    if (!query.detach) refuseUsed(usersOf(staying), { detail: detailOf(staying), nextStep: NEXT_STEP });
    await requireConnected(
      call,
      {
        machines: staying.map(({ vm_id, vm_name }) => ({ id: vm_id, name: vm_name })),
        taken: staying.map(({ interface_id }) => interface_id),
      },
      { given: query.confirm, pointer: 'query/confirm', subject: { type: 'network', name: before.name } },
    );
    const row = await networks.change(db, before.id, { status: 'deleting' });
    if (row === undefined) throw new Problem('not_found');
    effect({ action: 'delete', ...networks.ref(row), loss: forGood('The network and its address range.') });
    await tellDetached(call, { networkId: row.id }, 'network');
    for (const { interface_id, vm_name } of staying) {
      const loss = forGood(`The interface of "${vm_name}" and its addresses in the network "${row.name}".`);
      effect({ action: 'detach', ...interfaceRef({ id: interface_id }), loss });
    }
    const input = { detach: query.detach, was: before.status };
    const operation = await start({ kind: deleteNetworkKind, input, resource: networks.ref(row) });
    return { row: { ...row, ipv4_used: used }, operation };
  },
});
