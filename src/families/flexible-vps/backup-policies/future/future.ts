/** Keeps the plan of the backups that policies are going to make, which budgets count beside what runs already. */
import type { Call } from '../../../../kernel/call.ts';
import { lockPlan, writePlan } from '../../../../money/future/store.ts';
import { endFuture, planFuture } from '../../../../resources/future/plan-future.ts';
import type { Tx } from '../../../../store/database.ts';
import type { VmRow } from '../../vms/table.ts';
import { sharePolicy } from '../store.ts';
import type { BackupPolicyRow } from '../table.ts';
import { heldBy } from './held.ts';
import { plannedBackups } from './store.ts';

const pricedAs = 'backup';
const NOBODY = { api_key_id: null, member_id: null };

/** No policy has this id. */
const NO_POLICY = { id: '' };
const NONE = { most: 0, runs: 0 };

type Planner = Parameters<typeof planFuture>[0];

const wordsFor = ({ name }: Pick<BackupPolicyRow, 'name'>): string => `backups that the policy ${name} makes`;

/** After a call has given the machine a policy or taken it away, or is going to grow its disk. */
export async function planBackupsOf(
  call: Planner,
  { id: vmId, account_id, backup_policy_id }: Pick<VmRow, 'id' | 'account_id' | 'backup_policy_id'>,
  diskGb?: number,
): Promise<void> {
  const policy =
    backup_policy_id === null ? undefined : await sharePolicy(call.db, account_id, backup_policy_id);
  const planned =
    policy === undefined
      ? plannedBackups(NO_POLICY, NONE)
      : plannedBackups(policy, heldBy(policy), { vmId, diskGb });
  const what = policy === undefined ? 'backups' : wordsFor(policy);
  await planFuture(call, { scope: { resourceId: vmId, pricedAs }, planned, what });
}

/** After a call has changed the schedule or the retention. */
export async function planPolicy(call: Planner, policy: BackupPolicyRow): Promise<void> {
  const planned = plannedBackups(policy, heldBy(policy));
  await planFuture(call, { scope: { scheduleId: policy.id }, planned, what: wordsFor(policy) });
}

type Ending = Pick<Call, 'db' | 'services' | 'now' | 'cost'>;

export const endBackupsOf = (call: Ending, { id }: Pick<VmRow, 'id'>): Promise<void> =>
  endFuture(call, { resourceId: id, pricedAs });

export const endPolicy = (call: Ending, { id }: Pick<BackupPolicyRow, 'id'>): Promise<void> =>
  endFuture(call, { scheduleId: id });

/** After a backup of the policy began, failed, expired or was deleted, or the disk of the machine has another size. */
export async function followBackups(
  tx: Tx,
  accountId: string,
  vmId: string,
  policyId: string | null,
): Promise<void> {
  const policy = policyId === null ? undefined : await sharePolicy(tx, accountId, policyId);
  if (policy === undefined) return;
  const scope = { resourceId: vmId, pricedAs };
  await lockPlan(tx, scope);
  await writePlan(tx, scope, plannedBackups(policy, heldBy(policy), { vmId }), NOBODY);
}
