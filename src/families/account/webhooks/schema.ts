import type { Selectable } from 'kysely';
import { fold } from '../../../kernel/access/permissions.ts';
import { etagOf } from '../../../kernel/etag.ts';
import { EventPattern, MAX_PATTERNS } from '../../../kernel/events/patterns.ts';
import {
  Id,
  Labels,
  Named,
  Nullable,
  OneOf,
  ResourceName,
  Secret,
  Shape,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import { SIGNING_SECRET_PATTERN } from '../../../operations/webhooks/signature.ts';
import { webhookStatuses } from '../../../operations/webhooks/tables.ts';
import type { Tables } from '../../../store/database.ts';

export const Webhook = Named(
  'Webhook',
  Shape({
    id: Id('wh'),
    name: ResourceName,
    url: Type.String(),
    owner: Shape({ member_id: Nullable(Id('mem')) }),
    visible_permissions: Type.Array(Type.String(), {
      description:
        'The permissions of the key that set the webhook last. It receives only events that these permissions and the role of the owner of the key allow.',
    }),
    event_types: Type.Array(EventPattern),
    enabled: Type.Boolean(),
    description: Type.String(),
    labels: Labels,
    status: OneOf(webhookStatuses, {
      'x-states': {
        active: ['set', 'delete', 'redeliver'],
        failing: ['set', 'delete', 'redeliver'],
        disabled: ['set', 'delete'],
      },
    }),
    disabled_reason: Nullable(OneOf(['manual', 'failures', 'gone', 'account_suspended'])),
    secret_version: Type.Integer({ minimum: 1 }),
    previous_secret_valid_until: Nullable({
      ...Time,
      description: 'Until this time messages also carry a signature of the previous secret.',
    }),
    last_success_at: Nullable(Time),
    last_failure: Nullable(
      Shape({
        at: Time,
        code: Type.String({ description: 'Same values as `error_code` of a delivery.' }),
        http_status: Nullable(Type.Integer()),
      }),
    ),
    pending_count: Type.Integer({ description: 'Number of delivery attempts that are scheduled.' }),
    etag: Type.String(),
    created_at: Time,
    updated_at: Time,
  }),
);

export const WebhookWithSecret = Named(
  'WebhookWithSecret',
  Shape({
    ...Webhook.properties,
    secret: Nullable(
      Secret(
        Type.String({
          description:
            'The signing secret (`whsec_…`), only in the answer that created it. If you lost that answer, raise `secret_version` again.',
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
      description: 'https, port 443, 8443 or from 1024 on; no user, no fragment, no private address.',
    }),
    event_types: Type.Array(EventPattern, {
      minItems: 1,
      maxItems: MAX_PATTERNS,
      uniqueItems: true,
      description: 'Exact types, `vm.*`, or `*` for all.',
    }),
    enabled: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'True also enables a webhook again that was disabled because its receiver failed.',
      }),
    ),
    description: Type.Optional(Type.String({ maxLength: 255, default: '' })),
    labels: Type.Optional(Labels),
    secret: Type.Optional(
      Secret(
        Type.String({
          writeOnly: true,
          pattern: SIGNING_SECRET_PATTERN,
          description:
            'A signing secret of your own: `whsec_` and 24 to 64 random bytes in base64. Another one than the present replaces it; the old secret also signs for 24 hours. Left out, Hostplane generates the secret and shows it once.',
        }),
      ),
    ),
    secret_version: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_147_483_647,
        description:
          'One more than the present version creates a new secret; the old secret also signs for 24 hours. If you leave it out, the secret stays.',
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

const time = (value: Date | null): string | null => value?.toISOString() ?? null;

export function presentWebhook(row: WebhookRow, now: Date): Static<typeof Webhook> {
  const isHeldBack = !row.account_is_served && row.status !== 'disabled';
  const { previous_secret_until: previousUntil, last_failure_at: failedAt } = row;
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    owner: { member_id: row.owner_id },
    visible_permissions: fold(row.visible_permissions),
    event_types: row.event_types,
    enabled: row.enabled,
    description: row.description,
    labels: row.labels,
    status: isHeldBack ? 'disabled' : row.status,
    disabled_reason: isHeldBack ? 'account_suspended' : row.disabled_reason,
    secret_version: row.secret_version,
    previous_secret_valid_until:
      previousUntil !== null && previousUntil > now ? previousUntil.toISOString() : null,
    last_success_at: time(row.last_success_at),
    last_failure:
      failedAt === null
        ? null
        : {
            at: failedAt.toISOString(),
            code: row.last_failure_code ?? '',
            http_status: row.last_failure_http_status,
          },
    pending_count: row.pending_count,
    etag: etagOf(row.id, row.version),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export const exampleWebhook: Static<typeof Webhook> = {
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
  disabled_reason: null,
  secret_version: 1,
  previous_secret_valid_until: null,
  last_success_at: '2026-03-01T10:00:01.000Z',
  last_failure: null,
  pending_count: 0,
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: '2026-03-01T09:00:00.000Z',
  updated_at: '2026-03-01T09:00:00.000Z',
};
