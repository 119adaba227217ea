import { Actor } from '../../../kernel/audit/entry.ts';
import { Ref } from '../../../kernel/reference.ts';
import { Resettable } from '../../../kernel/resets.ts';
import {
  advanced,
  byOthers,
  CreatedAt,
  Etag,
  Id,
  Labels,
  LabelsPatch,
  label,
  Named,
  Nullable,
  OneOf,
  OwnId,
  Shape,
  type Static,
  Time,
  Type,
  UpdatedAt,
  volatile,
} from '../../../kernel/schema.ts';
import { written } from '../../../kernel/text-patterns.ts';
import { NewAttachments } from '../attachments/schema.ts';
import { exampleMessage, NewBody, SenderShape, TicketMessage } from '../messages/schema.ts';
import { ticketLife } from './lifecycle.ts';

const categories = {
  technical: 'A question about how something works, or why it does not.',
  network: 'Addresses, routes, connections and their speed.',
  hardware: 'Servers and disks.',
  abuse: 'Misuse of what we run.',
  security: 'A weakness or an attack.',
  account: 'The account, its members and keys.',
  billing_question: 'Prices and invoices.',
  limit_increase: 'A higher limit.',
  other: 'Everything else.',
} as const;
export type Category = keyof typeof categories;
export const CategoryShape = Named(
  'TicketCategory',
  OneOf(categories, { description: 'What the ticket is about.' }),
);

const severities = {
  low: 'A question without hurry.',
  normal: 'Something does not work as it should.',
  high: 'Something important hardly works.',
  critical: 'Something important does not work at all. Names what is affected in `resource_ids`.',
} as const;
export type Severity = keyof typeof severities;
export const SeverityShape = Named(
  'TicketSeverity',
  OneOf(severities, {
    description:
      'How urgent it is. The support plan of the account decides which of them are treated as such.',
  }),
);

const MOST_RESOURCES = 20;
const MOST_REQUESTS = 20;
const MOST_READERS = 10;

export const ResourceRef = Ref(
  Type.String({ maxLength: 90, description: 'The id of a resource of the account.' }),
  { list: 'listResources', value: 'id', label: 'name' },
);
const MemberRef = Ref(Id('mem'), { list: 'listMembers', value: 'id', label: 'name' });
const TicketRef = Ref(Id('tkt'), { list: 'listTickets', value: 'id', label: 'subject' });

const ResourceIds = Type.Array(ResourceRef, {
  maxItems: MOST_RESOURCES,
  uniqueItems: true,
  ...label('Resources'),
  description: 'The resources that the ticket is about. A critical ticket needs at least one.',
});
const ReaderIds = Type.Array(MemberRef, {
  maxItems: MOST_READERS,
  uniqueItems: true,
  ...label('Copies to'),
  ...advanced,
  description: 'Members who get the same mails as whoever opened the ticket.',
});
/** No list has these ids: answers have them. */
const RequestId = Type.String(
  written('^req_[0-9a-z]{26}$', 'Must be the id of a request, which starts with req_.'),
);
const RequestIds = Type.Array(RequestId, {
  maxItems: MOST_REQUESTS,
  uniqueItems: true,
  ...label('Requests'),
  ...advanced,
  description:
    'Calls that the ticket and its resources are about, each by the id that its answer has. Staff sees how they ended, never what was sent.',
});
const Subject = Type.String({
  minLength: 5,
  maxLength: 150,
  ...written('^[^\\u0000-\\u001f\\u007f]*$', 'A subject is one line without control characters.'),
  description: 'What it is about, in one line.',
});

