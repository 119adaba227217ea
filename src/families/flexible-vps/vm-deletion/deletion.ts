import { engineAt, step } from '../../../engines/engine-step.ts';
import type { Call } from '../../../kernel/call.ts';
import { forGood } from '../../../kernel/effect.ts';
import { during } from '../../../kernel/operations/example.ts';
import { done, kind, type Outcome, type Work } from '../../../kernel/operations/kind.ts';
import { readOperation } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { accepted, endpoint } from '../../../kernel/record.ts';
import { OneOf, Shape, type Static, Type } from '../../../kernel/schema.ts';
import { attachedAddresses } from '../../../resources/addresses/store.ts';
import { costChanges } from '../../../resources/inventory/cost.ts';
import type { Tx } from '../../../store/database.ts';
import { endBackupsOf } from '../backup-policies/future/future.ts';
import { finishBackup, forgetBackup, packDisk, packStep, storeDisk, storeStep } from '../backups/copying.ts';
import {
  addBackupBefore,
  markBackupsForDeletion,
  nextBackupToDelete,
  removeNextBackup,
  settleBackupBefore,
  tellUnfinished,
  unmarkBackups,
} from '../backups/with-machine.ts';
import { applyFirewallsOf } from '../firewalls/engine-firewall.ts';
import { tellDetached } from '../firewalls/machine-firewalls.ts';
import { shutDown } from '../power/shutdown.ts';
import { snapshots } from '../snapshots/resource.ts';
import { showVm } from '../vm-reading/present.ts';
import { refOf } from '../vms/guest.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { exampleVm, Vm, VmId } from '../vms/schema.ts';
import { readVm, snapshotsOf } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { forgetVolume } from '../volume-deletion/removal.ts';
import { reportVolumes } from '../volume-deletion/with-machine.ts';
import { keepVolumes, markVolumes, removeNext, unmarkVolumes } from '../volumes/machine-volumes.ts';
import { volumesOf } from '../volumes/store.ts';
import { eraseVm, removeFromEngine } from './delete-parts.ts';

const Input = Shape({
  shutdown_timeout_seconds: Type.Integer(),
  force_after_timeout: Type.Boolean(),
  /** What happens to the volumes. Operations of older versions have no volumes. */
  volumes: Type.Optional(OneOf(['detach', 'delete'])),
  /** The backup that is made first, and the status that the machine has again if that fails. */
  final_backup_id: Type.Optional(Type.String()),
  was: Type.Optional(vmLife.Status),
});
type Input = Static<typeof Input>;

/** A machine that is still running afterwards is forced off by its removal. */
async function shutDownFirst(work: Work<Input>): Promise<Outcome> {
  const { services, db, resourceId, input, signal } = work;
  const { shutdown_timeout_seconds: timeoutSeconds, force_after_timeout: force } = input;
  const row = await readVm(db, resourceId);
  if (row === undefined || timeoutSeconds === 0) return done();
  const engine = engineAt(services.compute, row.location);
  const seen = await engine.observeInstance(refOf(row), signal);
  if (seen?.state !== 'running') return done();
  const way = await shutDown(engine, refOf(row), { timeoutSeconds, force }, work);
  return typeof way === 'string' ? done() : way;
}

/** The volumes that are deleted after the machine: the step `remove` has found them. */
const removedWith = (results: Readonly<Record<string, unknown>>): readonly string[] =>
  (results['remove'] as { readonly volumes?: readonly string[] } | undefined)?.volumes ?? [];

const findBackups = 'find-backups';
const hasBackups = ({ results }: Pick<Work<Input>, 'results'>): boolean =>
  (results[findBackups] as { readonly found?: boolean } | undefined)?.found === true;

/** Makes the final backup, if the call asked for one. */
const first = (run: (work: Work<Input>, backupId: string) => Promise<Outcome>) => (work: Work<Input>) =>
  work.input.final_backup_id === undefined ? Promise.resolve(done()) : run(work, work.input.final_backup_id);

