/** Checks for calls that overwrite the disk of a machine: confirmation, protection, state. */
import type { Call } from '../../../kernel/call.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { Type } from '../../../kernel/schema.ts';
import { vmLife } from '../vms/lifecycle.ts';
import type { VmRow } from '../vms/table.ts';

/** Optional in the schema, so that a missing confirmation gets its own error code and explanation. */
export const Confirm = Type.Optional(
  Type.String({
    maxLength: 63,
    description:
      'The current name of the machine, to confirm that its disk is overwritten. Without it, the call is refused.',
  }),
);

export function requireConfirmation(confirm: string | undefined, { name }: Pick<VmRow, 'name'>): void {
  if (confirm === name) return;
  const pointer = '/confirm';
  if (confirm === undefined) {
    const detail = 'All data on the disk will be lost. To confirm, set confirm to the name of the machine.';
    throw invalid([{ pointer, code: 'confirmation_missing', detail }]);
  }
  const detail =
    'This is not the name of the machine. Check that you chose the right machine, then send its name.';
  throw invalid([{ pointer, code: 'confirmation_mismatch', detail }]);
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
