/** What happens to firewalls when machines are created, changed and deleted. */
import type { Call } from '../../../kernel/call.ts';
import { forNow } from '../../../kernel/effect.ts';
import { wakeOperations } from '../../../kernel/operations/store.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import type { Tx } from '../../../store/database.ts';
import { requireCoverable } from './checks.ts';
import { applyLater } from './kinds.ts';
import { membershipsOf, noteLocations } from './members/store.ts';
import { firewalls, newAttachmentId } from './resource.ts';
import { attachedTo, insertAttachment, lockFirewalls, selectedOtherwise } from './store.ts';
import type { FirewallRow } from './table.ts';

export type Memberships = Awaited<ReturnType<typeof membershipsOf>>;

type Asking = Pick<Call, 'db' | 'caller' | 'services' | 'event'>;

/** Throws 422 if the account does not have the firewalls that a new machine is to get. */
export async function resolveFirewalls(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  ids: readonly string[],
): Promise<FirewallRow[]> {
  if (ids.length === 0) return [];
  const rows = (await lockFirewalls(db, caller.account.id, ids)).filter(
    ({ status }) => status !== 'deleting',
  );
  const errors = ids.flatMap((id, i) =>
    rows.some((row) => row.id === id)
      ? []
      : [
          {
            pointer: `/firewall_ids/${i}`,
            code: 'unknown_reference' as const,
            detail: 'There is no such firewall in this account.',
          },
        ],
  );
  if (errors.length > 0) throw invalid(errors);
  return rows;
}

/**
 * Attaches firewalls to a new machine. The operation that creates the machine applies them. Returns all that it has:
 * others may apply to its labels or networks.
 */
export async function giveFirewalls(
  call: Asking & Pick<Call, 'effect'>,
  vm: { readonly id: string },
  named: readonly FirewallRow[],
): Promise<Memberships> {
  for (const row of named) {
    await insertAttachment(call.db, {
      id: newAttachmentId(),
      account_id: row.account_id,
      firewall_id: row.id,
      vm_id: vm.id,
      interface_id: null,
      network_id: null,
      selector: null,
      terms: null,
    });
    await firewalls.change(call.db, row.id, {});
    call.effect({ action: 'attach', ...firewalls.ref(row) });
  }
  const had = await membershipsOf(call.db, vm.id);
  if (had.length > 0) await checkMachine(call, vm.id, '/firewall_ids');
  return had;
}

/** After a machine got labels, interfaces or firewalls: whether it may have all firewalls that apply to it. */
export async function checkMachine(call: Asking, vmId: string, pointer: string): Promise<void> {
  await requireCoverable(call, { vmId }, pointer);
  await noteLocations(call.db, { vmId });
}

interface Labelled {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Applies the firewalls whose selectors match the labels of a machine now, or did before. */
export async function followLabels(call: Asking, before: Labelled, after: Labelled): Promise<void> {
  const accountId = call.caller.account.id;
  const ids = await selectedOtherwise(call.db, accountId, before.labels, after.labels);
  if (ids.length === 0) return;
  await checkMachine(call, after.id, '/labels');
  await applyLater(call, accountId, ids);
}

/** Reports what the deletion of a machine or a network does to the firewalls that are attached to it. */
export async function tellDetached(
  call: Pick<Call, 'db' | 'effect'>,
  target: Parameters<typeof attachedTo>[1],
  noun: 'machine' | 'network',
): Promise<void> {
  for (const row of await attachedTo(call.db, target)) {
    const loss = forNow(`The attachment to the ${noun}; the firewall stays in your account.`);
    call.effect({ action: 'detach', ...firewalls.ref(row), loss });
  }
}

/** Before the rows of a machine or a network are deleted: deletions of firewalls may wait for this. */
export async function wakeFirewalls(tx: Tx, target: Parameters<typeof attachedTo>[1]): Promise<void> {
  for (const { id } of await attachedTo(tx, target)) {
    await firewalls.change(tx, id, {});
    await wakeOperations(tx, id);
  }
}
