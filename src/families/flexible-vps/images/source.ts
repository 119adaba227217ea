/** Checks the source of a new image beyond what the schema of the body can express. */
import type { Call } from '../../../kernel/call.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { requireUrl } from '../imports/customer-url.ts';
import { machineOfSnapshot } from '../snapshots/store.ts';
import type { SnapshotRow } from '../snapshots/table.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { lockVmIfThere } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import type { CreateImage } from './schema.ts';
import { shareSnapshot } from './store.ts';

type Body = CreateImage['source'];

export type Source =
  | (Omit<Extract<Body, { type: 'url' }>, 'url'> & { readonly url: URL })
  | { readonly type: 'backup'; readonly backupId: string }
  | { readonly type: 'vm'; readonly vmId: string | undefined; readonly snapshotId: string | null };

export function readSource(body: Body): Source {
  if (body.type === 'backup') return { type: 'backup', backupId: body.backup_id };
  if (body.type === 'vm') return { type: 'vm', vmId: body.vm_id, snapshotId: null };
  if (body.type === 'snapshot') return { type: 'vm', vmId: body.vm_id, snapshotId: body.snapshot_id };
  const such = 'https://images.example.com/disk.qcow2';
  return { ...body, url: requireUrl(body.url, { pointer: '/source/url', such }) };
}

const unknown = (member: 'vm_id' | 'snapshot_id', what: string): Problem =>
  invalid([{ pointer: `/source/${member}`, code: 'unknown_reference', detail: `There is no such ${what}.` }]);

/** Returns the machine, and the snapshot if `snapshotId` is set. Both are locked until the transaction ends. */
export async function requireCapturable(
  { db, caller }: Pick<Call, 'db' | 'caller'>,
  { vmId: named, snapshotId }: Extract<Source, { type: 'vm' }>,
): Promise<{ vm: VmRow; snapshot: SnapshotRow | null }> {
  const vmId = named ?? (await machineOfSnapshot(db, caller.account.id, snapshotId ?? ''));
  if (vmId === undefined) throw unknown('snapshot_id', 'snapshot');
  const vm = await lockVmIfThere(db, caller.account.id, vmId);
  if (vm === undefined) throw unknown('vm_id', 'machine');
  const snapshot = snapshotId === null ? null : await shareSnapshot(db, vm.id, snapshotId);
  if (snapshot === undefined) throw unknown('snapshot_id', 'snapshot of this machine');
  const operation = (await pendingOn(db, [vm.id])).get(vm.id);
  // A capture needs a machine in the same states as a snapshot does.
  vmLife.require('createVmSnapshot', vm.status, { operation });
  if (vm.rescue_expires_at !== null)
    throw new Problem('vm_in_rescue', { extra: { current_state: vm.status } });
  if (snapshot !== null && snapshot.status !== 'available') {
    throw new Problem('invalid_state', {
      detail: `The snapshot is ${snapshot.status}. It has to be available.`,
      extra: { current_state: snapshot.status, allowed_states: ['available'] },
    });
  }
  return { vm, snapshot };
}
