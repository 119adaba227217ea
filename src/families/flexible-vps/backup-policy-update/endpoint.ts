import { changesBetween } from '../../../kernel/audit/changes.ts';
import type { Call } from '../../../kernel/call.ts';
import { forGood } from '../../../kernel/effect.ts';
import { mergeLabels } from '../../../kernel/merged-labels.ts';
import { setterIn } from '../../../resources/future/plan-future.ts';
import { writeOf } from '../../../resources/records/records.ts';
import { planPolicy } from '../backup-policies/future/future.ts';
import { policyView, timesOf } from '../backup-policies/present.ts';
import { backupPolicies } from '../backup-policies/resource.ts';
import { scheduleAfter } from '../backup-policies/rules.ts';
import { UpdateBackupPolicy } from '../backup-policies/schema.ts';
import { notKept } from '../backup-policies/store.ts';
import type { BackupPolicyRow, Retention } from '../backup-policies/table.ts';
import { backups } from '../backups/resource.ts';

/** A dry run and the audit entry name at most this many backups. */
const MOST_EXPIRING = 100;

/** Names the backups that a new retention gives up. They expire with the next run, not at once. */
async function foresee(
  call: Pick<Call, 'db' | 'effect' | 'warn'>,
  before: BackupPolicyRow,
  after: Retention,
): Promise<void> {
  const lost = await notKept(call.db, before, before.retention);
  const known = new Set(lost.map(({ id }) => id));
  const more = (await notKept(call.db, before, after)).filter(({ id }) => !known.has(id));
  if (more.length === 0) return;
  for (const row of more.slice(0, MOST_EXPIRING))
    call.effect({
      action: 'delete',
      verb: 'lets the next run of the policy delete',
      ...backups.ref(row),
      loss: forGood('Its data can no longer be restored once the policy has run.'),
    });
  const detail = `${more.length === 1 ? 'One backup expires' : `${more.length} backups expire`} when the policy has made the next backup of their machine.`;
  call.warn({ code: 'backups_expire', detail, pointer: '/retention' });
}

export const updateBackupPolicy = writeOf(policyView, 'update', {
  id: 'updateBackupPolicy',
  description:
    'A lowered retention takes effect when the policy runs next. The effects, also of a dry run, name the backups that expire then. A change that lets the policy make or keep more backups adds their cost for all of its machines. While a policy is disabled it makes no backups, and does not make up for them later.',
  raisesCost: 'sometimes',
  body: UpdateBackupPolicy,
  problems: ['name_taken'],
  example: {
    body: { retention: { keep_last: 14 } },
    answer: { retention: { keep_last: 14, keep_days: null } },
  },
  async handle(call) {
    const { body, now } = call;
    const before = await backupPolicies.take(call, call.params.id);
    const schedule = body.schedule ? scheduleAfter(before.schedule, body.schedule) : before.schedule;
    const { enabled = before.enabled } = body;
    const retention: Retention = {
      keep_last: body.retention?.keep_last ?? before.retention.keep_last,
      keep_days:
        body.retention?.keep_days === undefined ? before.retention.keep_days : body.retention.keep_days,
    };
    const change = {
      ...(body.name === undefined ? {} : { name: body.name }),
      ...(body.labels === undefined ? {} : { labels: mergeLabels(before.labels, body.labels) }),
      ...{ enabled, schedule, retention },
    };
    const changes = changesBetween<BackupPolicyRow>(before, change);
    const changed = new Set(changes.map(({ pointer }) => pointer));
    const isMoved = changed.has('/schedule') || changed.has('/enabled');
    const times = isMoved ? timesOf(enabled, schedule, now) : {};
    const isSet = isMoved || changed.has('/retention');
    const setter = isSet ? setterIn(call) : {};
    const row = await backupPolicies.update(call, before, { ...change, ...times, ...setter }, changes);
    if (isSet) await planPolicy(call, row);
    if (changed.has('/retention')) await foresee(call, before, retention);
    return { row: { ...row, vm_count: before.vm_count } };
  },
});
