import type { Generated, Selectable } from 'kysely';
import type { UnnamedColumns } from '../../../resources/owned/table.ts';
import type { Tables } from '../../../store/database.ts';
import type { Sender, Way } from './schema.ts';

interface TicketMessagesTable extends UnnamedColumns {
  ticket_id: string;
  sender: Sender;
  author_name: string;
  body: string;
  via: Way;
}

/** What staff writes for staff. No query of a call reads it. */
interface TicketNotesTable {
  id: string;
  account_id: string;
  ticket_id: string;
  author: string;
  body: string;
  created_at: Generated<Date>;
}

declare module '../../../store/database.ts' {
  interface Tables {
    ticket_messages: TicketMessagesTable;
    ticket_notes: TicketNotesTable;
  }
}

export type MessageRow = Selectable<Tables['ticket_messages']>;
