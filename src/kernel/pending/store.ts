/** Reads the operation that works on a resource in the same query as the resource, so that both are from one moment. */
import { type RawBuilder, sql } from 'kysely';
import type { StoredOperation } from '../operations/store.ts';

/** An operation row as JSON, in which times are strings. */
export type PendingJson = Readonly<Record<string, unknown>> | null;

/** The first operation in the queue of the resource. `subject` is the column with the id of the queue. */
export const pendingOperation = (subject: string): RawBuilder<PendingJson> => sql<PendingJson>`(
  select to_jsonb(o) from operation_subjects s join operations o on o.id = s.operation_id
  where s.subject = ${sql.ref(subject)} order by s.place limit 1)`;

const times = ['deadline_at', 'created_at', 'updated_at', 'started_at', 'finished_at'];

export function operationIn(json: PendingJson): StoredOperation | undefined {
  if (json === null) return undefined;
  const dates = times.map((name) => [name, json[name] === null ? null : new Date(String(json[name]))]);
  return { ...json, ...Object.fromEntries(dates) } as StoredOperation;
}
