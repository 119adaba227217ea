/**
 * Decides the status of a machine from its row and the report of its engine. The functions are pure; the caller locks
 * the row and writes the verdict.
 */
import type { Instance } from '../../../engines/compute/port.ts';
import type { NewEvent } from '../../../kernel/events/event.ts';
import type { VmState } from './lifecycle.ts';
import { vms } from './resource.ts';
import type { VmRow } from './table.ts';

export type Known = Pick<
  VmRow,
  'id' | 'name' | 'status' | 'status_reason' | 'is_billed' | 'host_group' | 'failed_at'
>;

export interface Verdict {
  readonly status: Extract<VmState, 'running' | 'stopped' | 'error'>;
  readonly status_reason: 'crashed' | 'host_lost' | 'lost' | null;
  readonly is_billed: boolean;
}

/** Reasons for `error` that come from the engine. The machine leaves `error` when the engine reports another state. */
const ENGINE_REASONS: readonly (string | null)[] = ['crashed', 'host_lost', 'lost'];

/** `host_group` is written only by the last step of a creation. */
export const wasMade = ({ host_group }: Pick<VmRow, 'host_group'>): boolean => host_group !== null;

/** The row is kept so that its owner can read the reason. The remains at the engine can be removed. */
export const isFailedCreate = (row: Known): boolean =>
  row.status === 'error' && !wasMade(row) && !row.is_billed && row.failed_at !== null;

/** Whether the engine decides the status. Other statuses are changed only by operations or by the provider. */
export const isUpToEngine = ({ status, status_reason }: Known): boolean =>
  status === 'running' ||
  status === 'stopped' ||
  (status === 'error' && ENGINE_REASONS.includes(status_reason));

/** Returns undefined if the engine cannot determine the state. */
function statusOf(seen: Instance | null): Verdict | undefined {
  if (seen === null) return { status: 'error', status_reason: 'lost', is_billed: false };
  if (seen.state === 'running') return { status: 'running', status_reason: null, is_billed: true };
  if (seen.state === 'stopped') return { status: 'stopped', status_reason: null, is_billed: true };
  if (seen.problem === 'crashed') return { status: 'stopped', status_reason: 'crashed', is_billed: true };
  if (seen.problem === 'host_lost') return { status: 'error', status_reason: 'host_lost', is_billed: false };
  return undefined;
}

/** Returns undefined if nothing has to change. The reason that an operation wrote stays while the status is right. */
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

/** Returns the event for the owner, or undefined if an earlier event reported the same. */
export function eventOf(row: Known, { status, status_reason }: Verdict): NewEvent | undefined {
  const isTold = row.status === 'error' && row.status_reason === status_reason;
  if (status_reason === 'lost') return isTold ? undefined : vms.event('lost', row);
  if (status_reason === 'host_lost')
    return row.status === 'error'
      ? undefined
      : vms.event('crashed', row, { says: 'stopped because its host failed' });
  if (wasAway(row)) return vms.event('recovered', row, { says: `was found again; it is ${status}` });
  if (status_reason === 'crashed') return isTold ? undefined : vms.event('crashed', row);
  if (status === 'stopped' && row.status === 'running') return vms.event('stopped_by_guest', row);
  if (status === 'running' && row.status !== 'running') return vms.event('started', row);
  return undefined;
}