export const deleteVmKind = kind<typeof Input>({
  type: 'vm.delete',
  family: 'flexible-vps',
  resourceType: 'vm',
  queue: 'destroy',
  input: Input,
  typicalSeconds: 10,
  // One hour, and six for a final backup.
  deadlineSeconds: 7 * 3600,
  cancellable: false,
  steps: [
    step(
      packStep,
      first((work, id) => packDisk(work, id, 'auto')),
    ),
    step(storeStep, first(storeDisk), { foreign: ({ input }) => input.final_backup_id !== undefined }),
    step('secure', first(finishBackup)),
    step('shutdown', shutDownFirst),
    step('remove', async (work) => {
      const { services, db, resourceId, signal, now, input } = work;
      const row = await readVm(db, resourceId);
      if (row === undefined) return done({ changed: true, volumes: [] });
      const engine = engineAt(services.compute, row.location);
      const attached = await volumesOf(db, row.id);
      const left = input.volumes === 'delete' ? attached.map(({ id }) => id) : [];
      const erase = (tx: Tx) => eraseVm(tx, row.id, now);
      const removed = await removeFromEngine(engine, row, signal, erase, left);
      await applyFirewallsOf(work, row, { vmId: row.id });
      return removed;
    }),
    step('volumes', async (work) => {
      const removed = await removeNext(work, removedWith(work.results));
      if (removed === undefined) return done({ changed: true });
      return { kind: 'sleep', seconds: 0, commit: (tx) => forgetVolume(tx, removed.id, work.now) };
    }),
    step(findBackups, async ({ db, accountId, resourceId }) =>
      done({ found: (await nextBackupToDelete(db, accountId, resourceId)) !== undefined }),
    ),
    step(
      'backups',
      async (work) => {
        const removed = hasBackups(work) ? await removeNextBackup(work, work.resourceId) : undefined;
        if (removed === undefined) return done({ changed: true });
        return { kind: 'sleep', seconds: 0, commit: (tx) => forgetBackup(tx, removed, work.now) };
      },
      { foreign: hasBackups },
    ),
  ],
  async settle(tx, { id, status, resourceId, error }, { final_backup_id, was }) {
    if (status !== 'failed') return undefined;
    const { isUnfinished, events } = await settleBackupBefore(tx, final_backup_id, { status, error });
    const operation = await readOperation(tx, id);
    if (operation !== undefined) await unmarkBackups(tx, operation.account_id, resourceId);
    await keepVolumes(tx, removedWith(operation?.results ?? {}));
    await unmarkVolumes(tx, resourceId);
    // After a shutdown timeout the machine is still running.
    const isDeaf = error?.code === 'shutdown_timeout';
    const failure = {
      status: 'error' as const,
      status_reason: error?.code ?? 'engine_failed',
      failed_at: new Date(),
    };
    const before = isUnfinished ? was : isDeaf ? ('running' as const) : undefined;
    const change = before === undefined ? failure : { status: before };
    await vms.change(tx, resourceId, change, { keepsPrice: true });
    return events;
  },
});

const DeleteQuery = Shape({
  volumes: OneOf(
    { delete: 'They are deleted with the machine.', detach: 'They stay in your account.' },
    {
      default: 'detach',
      description: 'What happens to the volumes of the machine.',
    },
  ),
  final_backup: Type.Boolean({
    default: false,
    description:
      'Make a backup before the deletion. If it fails, the machine is kept and returns to its former state.',
  }),
  backups: OneOf(
    { keep: 'They stay in your account.', delete: 'They are deleted with the machine.' },
    {
      default: 'keep',
      description: 'What happens to the backups of the machine; a final backup is always kept.',
    },
  ),
  shutdown_timeout_seconds: Type.Integer({
    minimum: 0,
    maximum: 600,
    default: 0,
    'x-unit': 'seconds',
    description:
      'How long the guest may take to shut down. 0: the machine is stopped at once, without a shutdown.',
  }),
  force_after_timeout: Type.Boolean({
    default: true,
    description:
      'If the guest does not shut down in time: `true` forces the machine off, `false` fails the deletion.',
  }),
});

