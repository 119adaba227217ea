/** What a machine is, judged by what we believe and what its engine says. Pure: whoever writes it down holds the row. */
import type { Instance } from '../../../engines/compute/port.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import { vmRef } from '../vms/delete-parts.ts';
import type { VmState } from '../vms/lifecycle.ts';
import type { VmRow } from '../vms/table.ts';

export type Known = Pick<
  VmRow,
  'id' | 'name' | 'status' | 'status_reason' | 'is_billed' | 'host_group' | 'failed_at'
>;

export interface Verdict {
  readonly status: Extract<VmState, 'running' | 'stopped' | 'error'>;
  readonly status_reason: 'crashed' | 'host_lost' | 'lost' | null;
  readonly is_billed: boolean;
}

/** Why a machine can be in `error` though nothing was done to it: it leaves that state when the engine says otherwise. */
const ENGINE_REASONS: readonly (string | null)[] = ['crashed', 'host_lost', 'lost'];

/** Only the last step of its creation says where it is. */
export const wasMade = ({ host_group }: Pick<VmRow, 'host_group'>): boolean => host_group !== null;

/** Kept for its reason to be read; what the engine still has of it is nobody's. */
export const isFailedCreate = (row: Known): boolean =>
  row.status === 'error' && !wasMade(row) && !row.is_billed && row.failed_at !== null;

/** Of the others nobody but what works on them, or the provider, says what they are. */
export const isUpToEngine = ({ status, status_reason }: Known): boolean =>
  status === 'running' ||
  status === 'stopped' ||
  (status === 'error' && ENGINE_REASONS.includes(status_reason));

/** Undefined: the engine cannot tell. */
function statusOf(seen: Instance | null): Verdict | undefined {
  if (seen === null) return { status: 'error', status_reason: 'lost', is_billed: false };
  if (seen.state === 'running') return { status: 'running', status_reason: null, is_billed: true };
  if (seen.state === 'stopped') return { status: 'stopped', status_reason: null, is_billed: true };
  if (seen.problem === 'crashed') return { status: 'stopped', status_reason: 'crashed', is_billed: true };
  if (seen.problem === 'host_lost') return { status: 'error', status_reason: 'host_lost', is_billed: false };
  return undefined;
}

/** Undefined: there is nothing to change. What an operation left as the reason stays while the status is right. */
export function judge(row: Known, seen: Instance | null): Verdict | undefined {
  const verdict = statusOf(seen);
  if (verdict === undefined) return undefined;
  const { status, status_reason, is_billed } = verdict;
  const isSo =
    row.status === status &&
    row.is_billed === is_billed &&
    (status_reason === null || row.status_reason === status_reason);
  return isSo ? undefined : verdict;
}

const wasAway = ({ status, status_reason }: Known): boolean =>
  status === 'error' && (status_reason === 'lost' || status_reason === 'host_lost');

/** One sentence for whoever owns it; undefined where that was told before. */
export function eventOf(row: Known, { status, status_reason }: Verdict): NewEvent | undefined {
  const tell = (type: string, message: string): NewEvent => ({
    type,
    resource: vmRef(row),
    message: `The machine ${row.name} ${message}`,
  });
  const isTold = row.status === 'error' && row.status_reason === status_reason;
  if (status_reason === 'lost')
    return isTold ? undefined : tell('vm.lost', 'is no longer where it should be.');
  if (status_reason === 'host_lost')
    return row.status === 'error' ? undefined : tell('vm.crashed', 'stopped with its host.');
  if (wasAway(row)) return tell('vm.recovered', `is there again; it is ${status}.`);
  if (status_reason === 'crashed') return isTold ? undefined : tell('vm.crashed', 'stopped by an error.');
  if (status === 'stopped' && row.status === 'running')
    return tell('vm.stopped_by_guest', 'was shut down from within.');
  if (status === 'running' && row.status !== 'running') return tell('vm.started', 'was started.');
  return undefined;
}
