import type { Generated } from 'kysely';
import type { Warning } from '../effect.ts';
import type { EventActor } from '../events/event.ts';
import type { Lane, Queue } from './kind.ts';
import type { OnFailure, OperationError, OperationStatus } from './schema.ts';

interface OperationsTable {
  id: string;
  account_id: string;
  type: string;
  family: string;
  status: OperationStatus;
  resource_type: string;
  resource_id: string | null;
  resource_name: string | null;
  related: Generated<{ type: string; id: string }[]>;
  warnings: Generated<Warning[]>;
  parent_id: string | null;
  actor: EventActor;
  api_key_id: string | null;
  permission: string | null;
  request_id: string | null;
  cancellable: boolean;
  progress_percent: number | null;
  step: Generated<string>;
  waiting_for: string | null;
  error: OperationError | null;
  result: Record<string, unknown> | null;
  expected_seconds: number | null;
  deadline_at: Date;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  started_at: Date | null;
  finished_at: Date | null;
  queue: Queue;
  input: unknown;
  phase: Generated<'forward' | 'undo'>;
  /** What the call wants if the operation fails. */
  on_failure: Generated<OnFailure>;
  /** Why the forward steps failed, while the undo steps run because of `on_failure`. */
  failure: OperationError | null;
  step_index: Generated<number>;
  results: Generated<Record<string, unknown>>;
  is_ready: boolean;
  run_at: Generated<Date>;
  run_at_set: Generated<Date>;
  tries: Generated<number>;
  awaits_children: Generated<boolean>;
  planned_children: number | null;
  tolerates_failure: Generated<boolean>;
  parent_step: string | null;
  last_error: OperationError | null;
  cancellable_running: Generated<boolean>;
  wakes: Generated<number>;
  cancel_requested: Generated<boolean>;
  attempt: Generated<number>;
  lease_owner: string | null;
  lease_until: Date | null;
  /** The slots that its present step uses. */
  lane: Generated<Lane>;
  /** Empty: the operation works in no location, or in several. */
  location: Generated<string>;
  /** The foreign server that its foreign steps wait for; empty if there is none. */
  server: Generated<string>;
  /** A worker has seen that `run_at` has come. */
  is_due: Generated<boolean>;
}

interface OperationSubjectsTable {
  operation_id: string;
  subject: string;
  place: number;
  is_running: Generated<boolean>;
}

declare module '../../store/database.ts' {
  interface Tables {
    operations: OperationsTable;
    operation_subjects: OperationSubjectsTable;
  }
}