export const Ticket = Named(
  'Ticket',
  Shape({
    id: OwnId('tkt'),
    number: Type.Integer({ minimum: 1, description: 'Its number in the account, for people.' }),
    subject: Subject,
    category: CategoryShape,
    severity: SeverityShape,
    status: ticketLife.ShownStatus,
    resources: Type.Array(
      Shape({
        type: Type.String({ description: 'The type of the resource.' }),
        id: Type.String({ description: 'The id of the resource.' }),
        name: Type.String({ ...byOthers, description: 'The name that it had when it was linked.' }),
      }),
      { description: 'The same resources with type and name.' },
    ),
    resource_ids: ResourceIds,
    request_ids: RequestIds,
    cc_member_ids: { ...ReaderIds, ...label('Copies to') },
    labels: Labels,
    created_by: Actor,
    assigned_team: Nullable(
      Type.String({
        ...volatile,
        description: 'The team of the provider that works on it; null if none does yet.',
      }),
    ),
    follow_up_of: Nullable(Id('tkt', { description: 'The ticket that this one continues; null if none.' })),
    message_count: Type.Integer({ ...volatile, minimum: 1, description: 'How many messages it has.' }),
    last_message: Shape(
      { at: { ...Time, description: 'When it was written.' }, from: SenderShape },
      { ...volatile, description: 'The newest message.' },
    ),
    first_response_due_at: Nullable({
      ...Time,
      ...volatile,
      description: 'When the provider answers at the latest, by severity and support plan.',
    }),
    first_response_at: Nullable({
      ...Time,
      ...volatile,
      description: 'When the provider first answered; null before that.',
    }),
    closed_at: Nullable({
      ...Time,
      ...volatile,
      description: 'When it was closed; null unless it is closed.',
    }),
    reopen_until: Nullable({
      ...Time,
      ...volatile,
      description: 'Until when a closed ticket can be opened again; null unless it is closed.',
    }),
    messages: Type.Optional(
      Type.Array(TicketMessage, {
        ...volatile,
        description: 'The newest 20 messages, the oldest of them first. Lists do not show them.',
      }),
    ),
    etag: Etag,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['number', 'subject', 'status', 'severity', 'updated_at'] },
);
export type Ticket = Static<typeof Ticket>;

export const NewTicket = Named(
  'CreateTicket',
  Shape({
    subject: Subject,
    body: NewBody(20),
    category: CategoryShape,
    severity: Type.Optional({ ...SeverityShape, default: 'normal' }),
    resource_ids: Type.Optional({ ...ResourceIds, default: [] }),
    request_ids: Type.Optional({ ...RequestIds, default: [] }),
    labels: Type.Optional({ ...Labels, default: {} }),
    cc_member_ids: Type.Optional({ ...ReaderIds, default: [] }),
    follow_up_of: Type.Optional({
      ...TicketRef,
      ...advanced,
      description: 'The ticket that this one continues. Default: none.',
    }),
    attachments: NewAttachments,
  }),
);

/** What a customer can set; the other states come from the provider and from time. */
export const WantedStatus = OneOf(
  { open: 'Opens a solved or closed ticket again.', closed: 'Closes the ticket.' },
  { description: 'Opens or closes the ticket. Left out: the status stays. Null opens it.' },
);

export const TicketChange = Named(
  'UpdateTicket',
  Shape({
    status: Type.Optional(Resettable({ ...WantedStatus, default: 'open' })),
    severity: Type.Optional(Resettable({ ...SeverityShape, default: 'normal' })),
    labels: Type.Optional(LabelsPatch),
    resource_ids: Type.Optional(Resettable({ ...ResourceIds, default: [] })),
    cc_member_ids: Type.Optional(Resettable({ ...ReaderIds, default: [] })),
  }),
);

export const exampleTicket: Ticket = {
  id: exampleMessage.ticket_id,
  number: 12,
  subject: 'Packet loss on web-1',
  category: 'network',
  severity: 'normal',
  status: 'open',
  resources: [],
  resource_ids: [],
  request_ids: [],
  cc_member_ids: [],
  labels: { team: 'web' },
  created_by: {
    kind: 'api_key',
    api_key_id: 'key_01jqzv2m7xe9rs5d3k8w4t6y0b',
    member_id: 'mem_01jqzv2m7ye9rs5d3k8w4t6y0c',
  },
  assigned_team: null,
  follow_up_of: null,
  message_count: 1,
  last_message: { at: '2026-03-01T10:00:00.000Z', from: 'customer' },
  first_response_due_at: '2026-03-03T10:00:00.000Z',
  first_response_at: null,
  closed_at: null,
  reopen_until: null,
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: '2026-03-01T10:00:00.000Z',
  updated_at: '2026-03-01T10:00:00.000Z',
};
