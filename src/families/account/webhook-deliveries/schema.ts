import type { Selectable } from 'kysely';
import { presenter } from '../../../kernel/presenter.ts';
import {
  byOthers,
  CreatedAt,
  Id,
  Named,
  Nullable,
  OwnId,
  Shape,
  type Static,
  Time,
  Type,
  UpdatedAt,
} from '../../../kernel/schema.ts';
import {
  AttemptFaultShape,
  DeliveryStatusShape,
  DeliveryTrigger,
} from '../../../operations/webhooks/tables.ts';
import type { Tables } from '../../../store/database.ts';

export const Delivery = Named(
  'Delivery',
  Shape({
    id: OwnId('dlv'),
    webhook_id: Id('wh', { description: 'The webhook that the message is sent to.' }),
    message_id: Id('msg', { description: 'Sent as `webhook-id`; the same for every attempt.' }),
    event_id: Id('evt', { description: 'The event that the message is about.' }),
    event_type: Type.String({ description: 'The type of the event, such as `vm.created`.' }),
    attempt: Type.Integer({
      minimum: 1,
      description: 'The number of this attempt at the message; the first is 1.',
    }),
    trigger: DeliveryTrigger,
    status: DeliveryStatusShape,
    http_status: Nullable(
      Type.Integer({ description: 'The HTTP status of the receiver; null if it did not answer.' }),
    ),
    error_code: Nullable(AttemptFaultShape),
    duration_ms: Nullable(
      Type.Integer({
        'x-unit': 'milliseconds',
        description: 'How long the attempt took; null before it is made.',
      }),
    ),
    response_excerpt: Nullable(
      Type.String({
        ...byOthers,
        description: "The first 1 KiB of the receiver's answer; null if it did not answer.",
      }),
    ),
    next_attempt_at: Nullable({
      ...Time,
      description:
        'The time of this attempt while it is pending; of the next attempt if it failed and is retried; else null.',
    }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['event_type', 'status', 'http_status', 'attempt', 'created_at'] },
);

export type Delivery = Static<typeof Delivery>;

export type DeliveryRow = Selectable<Tables['webhook_deliveries']>;

export const presentDelivery = presenter(Delivery, {
  compute: (row: DeliveryRow) => ({ updated_at: (row.finished_at ?? row.created_at).toISOString() }),
});

export const exampleDelivery: Static<typeof Delivery> = {
  id: 'dlv_01jqzv9c7mh1pdr9t5y2w0q8gx',
  webhook_id: 'wh_01jqzv4d5jf9mbp7r3w0t8n6ev',
  message_id: 'msg_01jqzv9c7kh1pdr9t5y2w0q8gw',
  event_id: 'evt_01jqzv9c6jg0ncq8s4x1v9p7fw',
  event_type: 'operation.succeeded',
  attempt: 1,
  trigger: 'event',
  status: 'failed',
  http_status: 503,
  error_code: 'http_status',
  duration_ms: 212,
  response_excerpt: 'Service Unavailable',
  next_attempt_at: '2026-03-01T10:00:05.310Z',
  created_at: '2026-03-01T10:00:00.000Z',
  updated_at: '2026-03-01T10:00:00.240Z',
};
