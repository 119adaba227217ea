/** Writes a message of a customer with its files. */
import { nameOf } from '../../../kernel/access/caller.ts';
import type { Call, Preparation } from '../../../kernel/call.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import { type CheckedFile, checkFiles, secretsIn } from '../attachments/check.ts';
import type { NewAttachment } from '../attachments/schema.ts';
import { insertAttachments } from '../attachments/store.ts';
import { plainMarkdown } from './markdown.ts';
import { presentNewMessage } from './present.ts';
import { ticketMessages } from './resource.ts';
import type { TicketMessage } from './schema.ts';
import { secretsInMessage } from './secrets.ts';
import { readMemberName } from './store.ts';

interface NewMessage {
  readonly subject?: string;
  readonly body: string;
  readonly attachments?: readonly NewAttachment[];
}

/** What was found in the texts and files of a request: files that can be stored, or why they cannot. */
export type Prepared = { readonly files: readonly CheckedFile[] } | { readonly problem: Problem };

async function check(services: Services, { subject = '', body, attachments = [] }: NewMessage) {
  const texts: [string, string][] = [
    ['/subject', subject],
    ...attachments.map(({ filename }, i): [string, string] => [`/attachments/${i}/filename`, filename]),
  ];
  const errors = [
    ...texts.flatMap(([pointer, text]): FieldError[] =>
      secretsIn(text).map((found) => ({ pointer, ...found })),
    ),
    ...secretsInMessage(body).map((found): FieldError => ({ pointer: '/body', ...found })),
  ];
  if (errors.length > 0) throw new Problem('secret_in_text', { errors });
  return checkFiles(services, attachments);
}

/** Runs before the transaction, because large files take a while. */
export async function prepareMessage({
  body,
  services,
}: Preparation<unknown, unknown, NewMessage>): Promise<Prepared> {
  try {
    return { files: await check(services, body) };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}

/** Throws 422 if a text or a file must not be stored. */
export function filesOf(prepared: Prepared): readonly CheckedFile[] {
  if ('problem' in prepared) throw prepared.problem;
  return prepared.files;
}

/** The text as it is stored. Throws 422 if too little of it is left. */
export function bodyOf(text: string, shortest: number): string {
  const body = plainMarkdown(text);
  if (body.length >= shortest) return body;
  const detail = `Without HTML, the message has ${body.length} characters; it needs ${shortest}.`;
  throw invalid([{ pointer: '/body', code: 'too_short', detail }]);
}

export async function writeMessage(
  call: Call,
  ticketId: string,
  body: string,
  files: readonly CheckedFile[],
): Promise<TicketMessage> {
  const { db, caller } = call;
  const accountId = caller.account.id;
  const memberId = caller.owner?.memberId;
  const member = memberId === undefined ? undefined : await readMemberName(db, accountId, memberId);
  const row = await ticketMessages.add(call, {
    id: ticketMessages.newId(),
    ticket_id: ticketId,
    sender: 'customer',
    author_name: member ?? nameOf(caller),
    body,
    via: caller.key === null ? 'portal' : 'api',
  });
  const written = await insertAttachments(
    db,
    files.map((file) => ({ ...file, account_id: accountId, message_id: row.id })),
  );
  return presentNewMessage(row, written);
}
