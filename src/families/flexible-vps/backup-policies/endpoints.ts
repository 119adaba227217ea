import { changesBetween } from '../../../kernel/audit/changes.ts';
import type { Call } from '../../../kernel/call.ts';
import { forGood } from '../../../kernel/effect.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { mergeLabels } from '../../../kernel/merged-labels.ts';
import { created, endpoint, noContent, ok } from '../../../kernel/record.ts';
import { Shape, Type } from '../../../kernel/schema.ts';
import { setterIn } from '../../../resources/future/plan-future.ts';
import { refuseUsed } from '../../../resources/owned/refuse-used.ts';
import { listOf, readOf, view } from '../../../resources/records/records.ts';
import { backups } from '../backups/resource.ts';
import { vms } from '../vms/resource.ts';
import type { VmRow } from '../vms/table.ts';
import { endPolicy, planPolicy } from './future/future.ts';
import { backupPolicies } from './resource.ts';
import { missingMember, NO_SCHEDULE, scheduleAfter } from './rules.ts';
import {
  BackupPolicy,
  BackupPolicyParams,
  CreateBackupPolicy,
  examplePolicy,
  UpdateBackupPolicy,
} from './schema.ts';
import { forgetPolicy, machinesWith, notKept } from './store.ts';
import type { BackupPolicyRow, Retention } from './table.ts';
import { type BackupSchedule, nextRun } from './windows.ts';

const collection = '/flexible-vps/v1/backup-policies';

/** A dry run and the audit entry name at most this many backups. */
const MOST_EXPIRING = 100;

/** `null` for policies that were set before this was recorded. */
function setBy({ api_key_id, member_id }: Pick<BackupPolicyRow, 'api_key_id' | 'member_id'>) {
  if (api_key_id === null && member_id === null) return null;
  const kind = api_key_id === null ? ('member' as const) : ('api_key' as const);
  return { kind, api_key_id, member_id };
}

const policies = view(backupPolicies, {
  schema: BackupPolicy,
  example: examplePolicy,
  compute: (row) => ({
    last_run: row.last_started_at && {
      started_at: row.last_started_at.toISOString(),
      succeeded: row.last_succeeded,
      failed: row.last_failed,
      skipped: row.last_skipped,
      over_budget: row.last_over_budget,
    },
    set_by: setBy(row),
  }),
});

const timesOf = (enabled: boolean, schedule: BackupSchedule, now: Date) =>
  enabled ? nextRun(schedule, now) : { next_run_at: null, set_back_before: null };

const listBackupPolicies = listOf(policies, {
  id: 'listBackupPolicies',
  query: ResourceQuery({
    enabled: Type.Optional(Type.Boolean({ description: 'Only policies that are enabled, or disabled.' })),
  }),
});

const createBackupPolicy = endpoint({
  id: 'createBackupPolicy',
  method: 'POST',
  path: collection,
  summary: 'Create a backup policy',
  description:
    'A schedule with retention for any number of machines: set their `backup_policy_id`. A machine that is busy is tried again until the window ends, then the event `backup.skipped` is emitted. What the backups of a month cost counts for budgets from the call that gives a machine the policy; if a budget has no room when a window begins, the machine is skipped with the same event. So are the machines of an account that is suspended. A backup gets the labels that its machine has at that time. After a downtime, windows that were missed are made up for by one backup.',
  permission: 'flexible-vps:backup-policies:write',
  access: 'write',
  resource: { name: 'backup_policy', role: 'create' },
  body: CreateBackupPolicy,
  missing: missingMember,
  answers: { 201: BackupPolicy },
  problems: ['name_taken', 'quota_exceeded'],
  example: {
    body: {
      name: 'nightly',
      schedule: { frequency: 'daily', hour: 2 },
      retention: { keep_last: 7 },
      labels: { env: 'prod' },
    },
    answer: { status: 201, body: { ...examplePolicy, vm_count: 0, last_run: null } },
  },
  async handle(call) {
    const { name, enabled = true, labels = {}, retention: given } = call.body;
    const schedule = scheduleAfter(NO_SCHEDULE, call.body.schedule);
    const retention: Retention = { keep_last: given.keep_last, keep_days: given.keep_days ?? null };
    await backupPolicies.requireFree(call, name);
    const times = timesOf(enabled, schedule, call.now);
    const columns = { name, labels, enabled, schedule, retention, ...times, ...setterIn(call) };
    const row = await backupPolicies.create(call, columns, ['enabled', 'schedule', 'retention']);
    return created(policies.present(call, { ...row, vm_count: 0 }));
  },
});

