/** Checks the source of a new image beyond what the schema of the body can express. */
import type { Call } from '../../../kernel/call.ts';
import { hostOf } from '../../../kernel/net/egress.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import { machineOfSnapshot } from '../snapshots/store.ts';
import type { SnapshotRow } from '../snapshots/table.ts';
import { vmLife } from '../vms/lifecycle.ts';
import { lockVmIfThere } from '../vms/store.ts';
import type { VmRow } from '../vms/table.ts';
import { urlFault } from './download.ts';
import type { CreateImage } from './schema.ts';
import { shareSnapshot } from './store.ts';

type Body = CreateImage['source'];
/** Checks only the text of the URL. Host names are resolved and checked when the file is fetched. */
function urlFaults({ egress }: Pick<Services, 'egress'>, text: string): FieldError[] {
  const pointer = '/source/url';
  if (!URL.canParse(text)) {
    const detail = 'Must be a URL such as https://images.example.com/disk.qcow2.';
    return [{ pointer, code: 'invalid_format', detail }];
  }
  const url = new URL(text);
  const fault = urlFault(url);
  if (fault !== null) return [{ pointer, code: 'invalid_format', detail: fault }];
  const refusal = egress.refuses(hostOf(url));
  if (refusal === null) return [];
  const detail = `${hostOf(url)} cannot be called (${refusal.replaceAll('_', ' ')}); use a public address or a name.`;
  return [{ pointer, code: 'blocked_address', detail }];
}

export type Source =
  | (Omit<Extract<Body, { type: 'url' }>, 'url'> & { readonly url: URL })
  | { readonly type: 'backup'; readonly backupId: string }
  | { readonly type: 'vm'; readonly vmId: string | undefined; readonly snapshotId: string | null };

export function readSource(services: Pick<Services, 'egress'>, body: Body): Source {
  if (body.type === 'backup') return { type: 'backup', backupId: body.backup_id };
  if (body.type === 'vm') return { type: 'vm', vmId: body.vm_id, snapshotId: null };
  if (body.type === 'snapshot') return { type: 'vm', vmId: body.vm_id, snapshotId: body.snapshot_id };
  const faults = urlFaults(services, body.url);
  if (faults.length > 0) throw invalid(faults);
  return { ...body, url: new URL(body.url) };
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
