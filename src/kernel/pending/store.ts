/** What is at work on a resource, read with the resource itself: one look at the database, one moment for both. */
import { type RawBuilder, sql } from 'kysely';
import type { StoredOperation } from '../operations/store.ts';

/** An operation as JSON carries it: its times are texts. */
export type PendingJson = Readonly<Record<string, unknown>> | null;

/** Of several the one whose turn is first. `subject` is the column with the id that its queue is named by. */
export const pendingOperation = (subject: string): RawBuilder<PendingJson> => sql<PendingJson>`(
  select to_jsonb(o) from operation_subjects s join operations o on o.id = s.operation_id
  where s.subject = ${sql.ref(subject)} order by s.place limit 1)`;

const times = ['deadline_at', 'created_at', 'updated_at', 'started_at', 'finished_at'];

export function operationIn(json: PendingJson): StoredOperation | undefined {
  if (json === null) return undefined;
  const dates = times.map((name) => [name, json[name] === null ? null : new Date(String(json[name]))]);
  return { ...json, ...Object.fromEntries(dates) } as StoredOperation;
}