const getBackupPolicy = readOf(policies, { id: 'getBackupPolicy' });

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
      loss: forGood('The backup, when the policy runs next.'),
    });
  const detail = `${more.length === 1 ? 'One backup expires' : `${more.length} backups expire`} when the policy has made the next backup of their machine.`;
  call.warn({ code: 'backups_expire', detail, pointer: '/retention' });
}

const updateBackupPolicy = endpoint({
  id: 'updateBackupPolicy',
  method: 'PATCH',
  path: `${collection}/{id}`,
  summary: 'Change a backup policy',
  description:
    'A lowered retention takes effect when the policy runs next. The effects, also of a dry run, name the backups that expire then. A change that lets the policy make or keep more backups adds their cost for all of its machines. While a policy is disabled it makes no backups, and does not make up for them later.',
  permission: 'flexible-vps:backup-policies:write',
  access: 'write',
  raisesCost: 'sometimes',
  resource: { name: 'backup_policy', role: 'update' },
  params: BackupPolicyParams,
  body: UpdateBackupPolicy,
  answers: { 200: BackupPolicy },
  problems: ['name_taken'],
  example: {
    params: { id: examplePolicy.id },
    body: { retention: { keep_last: 14 } },
    answer: {
      status: 200,
      body: { ...examplePolicy, retention: { keep_last: 14, keep_days: null } },
    },
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
    return ok(policies.present(call, { ...row, vm_count: before.vm_count }));
  },
});

const deleteBackupPolicy = endpoint({
  id: 'deleteBackupPolicy',
  method: 'DELETE',
  path: `${collection}/{id}`,
  summary: 'Delete a backup policy',
  description:
    'The backups that it made stay, and no longer expire by its retention. If machines have the policy, the call is refused, unless `detach=true` takes it from them.',
  permission: 'flexible-vps:backup-policies:delete',
  access: 'destructive',
  lowersCost: true,
  resource: { name: 'backup_policy', role: 'delete' },
  params: BackupPolicyParams,
  query: Shape({
    detach: Type.Boolean({
      default: false,
      description: 'Whether the policy is taken from the machines that have it.',
    }),
  }),
  answers: { 204: null },
  problems: ['resource_in_use'],
  example: { params: { id: examplePolicy.id }, answer: { status: 204, body: null } },
  async handle(call) {
    const policy = await backupPolicies.take(call, call.params.id);
    const users = await machinesWith(call.db, policy.id);
    if (!call.query.detach)
      refuseUsed(
        users.map((vm) => vms.ref(vm)),
        {
          detail: 'Machines have this policy.',
          nextStep: 'Set their backup_policy_id to null, or add ?detach=true, then repeat the call.',
        },
      );
    for (const vm of users) {
      const change = { backup_policy_id: null };
      await vms.write(call, vm, change, changesBetween<VmRow>(vm, change));
    }
    await endPolicy(call, policy);
    await forgetPolicy(call.db, policy.id);
    await backupPolicies.remove(call, policy);
    return noContent;
  },
});

export const backupPolicyEndpoints = [
  listBackupPolicies,
  createBackupPolicy,
  getBackupPolicy,
  updateBackupPolicy,
  deleteBackupPolicy,
];