async function tellEffects({ db, effect, cost, services, now }: Call, row: VmRow): Promise<void> {
  const addresses = await attachedAddresses(db, [row.id]);
  const released = addresses.filter(({ kind }) => kind === 'ephemeral').map(({ block }) => block);
  const what = `All data on the disk (${row.disk_gb} GB)${released.length === 0 ? '' : `, and the addresses ${released.join(', ')}`}.`;
  const taken = await snapshotsOf(db, row.id);
  effect({ action: 'delete', ...vms.ref(row), loss: forGood(what) });
  for (const snapshot of taken)
    effect({ action: 'delete', ...snapshots.ref(snapshot), loss: snapshots.loss });
  const gone = [row, ...taken].map(({ id, labels }) => ({ id, labels, after: null }));
  for (const change of await costChanges(db, services, gone, now)) cost(change);
}

export const deleteVm = endpoint({
  id: 'deleteVm',
  method: 'DELETE',
  path: '/flexible-vps/v1/vms/{id}',
  summary: 'Delete a machine',
  description:
    'Deletes the machine and its snapshots. Its volumes stay in your account, unless `volumes` is `delete`; its backups stay, unless `backups` is `delete`. Ephemeral addresses are released; reserved addresses and firewalls stay in your account. Queued operations of the machine are dropped. A running operation is cancelled, also a backup that is not finished, or the deletion waits until it has ended.',
  permission: 'flexible-vps:vms:delete',
  access: 'destructive',
  resource: { name: 'vm', role: 'delete' },
  params: VmId,
  query: DeleteQuery,
  answers: { 202: Vm },
  problems: ['resource_protected', 'invalid_state', 'quota_exceeded', 'capability_missing'],
  operation: deleteVmKind,
  example: {
    params: { id: exampleVm.id },
    answer: {
      status: 202,
      body: during(deleteVmKind, exampleVm, { status: 'deleting' }),
    },
  },
  async handle(call) {
    const { db, params, query, start, services } = call;
    const before = await vms.take(call, params.id);
    if (before.protected_delete)
      throw new Problem('resource_protected', {
        detail: 'The machine is protected: protection.delete is true.',
      });
    if (query.backups === 'delete') await markBackupsForDeletion(call as Call, before);
    const isLast = query.final_backup && before.status !== 'deleting';
    const final = isLast ? await addBackupBefore(call as Call, before, 'final', null) : undefined;
    await tellEffects(call as Call, before);
    await tellUnfinished(call, before);
    if (before.status !== 'deleting') await endBackupsOf(call, before);
    await tellDetached(call, { vmId: before.id }, 'machine');
    const volumeIds = await reportVolumes(call, before, query.volumes);
    const operation = await start({
      kind: deleteVmKind,
      input: {
        shutdown_timeout_seconds: query.shutdown_timeout_seconds,
        force_after_timeout: query.force_after_timeout,
        volumes: query.volumes,
        ...(final === undefined ? {} : { final_backup_id: final.id, was: before.status }),
      },
      resource: vms.ref(before),
      subjects: [
        before.id,
        ...(query.volumes === 'delete' ? volumeIds : []),
        ...(final === undefined ? [] : [final.id]),
      ],
    });
    if (before.status === 'deleting') return accepted(await showVm(call, before, operation));
    await markVolumes(db, before, query.volumes);
    const row = await vms.change(db, before.id, { status: 'deleting' }, { services });
    // If the creation was still queued, `start` has cancelled it, and its settle deleted the row.
    if (row === undefined) return accepted(await showVm(call, { ...before, status: 'deleting' }, operation));
    return accepted(await showVm(call, row, operation));
  },
});
