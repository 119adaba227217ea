import { changesBetween } from '../../../kernel/audit/changes.ts';
import type { Call } from '../../../kernel/call.ts';
import { NameOrId } from '../../../kernel/named/named.ts';
import { dateFilters, ListQuery, labelFilter, nameFilter } from '../../../kernel/pages/list.ts';
import { created, endpoint, ok } from '../../../kernel/record.ts';
import { disableWebhook } from '../../../operations/webhooks/attempts/store.ts';
import { disabledEvent, testEvent } from '../../../operations/webhooks/health.ts';
import { parseSigningSecret, showSigningSecret } from '../../../operations/webhooks/signature.ts';
import { requireRoom } from '../../../resources/limits/require-room.ts';
import { deleteOf, listOf } from '../../../resources/records/records.ts';
import { refuseFaults, wantsSecret } from './declaration.ts';
import { webhookView } from './present.ts';
import { webhooks } from './resource.ts';
import { exampleWebhook, SetWebhook, type WebhookRow, WebhookWithSecret } from './schema.ts';
import { readHead, readWebhooks } from './store.ts';
import { declaredBy, declaredMembers, makeSecret } from './webhook-row.ts';

export const listWebhooks = listOf(webhookView, {
  id: 'listWebhooks',
  description: 'All webhooks with their event types and delivery status. Signing secrets are never returned.',
  query: ListQuery(
    { ...nameFilter, ...labelFilter, ...dateFilters },
    { sort: ['created_at', '-created_at', 'name', '-name'] },
  ),
  read: readWebhooks,
});

type SetCall = Call<{ id: string }, unknown, SetWebhook>;

const givenSecret = ({ secret }: SetWebhook): Buffer | undefined =>
  secret === undefined ? undefined : parseSigningSecret(secret);

/** The result of creating or replacing a webhook. `secret` is set only if Hostplane generated a new one. */
interface Written {
  readonly id: string;
  readonly secret: Buffer | null;
}

async function make(call: SetCall, name: string): Promise<Written> {
  const { db, caller, body, services, now } = call;
  wantsSecret(0, body.secret_version);
  await requireRoom(call, 'account.webhooks');
  const id = webhooks.newId();
  const declared = declaredBy(call);
  const given = givenSecret(body);
  const { secret, columns } = makeSecret(services.secrets, id, null, now, given);
  const row = {
    id,
    name,
    ...declared,
    ...columns,
    status: declared.enabled ? 'active' : 'disabled',
    disabled_reason: declared.enabled ? null : 'manual',
    cursor: await readHead(db, caller.account.id),
  } as const;
  await webhooks.add(call, row, declaredMembers);
  // The test event is also in the feed, so that a user who waits for the first message can see that it exists.
  if (declared.enabled) call.event(testEvent({ id, name }));
  return { id, secret: given === undefined ? secret : null };
}

async function replace(call: SetCall, before: WebhookRow): Promise<Written> {
  const { db, caller, body, services, now } = call;
  const { id } = before;
  const declared = declaredBy(call);
  const given = givenSecret(body);
  const isNew =
    given === undefined
      ? wantsSecret(before.secret_version, body.secret_version)
      : !services.secrets.open(before.secret, id).equals(given);
  const made = isNew ? makeSecret(services.secrets, id, before, now, given) : null;
  const { enabled, ...columns } = declared;
  const change = {
    ...columns,
    ...made?.columns,
    ...(enabled && !before.enabled
      ? {
          enabled,
          status: 'active' as const,
          disabled_reason: null,
          failing_since: null,
          // Events that occurred while the webhook was disabled are not delivered.
          cursor: await readHead(db, caller.account.id),
        }
      : {}),
  };
  const after = { ...declared, secret_version: made?.columns.secret_version ?? before.secret_version };
  await webhooks.update(call, before, change, changesBetween<typeof after>(before, after));
  if (!enabled && before.enabled) {
    await disableWebhook(db, id, 'manual', now);
    call.event(disabledEvent(before, 'manual'));
  }
  return { id, secret: given === undefined ? (made?.secret ?? null) : null };
}

export const setWebhook = endpoint({
  id: 'setWebhook',
  method: 'PUT',
  path: '/account/v1/webhooks/{id}',
  summary: 'Declare a webhook, or rotate its secret',
  description: [
    'A new name creates a webhook and sends it the message `webhook.test`; an existing name or an id replaces that webhook, and members left out get their defaults. It receives only events that the key that set it last could read and that the role of its owner still may read.',
    'Messages follow [Standard Webhooks](https://www.standardwebhooks.com): verify `webhook-signature` over the raw bytes, refuse a `webhook-timestamp` more than five minutes off, and deduplicate on `webhook-id`. Any 2xx within 15 seconds counts as delivered; redirects are not followed. Failed messages are tried ten times over three days. 410 disables the webhook.',
  ].join('\n\n'),
  permission: 'account:webhooks:write',
  access: 'write',
  sensitive: true,
  resource: { name: 'webhook', role: 'declare' },
  params: NameOrId('wh'),
  body: SetWebhook,
  answers: { 200: WebhookWithSecret, 201: WebhookWithSecret },
  problems: ['quota_exceeded', 'secret_in_text'],
  example: {
    params: { id: 'deploys' },
    body: {
      url: 'https://hooks.example.com/hostplane',
      event_types: ['operation.*', 'api_key.revoked'],
      description: 'Tells the deploy bot',
      labels: { team: 'platform' },
    },
    answer: { status: 200, body: { ...exampleWebhook, secret: null } },
  },
  async handle(call) {
    refuseFaults(call.services, call.body);
    const target = await webhooks.declare(call);
    const written =
      target.existing === null ? await make(call, target.name) : await replace(call, target.existing);
    const row = await webhooks.get(call, written.id);
    const secret = written.secret === null ? null : showSigningSecret(written.secret);
    const shown = { ...webhookView.present(call, row), secret };
    return target.existing === null ? created(shown) : ok(shown);
  },
});

export const deleteWebhook = deleteOf(webhookView, {
  id: 'deleteWebhook',
  description: 'Also deletes its delivery history. Pending deliveries are dropped.',
});
