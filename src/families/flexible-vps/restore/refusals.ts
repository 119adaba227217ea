/** Checks for calls that overwrite the disk of a machine: confirmation, protection, state. */
import type { Call } from '../../../kernel/call.ts';
import { Confirm, requireConfirmation } from '../../../kernel/confirmation.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { vmLife } from '../vms/lifecycle.ts';
import type { VmRow } from '../vms/table.ts';

export const ConfirmMachine = Confirm(
  'The current name of the machine, to confirm that its disk is overwritten. Without it, the call is refused.',
);

export function requireMachineName(confirm: string | undefined, { name }: Pick<VmRow, 'name'>): void {
  const loss = 'All data on the disk will be lost.';
  requireConfirmation(confirm, { type: 'machine', name, pointer: '/confirm', loss });
}

export async function requireOverwritable(
  { db }: Pick<Call, 'db'>,
  endpointId: 'restoreVm' | 'redeployVm',
  row: VmRow,
): Promise<void> {
  if (row.protected_redeploy)
    throw new Problem('resource_protected', {
      detail: 'The machine is protected against redeploy and restore.',
    });
  const operation = (await pendingOn(db, [row.id])).get(row.id);
  vmLife.require(endpointId, row.status, { operation });
  if (row.rescue_expires_at === null) return;
  throw new Problem('vm_in_rescue', { extra: { current_state: row.status } });
}
