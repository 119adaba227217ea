import type { Selectable } from 'kysely';
import { addressFor } from '../../../kernel/chosen-addresses.ts';
import { EventPattern, MAX_PATTERNS } from '../../../kernel/events/patterns.ts';
import { exampleOf } from '../../../kernel/examples.ts';
import {
  advanced,
  CreatedAt,
  Description,
  Etag,
  Id,
  Labels,
  label,
  Named,
  Nullable,
  OwnId,
  ResourceName,
  Secret,
  Shape,
  type Static,
  Time,
  Type,
  UpdatedAt,
  unlessSent,
  volatile,
} from '../../../kernel/schema.ts';
import { written } from '../../../kernel/text-patterns.ts';
import { SIGNING_SECRET_PATTERN } from '../../../operations/webhooks/signature.ts';
import {
  AttemptFaultShape,
  SilenceReasonShape,
  WebhookStatusShape,
} from '../../../operations/webhooks/tables.ts';
import type { Tables } from '../../../store/database.ts';

export const Webhook = Named(
  'Webhook',
  Shape({
    id: OwnId('wh'),
    name: ResourceName,
    url: Type.String({ format: 'uri', description: 'Where messages are sent to, by POST over https.' }),
    owner: Shape(
      { member_id: Nullable(Id('mem', { description: 'The member; null if that member was removed.' })) },
      { description: 'The owner of the key that set it last.' },
    ),
    visible_permissions: Type.Array(Type.String(), {
      description:
        'The permissions of the key that set the webhook last. It receives only events that these permissions and the role of the owner of the key allow.',
    }),
    event_types: Type.Array(EventPattern, {
      description: 'The events that it receives: exact types, `vm.*`, or `*`.',
    }),
    enabled: Type.Boolean({
      description: 'False if you switched it off, or if it was disabled because of failures.',
    }),
    description: Description,
    labels: Labels,
    status: WebhookStatusShape,
    disabled_reason: Nullable(SilenceReasonShape),
    secret_version: Type.Integer({
      minimum: 1,
      description: 'The number of the signing secret; the first is 1.',
    }),
    previous_secret_valid_until: Nullable({
      ...Time,
      ...volatile,
      description: 'Until then the previous secret signs messages, too; null if there is none.',
    }),
    last_success_at: Nullable({
      ...Time,
      ...volatile,
      description: 'When the receiver last answered 2xx; null if it never did.',
    }),
    last_failure: Nullable(
      Shape(
        {
          at: { ...Time, description: 'When the attempt was made.' },
          code: { ...AttemptFaultShape, description: 'Why the attempt failed.' },
          http_status: Nullable(
            Type.Integer({ description: 'The HTTP status of the receiver; null if it did not answer.' }),
          ),
        },
        { ...volatile, description: 'The last attempt that failed; null if none did.' },
      ),
    ),
    pending_count: Type.Integer({
      ...volatile,
      description: 'Number of delivery attempts that are scheduled.',
    }),
    etag: Etag,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'url', 'event_types', 'status', 'last_success_at'] },
);

export type Webhook = Static<typeof Webhook>;

export const WebhookWithSecret = Named(
  'WebhookWithSecret',
  Shape({
    ...Webhook.properties,
    secret: Nullable(
      Secret(
        Type.String({
          readOnly: true,
          description:
            'The signing secret (`whsec_…`), only in the answer that created it, else null. If you lost that answer, raise `secret_version` again.',
        }),
      ),
    ),
  }),
);

export const SetWebhook = Named(
  'SetWebhook',
  Shape({
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      format: 'uri',
      ...addressFor('called_url'),
      description:
        'Where messages are sent to: https, port 443, 8443 or from 1024 on; no user, no fragment, no private address.',
    }),
    event_types: Type.Array(EventPattern, {
      minItems: 1,
      maxItems: MAX_PATTERNS,
      uniqueItems: true,
      ...label('Events'),
      description: 'The events to receive: exact types, `vm.*`, or `*` for all.',
    }),
    enabled: Type.Optional(
      Type.Boolean({
        default: true,
        description:
          'Whether messages are sent. True also enables a webhook again that was disabled because its receiver failed.',
      }),
    ),
    description: Type.Optional({ ...Description, default: '' }),
    labels: Type.Optional({ ...Labels, default: {} }),
    secret: Type.Optional(
      Secret(
        Type.String({
          writeOnly: true,
          ...label('Signing secret'),
          ...advanced,
          ...unlessSent('secret_version'),
          ...written(SIGNING_SECRET_PATTERN, 'Must be whsec_ and then 24 to 64 random bytes in base64.'),
          description:
            'A signing secret of your own: `whsec_` and 24 to 64 random bytes in base64. Another one than the present replaces it; the old secret also signs for 24 hours. Left out: the secret of an existing webhook stays; for a new one, Hostplane generates it and shows it once.',
        }),
      ),
    ),
    secret_version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        ...advanced,
        ...unlessSent('secret'),
        description:
          'One more than the present version creates a new secret; the old secret also signs for 24 hours. Send it without `secret`. Left out: the secret stays.',
      }),
    ),
  }),
);
export type SetWebhook = Static<typeof SetWebhook>;

export type WebhookRow = Selectable<Tables['webhooks']> & {
  readonly pending_count: number;
  /** `false` while the account is suspended, closing or closed: no messages are sent then. */
  readonly account_is_served: boolean;
};

export const exampleWebhook = exampleOf(Webhook, {
  id: 'wh_01jqzv4d5jf9mbp7r3w0t8n6ev',
  name: 'deploys',
  url: 'https://hooks.example.com/hostplane',
  owner: { member_id: 'mem_01jqzv2m7ye9rs5d3k8w4t6y0c' },
  visible_permissions: ['account:*:read'],
  event_types: ['operation.*', 'api_key.revoked'],
  enabled: true,
  description: 'Tells the deploy bot',
  labels: { team: 'platform' },
  status: 'active',
  secret_version: 1,
  last_success_at: '2026-03-01T10:00:01.000Z',
  pending_count: 0,
  created_at: '2026-03-01T09:00:00.000Z',
  updated_at: '2026-03-01T09:00:00.000Z',
});
