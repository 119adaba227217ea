import { fold } from '../../../kernel/access/permissions.ts';
import { view } from '../../../resources/records/records.ts';
import { webhooks } from './resource.ts';
import { exampleWebhook, Webhook } from './schema.ts';

export const webhookView = view(webhooks, {
  schema: Webhook,
  path: '/account/v1/webhooks',
  permission: 'account:webhooks:read',
  named: true,
  example: exampleWebhook,
  compute(row, { now }) {
    const isHeldBack = !row.account_is_served && row.status !== 'disabled';
    const { previous_secret_until: previousUntil, last_failure_at: failedAt } = row;
    return {
      owner: { member_id: row.owner_id },
      visible_permissions: fold(row.visible_permissions),
      status: isHeldBack ? 'disabled' : row.status,
      disabled_reason: isHeldBack ? 'account_suspended' : row.disabled_reason,
      previous_secret_valid_until:
        previousUntil !== null && previousUntil > now ? previousUntil.toISOString() : null,
      last_failure:
        failedAt === null || row.last_failure_code === null
          ? null
          : {
              at: failedAt.toISOString(),
              code: row.last_failure_code,
              http_status: row.last_failure_http_status,
            },
    };
  },
});
