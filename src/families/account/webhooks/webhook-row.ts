/** Converts the body of `setWebhook` into columns of the row, and lists the changes for the audit log. */
import { type AuditChange, canonicalJson } from '../../../kernel/audit/entry.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import { newSigningSecret } from '../../../operations/webhooks/signature.ts';
import type { SetWebhook, WebhookRow } from './schema.ts';

/** How long the previous secret also signs messages after a rotation. */
const OVERLAP_MS = 24 * 3_600_000;

export type Declared = Pick<
  WebhookRow,
  'url' | 'event_types' | 'enabled' | 'description' | 'labels' | 'visible_permissions' | 'owner_id'
>;

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
    visible_permissions: [...caller.key.permissions],
    owner_id: caller.owner?.memberId ?? null,
  };
}

/** Users put tokens into the query of a URL, so the audit log does not show it. */
const withoutQuery = (url: string): string => url.replace(/\?.*$/s, '?…');

const shown = (declared: Declared): Record<keyof Declared, unknown> => ({
  ...declared,
  url: withoutQuery(declared.url),
});

export function changesBetween(before: Declared | null, after: Declared): AuditChange[] {
  const names = Object.keys(after) as (keyof Declared)[];
  return names
    .filter((name) => before === null || canonicalJson(before[name]) !== canonicalJson(after[name]))
    .map((name) => ({
      pointer: `/${name}`,
      before: before === null ? null : shown(before)[name],
      after: shown(after)[name],
    }));
}

export interface NewSecret {
  /** The plain secret; it is returned to the caller only once. */
  readonly secret: Buffer;
  readonly columns: Pick<
    WebhookRow,
    'secret' | 'secret_version' | 'previous_secret' | 'previous_secret_until'
  >;
}

export function makeSecret(
  seal: Seal,
  webhookId: string,
  before: Pick<WebhookRow, 'secret' | 'secret_version'> | null,
  now: Date,
): NewSecret {
  const secret = newSigningSecret();
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
