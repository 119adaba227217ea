import {
  byOthers,
  CreatedAt,
  Id,
  label,
  Named,
  OneOf,
  OwnId,
  Shape,
  type Static,
  Type,
} from '../../../kernel/schema.ts';
import { Attachment } from '../attachments/schema.ts';

const senders = {
  customer: 'Somebody of your account.',
  staff: 'The provider.',
  system: 'Hostplane itself.',
} as const;
export type Sender = keyof typeof senders;
export const SenderShape = Named('TicketSender', OneOf(senders, { description: 'Who wrote it.' }));

const ways = {
  api: 'By a call with an API key.',
  portal: 'In the portal, or by the staff of the provider.',
  email: 'By e-mail.',
} as const;
export type Way = keyof typeof ways;

export const LONGEST_BODY = 20_000;

const MARKDOWN = 'Markdown: paragraphs, emphasis, lists, quotes, code and links. HTML is removed.';

export const NewBody = (shortest: number) =>
  Type.String({
    minLength: shortest,
    maxLength: LONGEST_BODY,
    ...label('Message'),
    description: `The message. ${MARKDOWN} It must not contain a secret, such as a key. Stored as plain Markdown, without HTML outside of code.`,
  });

export const TicketMessage = Named(
  'TicketMessage',
  Shape({
    id: OwnId('tmsg'),
    ticket_id: Id('tkt', { description: 'The ticket that it belongs to.' }),
    from: SenderShape,
    author_name: Type.String({
      ...byOthers,
      description: 'The name of the person or the key that wrote it.',
    }),
    body: Type.String({ ...byOthers, description: `The message. ${MARKDOWN}` }),
    attachments: Type.Array(Attachment, { description: 'The files of the message.' }),
    via: OneOf(ways, { description: 'How the message came.' }),
    created_at: CreatedAt,
  }),
  { columns: ['author_name', 'from', 'body', 'created_at'] },
);
export type TicketMessage = Static<typeof TicketMessage>;

export const exampleMessage: TicketMessage = {
  id: 'tmsg_01jqzw1c7xe9rs5d3k8w4t6y0d',
  ticket_id: 'tkt_01jqzw1b8fh0xtq5a2k7r9t1mz',
  from: 'customer',
  author_name: 'Ada Example',
  body: 'Since 9:00 UTC the machine *web-1* loses about one packet of ten.',
  attachments: [],
  via: 'api',
  created_at: '2026-03-01T10:00:00.000Z',
};
