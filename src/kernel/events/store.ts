import { type Generated, sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { newId } from '../ids.ts';
import type { EventActor, NewEvent, Severity } from './event.ts';

export const EVENTS_CHANNEL = 'hostplane_events';

interface EventsTable {
  account_id: string;
  sequence: number;
  id: string;
  type: string;
  severity: Severity;
  family: string;
  resource_type: string | null;
  resource_id: string | null;
  resource_name: string | null;
  operation_id: string | null;
  actor: EventActor;
  message: string;
  data: Record<string, unknown>;
  occurred_at: Generated<Date>;
}

declare module '../../store/database.ts' {
  interface Tables {
    events: EventsTable;
    event_heads: { account_id: string; sequence: Generated<number> };
  }
}

/** An event with the family and severity that the registry declares for its type. */
export interface DeclaredEvent extends NewEvent {
  readonly family: string;
  readonly severity: Severity;
}

/**
 * Call it late in the transaction that caused the events, because it locks the account's event head until the commit.
 * This lock makes the sequence gapless and equal to the order of commits. Lock order: always before the audit entry.
 */
export async function appendEvents(
  db: Db,
  accountId: string,
  actor: EventActor,
  events: readonly DeclaredEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ type, severity, family, resource, operationId, message, data }) => ({
    id: newId('event'),
    type,
    severity,
    family,
    resource_type: resource?.type ?? null,
    resource_id: resource?.id ?? null,
    resource_name: resource?.name ?? null,
    operation_id: operationId ?? null,
    message,
    data: data ?? {},
  }));
  await sql`
    with head as (
      insert into event_heads (account_id, sequence) values (${accountId}, ${rows.length})
      on conflict (account_id) do update set sequence = event_heads.sequence + ${rows.length}
      returning sequence),
    written as (
      insert into events (account_id, sequence, id, type, severity, family, resource_type, resource_id, resource_name,
                          operation_id, actor, message, data, occurred_at)
      select ${accountId}, head.sequence - ${rows.length} + e.place, e.id, e.type, e.severity, e.family, e.resource_type,
             e.resource_id, e.resource_name, e.operation_id, ${JSON.stringify(actor)}::jsonb, e.message, e.data,
             clock_timestamp()
      from head, rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (
        id text, type text, severity text, family text, resource_type text, resource_id text, resource_name text,
        operation_id text, message text, data jsonb)) with ordinality
        as e(id, type, severity, family, resource_type, resource_id, resource_name, operation_id, message, data, place)
      returning 1)
    select pg_notify(${EVENTS_CHANNEL}, ${accountId}) from (select count(*) from written) counted`.execute(
    db,
  );
}

/** Deletes old events up to the first that must be kept, so that no gap appears even if the clock jumped. */
export async function retireEvents(db: Db): Promise<void> {
  await sql`
    delete from events e using (
      select old.account_id, (
        select min(kept.sequence) from events kept
        where kept.account_id = old.account_id and kept.occurred_at >= now() - interval '30 days') as first
      from (select distinct account_id from events where occurred_at < now() - interval '30 days') old) bounds
    where e.account_id = bounds.account_id and e.sequence < coalesce(bounds.first, e.sequence + 1)`.execute(
    db,
  );
}
