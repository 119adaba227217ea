import type { Generated } from 'kysely';
import { idPrefix } from '../../kernel/ids.ts';
import { egressFaultMeanings } from '../../kernel/net/egress.ts';
import { statesAllowing } from '../../kernel/published-states.ts';
import { Named, OneOf, volatile } from '../../kernel/schema.ts';

const webhookMeanings = {
  active: 'Messages are sent.',
  failing: 'The last messages failed; they are still tried.',
  disabled: 'Nothing is sent; `disabled_reason` says why.',
} as const;
export type WebhookStatus = keyof typeof webhookMeanings;
export const WebhookStatusShape = OneOf(webhookMeanings, {
  ...volatile,
  description: 'Whether messages are sent.',
  ...statesAllowing({
    active: ['setWebhook', 'deleteWebhook', 'redeliverWebhook'],
    failing: ['setWebhook', 'deleteWebhook', 'redeliverWebhook'],
    disabled: ['setWebhook', 'deleteWebhook'],
  }),
});
const disabledMeanings = {
  manual: 'You switched it off.',
  failures: 'Messages failed for too long.',
  gone: 'The receiver answered 410.',
} as const;
export type DisabledReason = keyof typeof disabledMeanings;
/** Why a webhook was disabled. */
export const DisabledReasonShape = Named(
  'WebhookDisabledReason',
  OneOf(disabledMeanings, { description: 'Why it was disabled.' }),
);
/** Why nothing is sent: the webhook was disabled, or the account gets no service. */
export const SilenceReasonShape = Named(
  'WebhookSilenceReason',
  OneOf(
    {
      ...disabledMeanings,
      account_suspended: 'The account is suspended or closing. Messages are sent again after that.',
    },
    { ...volatile, description: 'Why nothing is sent; null if it is not disabled.' },
  ),
);

const failingMeanings = {
  failures: 'Its last messages did not get through.',
  backlog: 'Too many messages wait, and the oldest were dropped.',
} as const;
export type FailingReason = keyof typeof failingMeanings;
export const FailingReasonShape = OneOf(failingMeanings, { description: 'Why it counts as failing.' });

export const newDeliveryId = idPrefix('delivery', 'dlv');
export const newMessageId = idPrefix('message', 'msg');

const deliveryMeanings = {
  pending: 'The attempt will be made at `next_attempt_at`.',
  succeeded: 'The receiver answered 2xx.',
  failed: 'The receiver did not answer 2xx; `error_code` says why.',
  discarded: 'The attempt was not made, for example because the webhook was disabled.',
} as const;
export type DeliveryStatus = keyof typeof deliveryMeanings;
export const DeliveryStatusShape = Named(
  'DeliveryStatus',
  OneOf(deliveryMeanings, {
    description: 'How the attempt ended.',
    ...statesAllowing({
      pending: [],
      succeeded: ['redeliverWebhook'],
      failed: ['redeliverWebhook'],
      discarded: ['redeliverWebhook'],
    }),
  }),
);
const triggerMeanings = {
  event: 'The first attempt, made because of the event.',
  retry: 'Another attempt, made because an earlier one failed.',
  redelivery: 'An attempt that somebody asked for with `redeliverWebhook`.',
} as const;
export const DeliveryTrigger = OneOf(triggerMeanings, { description: 'Why the attempt is made.' });
const faultMeanings = {
  ...egressFaultMeanings,
  redirect: 'The receiver answered with a redirect, which is not followed.',
  http_status: 'The receiver answered with a status that is not 2xx.',
} as const;
/** Why an attempt failed: the receiver did not answer, or its answer does not count as a success. */
export type AttemptFault = keyof typeof faultMeanings;
export const AttemptFaultShape = Named(
  'AttemptFault',
  OneOf(faultMeanings, { description: 'Why the attempt failed; null if it did not fail.' }),
);

interface WebhooksTable {
  id: string;
  account_id: string;
  name: string;
  url: string;
  owner_id: string | null;
  visible_permissions: string[];
  event_types: string[];
  enabled: boolean;
  description: string;
  labels: Record<string, string>;
  status: WebhookStatus;
  disabled_reason: DisabledReason | null;
  secret: Buffer;
  secret_version: number;
  previous_secret: Buffer | null;
  previous_secret_until: Date | null;
  cursor: number;
  last_success_at: Date | null;
  last_failure_at: Date | null;
  last_failure_code: AttemptFault | null;
  last_failure_http_status: number | null;
  failing_since: Date | null;
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

interface WebhookDeliveriesTable {
  id: string;
  account_id: string;
  webhook_id: string;
  message_id: string;
  event_id: string;
  event_type: string;
  attempt: number;
  trigger: keyof typeof triggerMeanings;
  status: Generated<DeliveryStatus>;
  http_status: number | null;
  error_code: AttemptFault | null;
  duration_ms: number | null;
  response_excerpt: string | null;
  next_attempt_at: Date | null;
  finished_at: Date | null;
  created_at: Generated<Date>;
  lease_owner: string | null;
  lease_until: Date | null;
}

declare module '../../store/database.ts' {
  interface Tables {
    webhooks: WebhooksTable;
    webhook_deliveries: WebhookDeliveriesTable;
  }
}
