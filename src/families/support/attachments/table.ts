import type { Generated, Selectable } from 'kysely';
import type { Tables } from '../../../store/database.ts';
import type { ContentType } from './schema.ts';

interface AttachmentsTable {
  id: string;
  account_id: string;
  message_id: string;
  filename: string;
  content_type: ContentType;
  size_bytes: number;
  sha256: string;
  /** The encrypted bytes, until they are in the store of a location. */
  sealed: Buffer | null;
  /** The location whose store has the encrypted bytes. */
  location: Generated<string | null>;
  created_at: Generated<Date>;
}

declare module '../../../store/database.ts' {
  interface Tables {
    ticket_attachments: AttachmentsTable;
  }
}

export type AttachmentRow = Omit<Selectable<Tables['ticket_attachments']>, 'sealed'>;

/** What answers show of a file. */
export type FileFacts = Pick<AttachmentRow, 'id' | 'filename' | 'content_type' | 'size_bytes' | 'sha256'>;
