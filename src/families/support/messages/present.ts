import type { Call } from '../../../kernel/call.ts';
import { passingUrl } from '../../../kernel/downloads/passing-link.ts';
import { type Attachment, LINK_SECONDS } from '../attachments/schema.ts';
import { attachmentsOf } from '../attachments/store.ts';
import type { FileFacts } from '../attachments/table.ts';
import type { TicketMessage } from './schema.ts';
import type { MessageJson } from './store.ts';
import type { MessageRow } from './table.ts';

type Viewing = Pick<Call, 'caller' | 'services' | 'now'>;

const fileOf = (
  { id, filename, content_type, size_bytes, sha256 }: FileFacts,
  url: string | null,
): Attachment => ({ id, filename, content_type, size_bytes, sha256, url });

const shown = (row: MessageRow | MessageJson, attachments: Attachment[]): TicketMessage => ({
  id: row.id,
  ticket_id: row.ticket_id,
  from: row.sender,
  author_name: row.author_name,
  body: row.body,
  attachments,
  via: row.via,
  created_at: new Date(row.created_at).toISOString(),
});

/** With links to the files, which belong to the caller and to the endpoint that hands them out. */
const linked = (
  call: Viewing,
  row: MessageRow | MessageJson,
  files: readonly FileFacts[],
  endpoint: string,
) =>
  shown(
    row,
    files.map((file) =>
      fileOf(file, passingUrl(call, { resourceId: file.id, endpoint, seconds: LINK_SECONDS })),
    ),
  );

/** Messages that were read with their ticket. */
export const presentNewest = (call: Viewing, messages: readonly MessageJson[], endpoint: string) =>
  messages.map((message) => linked(call, message, message.files, endpoint));

export async function presentMessages(
  call: Viewing & Pick<Call, 'db'>,
  rows: readonly MessageRow[],
  endpoint: string,
): Promise<TicketMessage[]> {
  const files = await attachmentsOf(
    call.db,
    rows.map(({ id }) => id),
  );
  const ofMessage = (id: string) => files.filter(({ message_id }) => message_id === id);
  return rows.map((row) => linked(call, row, ofMessage(row.id), endpoint));
}

/** Without links: the answer of a call that writes is kept for its repetition. */
export const presentNewMessage = (row: MessageRow, files: readonly FileFacts[]): TicketMessage =>
  shown(
    row,
    files.map((file) => fileOf(file, null)),
  );
