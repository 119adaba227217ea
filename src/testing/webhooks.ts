/** Inserts webhooks and delivery attempts for tests directly into the tables. */
import type { Insertable } from 'kysely';
import { webhooks } from '../families/account/webhooks/resource.ts';
import { newId } from '../kernel/ids.ts';
import type { Services } from '../kernel/services.ts';
import { newSigningSecret } from '../operations/webhooks/signature.ts';
import { newDeliveryId, newMessageId } from '../operations/webhooks/tables.ts';
import type { Tables } from '../store/database.ts';
import type { TestAccount } from './accounts.ts';

type WebhookColumns = Insertable<Tables['webhooks']>;
type DeliveryColumns = Insertable<Tables['webhook_deliveries']>;

export async function insertWebhook(
  { db, secrets }: Pick<Services, 'db' | 'secrets'>,
  account: TestAccount,
  overrides: Partial<WebhookColumns> = {},
): Promise<{ id: string; secret: Buffer }> {
  const id = webhooks.newId();
  const secret = newSigningSecret();
  await db
    .insertInto('webhooks')
    .values({
      id,
      account_id: account.id,
      name: id.replaceAll('_', '-'),
      url: 'https://hooks.example.com/hostplane',
      owner_id: account.ownerId,
      visible_permissions: ['*:*:*'],
      event_types: ['*'],
      enabled: true,
      description: '',
      labels: JSON.stringify({}) as never,
      status: 'active',
      secret: secrets.close(secret, id),
      secret_version: 1,
      cursor: 0,
      ...overrides,
    })
    .execute();
  return { id, secret };
}

/** By default the attempt has failed and no retry follows. */
export async function insertDelivery(
  { db }: Pick<Services, 'db'>,
  account: Pick<TestAccount, 'id'>,
  webhookId: string,
  overrides: Partial<DeliveryColumns> = {},
): Promise<string> {
  const id = newDeliveryId();
  await db
    .insertInto('webhook_deliveries')
    .values({
      id,
      account_id: account.id,
      webhook_id: webhookId,
      message_id: newMessageId(),
      event_id: newId('event'),
      event_type: 'webhook.test',
      attempt: 1,
      trigger: 'event',
      status: 'failed',
      http_status: 500,
      error_code: 'http_status',
      duration_ms: 12,
      finished_at: new Date(),
      ...overrides,
    })
    .execute();
  return id;
}
