import type { Generated } from 'kysely';
import { idPrefix } from '../../kernel/ids.ts';
import { egressFaults } from '../../kernel/net/egress.ts';

export const webhookStatuses = ['active', 'failing', 'disabled'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];
export type DisabledReason = 'manual' | 'failures' | 'gone';

export const newDeliveryId = idPrefix('delivery', 'dlv');
export const newMessageId = idPrefix('message', 'msg');

export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'discarded'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
export const deliveryTriggers = ['event', 'retry', 'redelivery'] as const;
/** Why an attempt failed: the receiver did not answer, or its answer does not count as a success. */
export const attemptFaults = [...egressFaults, 'redirect', 'http_status'] as const;
export type AttemptFault = (typeof attemptFaults)[number];

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
  trigger: (typeof deliveryTriggers)[number];
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
