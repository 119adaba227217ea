import { changesBetween } from '../../../kernel/audit/changes.ts';
import { ResourceQuery } from '../../../kernel/listing/query.ts';
import { Shape, Type } from '../../../kernel/schema.ts';
import { setterIn } from '../../../resources/future/plan-future.ts';
import { refuseUsed } from '../../../resources/owned/refuse-used.ts';
import { deleteOf, listOf, readOf, writeOf } from '../../../resources/records/records.ts';
import { vms } from '../vms/resource.ts';
import type { VmRow } from '../vms/table.ts';
import { endPolicy } from './future/future.ts';
import { policyView, timesOf } from './present.ts';
import { backupPolicies } from './resource.ts';
import { missingMember, NO_SCHEDULE, scheduleAfter } from './rules.ts';
import { CreateBackupPolicy } from './schema.ts';
import { forgetPolicy, machinesWith } from './store.ts';
import type { Retention } from './table.ts';

const listBackupPolicies = listOf(policyView, {
  id: 'listBackupPolicies',
  query: ResourceQuery({
    enabled: Type.Optional(Type.Boolean({ description: 'Only policies that are enabled, or disabled.' })),
  }),
});

const createBackupPolicy = writeOf(policyView, 'create', {
  id: 'createBackupPolicy',
  description:
    'A schedule with retention for any number of machines: set their `backup_policy_id`. A machine that is busy is tried again until the window ends, then the event `backup.skipped` is emitted. What the backups of a month cost counts for budgets from the call that gives a machine the policy; if a budget has no room when a window begins, the machine is skipped with the same event. So are the machines of an account that is suspended. A backup gets the labels that its machine has at that time. After a downtime, windows that were missed are made up for by one backup.',
  body: CreateBackupPolicy,
  missing: missingMember,
  problems: ['name_taken', 'quota_exceeded'],
  example: {
    body: {
      name: 'nightly',
      schedule: { frequency: 'daily', hour: 2 },
      retention: { keep_last: 7 },
      labels: { env: 'prod' },
    },
    answer: { vm_count: 0, last_run: null },
  },
  async handle(call) {
    const { name, enabled = true, labels = {}, retention: given } = call.body;
    const schedule = scheduleAfter(NO_SCHEDULE, call.body.schedule);
    const retention: Retention = { keep_last: given.keep_last, keep_days: given.keep_days ?? null };
    await backupPolicies.requireFree(call, name);
    const times = timesOf(enabled, schedule, call.now);
    const columns = { name, labels, enabled, schedule, retention, ...times, ...setterIn(call) };
    const row = await backupPolicies.create(call, columns, ['enabled', 'schedule', 'retention']);
    return { row: { ...row, vm_count: 0 } };
  },
});

const getBackupPolicy = readOf(policyView, { id: 'getBackupPolicy' });

const deleteBackupPolicy = deleteOf(policyView, {
  id: 'deleteBackupPolicy',
  description:
    'The backups that it made stay, and no longer expire by its retention. If machines have the policy, the call is refused, unless `detach=true` takes it from them.',
  lowersCost: true,
  query: Shape({
    detach: Type.Boolean({
      default: false,
      description: 'Whether the policy is taken from the machines that have it.',
    }),
  }),
  problems: ['resource_in_use'],
  async check(call, policy) {
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
  },
});

export const backupPolicyEndpoints = [
  listBackupPolicies,
  createBackupPolicy,
  getBackupPolicy,
  deleteBackupPolicy,
];
