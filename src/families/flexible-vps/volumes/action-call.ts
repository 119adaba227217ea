/** The call of an action, and the answers that all actions have in common. */
import type { Call } from '../../../kernel/call.ts';
import type { Start } from '../../../kernel/operations/kind.ts';
import type { StoredOperation } from '../../../kernel/operations/store.ts';
import { volumes } from './resource.ts';
import type { VolumeRow } from './table.ts';

export interface ActionBody {
  readonly vm_id?: string;
  readonly move?: boolean;
  readonly force?: boolean;
  readonly size_gb?: number;
  readonly snapshot_id?: string;
  readonly delete_newer_snapshots?: boolean;
  readonly confirm?: string;
}

export type ActionCall = Call<{ readonly id: string }, unknown, ActionBody>;

/** An operation that ends at once, because the volume already is as wanted. */
export function changeNothing<I>(
  call: ActionCall,
  row: VolumeRow,
  { kind, input }: Pick<Start<I>, 'kind' | 'input'>,
): Promise<StoredOperation> {
  call.effect({ action: 'none', ...volumes.ref(row) });
  return call.start({ kind, input, resource: volumes.ref(row), unchanged: true });
}

/** A repeated call answers with the operation that the first call started. */
export function followed(call: ActionCall, row: VolumeRow, operation: StoredOperation): StoredOperation {
  call.effect({ action: 'none', ...volumes.ref(row) });
  call.follow(operation);
  return operation;
}
