import type { ColumnType, Generated, Selectable } from 'kysely';
import type { EventActor } from '../../../kernel/events/event.ts';
import type { UnnamedColumns } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';
import type { Sender } from '../messages/schema.ts';
import type { TicketStatus } from './lifecycle.ts';
import type { Category, Severity } from './schema.ts';

/** A resource as it was called when it was linked. */
export interface LinkedResource {
  readonly type: string;
  readonly id: string;
  readonly name: string;
}

type Json<T> = ColumnType<T, string, string>;

interface TicketsTable extends UnnamedColumns {
  number: number;
  subject: string;
  category: Category;
  severity: Severity;
  status: TicketStatus;
  resources: Json<readonly LinkedResource[]>;
  request_ids: readonly string[];
  cc_member_ids: readonly string[];
  labels: Generated<Record<string, string>>;
  created_by: Json<EventActor>;
  assigned_team: Generated<string | null>;
  /** Who of the staff works on it. Customers do not see it. */
  assigned_to: Generated<string | null>;
  follow_up_of: string | null;
  message_count: Generated<number>;
  last_message_at: Generated<Date>;
  last_message_from: Generated<Sender>;
  first_response_due_at: Date | null;
  first_response_at: Generated<Date | null>;
  status_since: Generated<Date>;
  /** When the customer was reminded of the question that the ticket waits for. */
  reminded_at: Generated<Date | null>;
  closed_at: Generated<Date | null>;
  /** Of subject and first message, to recognise the same ticket. */
  text_hash: Buffer;
}

declare module '../../../store/database.ts' {
  interface Tables {
    tickets: TicketsTable;
  }
}

export type TicketRow = Selectable<Tables['tickets']>;
