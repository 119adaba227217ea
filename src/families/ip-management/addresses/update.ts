import { changesBetween } from '../../../kernel/audit/changes.ts';
import { mergeLabels } from '../../../kernel/merged-labels.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { reservedLimit } from '../../../resources/addresses/availability/store.ts';
import { addressLife } from '../../../resources/addresses/lifecycle.ts';
import { addresses, isIpv6, lengthOf, ownName } from '../../../resources/addresses/resource.ts';
import type { AddressKind, PublicAddressRow } from '../../../resources/addresses/table.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import { writeOf } from '../../../resources/records/records.ts';
import { giveUpEphemeral, lockHolderOf } from '../../flexible-vps/offers.ts';
import { addressView } from './present.ts';
import { AddressChange } from './schema.ts';
import { readWhole } from './store.ts';

const shownOf = ({ name, labels, description, kind, protected: isProtected }: PublicAddressRow) => ({
  name,
  labels,
  description,
  kind,
  protection: { delete: isProtected },
});

/** Only an ephemeral address can become something else: a reserved one. */
function refuseKind({ kind, gateway_id }: PublicAddressRow, wanted: AddressKind | null): void {
  const pointer = '/kind';
  if (wanted === null || wanted === kind) return;
  if (kind !== 'ephemeral' || wanted !== 'reserved') {
    const detail = `An address of the kind ${kind} cannot become ${wanted}.`;
    throw invalid([{ pointer, code: 'immutable', detail }]);
  }
  if (gateway_id !== null) {
    const detail = 'The address of a VPN gateway cannot be kept without the gateway.';
    throw invalid([{ pointer, code: 'incompatible', detail }]);
  }
}

export const updateAddress = writeOf(addressView, 'update', {
  id: 'updateAddress',
  description:
    'With `kind` set to `reserved`, an ephemeral address stays yours when its machine is deleted. From then on it is billed by itself, no longer with the machine.',
  body: AddressChange,
  problems: ['name_taken', 'invalid_state', 'operation_in_progress', 'quota_exceeded'],
  example: {
    body: { description: 'The address of the shop', protection: { delete: true } },
    answer: { description: 'The address of the shop', protection: { delete: true } },
  },
  async handle(call) {
    const { db, params, body } = call;
    if (body.name !== undefined) await addresses.lockNames(call);
    if (body.kind !== undefined) await lockHolderOf(call, params.id);
    const before = await addresses.take(call, params.id);
    const operation = (await pendingOn(db, [before.id])).get(before.id);
    addressLife.require('updateAddress', before.status, { operation });
    const wantedKind = body.kind === null && before.kind === 'ephemeral' ? 'reserved' : (body.kind ?? null);
    refuseKind(before, wantedKind);
    const change = {
      name: body.name === null ? ownName(before) : (body.name ?? before.name),
      labels: mergeLabels(before.labels, body.labels),
      description: body.description ?? before.description,
      protected: body.protection?.delete ?? before.protected,
    };
    const isKept = wantedKind === 'reserved' && before.kind === 'ephemeral';
    const after = { ...before, ...change, ...(isKept ? { kind: 'reserved' as const } : {}) };
    const changes = changesBetween(shownOf(before), shownOf(after));
    if (isKept) {
      const limit = reservedLimit(isIpv6(before) ? 6 : 4, lengthOf(before));
      await requireRoom(call, [{ limit, amount: 1, location: before.location }]);
      await giveUpEphemeral(call, before);
    }
    const row = await addresses.update(call, before, { ...change, kind: after.kind }, changes);
    const whole = await readWhole(db, row.id);
    if (whole === undefined) throw new Problem('not_found');
    return { row: whole, ...(operation && { operation }) };
  },
});
