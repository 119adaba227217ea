/** The columns of a webhook that follow from its declaration and from the key that declares it. */
import { permissionsOf } from '../../../kernel/access/caller.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import { newSigningSecret } from '../../../operations/webhooks/signature.ts';
import type { SetWebhook, WebhookRow } from './schema.ts';

/** How long the previous secret also signs messages after a rotation. */
const OVERLAP_MS = 24 * 3_600_000;

/** The members of a declaration, in the order in which audit entries list them. */
export const declaredMembers = [
  'url',
  'event_types',
  'enabled',
  'description',
  'labels',
  'visible_permissions',
  'owner_id',
] as const;
type Declared = Pick<WebhookRow, (typeof declaredMembers)[number]>;

export function declaredBy({
  caller,
  body,
}: Pick<Call<unknown, unknown, SetWebhook>, 'caller' | 'body'>): Declared {
  return {
    url: body.url,
    event_types: body.event_types,
    enabled: body.enabled ?? true,
    description: body.description ?? '',
    labels: body.labels ?? {},
    visible_permissions: [...permissionsOf(caller)],
    owner_id: caller.owner?.memberId ?? null,
  };
}

export interface NewSecret {
  /** The plain secret; it is returned to the caller only once. */
  readonly secret: Buffer;
  readonly columns: Pick<
    WebhookRow,
    'secret' | 'secret_version' | 'previous_secret' | 'previous_secret_until'
  >;
}

/** Uses the given secret, or generates one. */
export function makeSecret(
  seal: Seal,
  webhookId: string,
  before: Pick<WebhookRow, 'secret' | 'secret_version'> | null,
  now: Date,
  secret: Buffer = newSigningSecret(),
): NewSecret {
  return {
    secret,
    columns: {
      secret: seal.close(secret, webhookId),
      secret_version: (before?.secret_version ?? 0) + 1,
      previous_secret: before?.secret ?? null,
      previous_secret_until: before === null ? null : new Date(now.getTime() + OVERLAP_MS),
    },
  };
}
