/** What happens when a backup that a policy made is ready, or has failed. */
import type { Tx } from '../../../store/database.ts';
import { followBackups } from '../backup-policies/future/future.ts';
import { countOutcome, notKept, readPolicies } from '../backup-policies/store.ts';
import { backups } from './resource.ts';
import type { BackupRow } from './table.ts';

/** Counts the backup. If it is ready, older ones that the policy no longer keeps expire. */
export async function concludeScheduled(
  tx: Tx,
  row: BackupRow,
  outcome: 'succeeded' | 'failed',
  now: Date,
): Promise<void> {
  const { policy_id, account_id, vm_id, created_at } = row;
  if (policy_id === null) return;
  await countOutcome(tx, policy_id, outcome, created_at);
  if (outcome === 'failed') return followBackups(tx, account_id, vm_id, policy_id);
  const [policy] = await readPolicies(tx, account_id, [policy_id]);
  if (policy === undefined) return;
  for (const { id } of await notKept(tx, { id: policy_id, account_id }, policy.retention, vm_id))
    await backups.change(tx, id, { expires_at: now }, { keepsPrice: true });
  await followBackups(tx, account_id, vm_id, policy_id);
}
