/** Decides when a webhook counts as failing, recovered or disabled, and builds the events that report it. */
import type { NewEvent } from '../../kernel/events/event.ts';
import type { DisabledReason, FailingReason, WebhookStatus } from './tables.ts';

/** A webhook is failing after this many messages without a success within an hour. */
const FAILING_MESSAGES = 3;
const GIVEN_UP_MS = 5 * 86_400_000;

export interface Health {
  readonly status: WebhookStatus;
  /** Time of the first failure since the last success. */
  readonly failing_since: Date | null;
}

export type Change =
  | { readonly to: 'recovered' }
  | { readonly to: 'failing' }
  | { readonly to: 'disabled'; readonly reason: Exclude<DisabledReason, 'manual'> };

export interface Attempted {
  readonly result: 'delivered' | 'failed' | 'gone';
  readonly now: Date;
  /** Number of distinct messages that failed in the last hour and since the last success. */
  readonly messagesFailing: number;
}

export function changeAfter({ status, failing_since }: Health, attempted: Attempted): Change | null {
  if (status === 'disabled') return null;
  const { result, now, messagesFailing } = attempted;
  switch (result) {
    case 'delivered':
      return status === 'failing' ? { to: 'recovered' } : null;
    case 'gone':
      return { to: 'disabled', reason: 'gone' };
    case 'failed': {
      const failingMs = failing_since === null ? 0 : now.getTime() - failing_since.getTime();
      if (status === 'failing')
        return failingMs >= GIVEN_UP_MS ? { to: 'disabled', reason: 'failures' } : null;
      return messagesFailing >= FAILING_MESSAGES ? { to: 'failing' } : null;
    }
  }
}

interface Named {
  readonly id: string;
  readonly name: string;
}

const refOf = ({ id, name }: Named) => ({ type: 'webhook', id, name });

export function failingEvent(webhook: Named, reason: FailingReason, pending: number): NewEvent {
  const why =
    reason === 'failures'
      ? 'its last messages did not get through'
      : 'too many messages wait for it and the oldest were dropped';
  return {
    type: 'webhook.failing',
    resource: refOf(webhook),
    message: `Webhook ${webhook.name} is failing: ${why}.`,
    data: { reason, pending },
  };
}

const disabledBecause: Record<DisabledReason, string> = {
  manual: 'it was switched off by hand',
  failures: 'nothing got through for five days',
  gone: 'its receiver answered 410 Gone',
};

export function disabledEvent(webhook: Named, reason: DisabledReason): NewEvent {
  return {
    type: 'webhook.disabled',
    ...(reason === 'manual' ? { severity: 'info' as const } : {}),
    resource: refOf(webhook),
    message: `Webhook ${webhook.name} is disabled: ${disabledBecause[reason]}.`,
    data: { reason },
  };
}

export const recoveredEvent = (webhook: Named): NewEvent => ({
  type: 'webhook.recovered',
  resource: refOf(webhook),
  message: `Webhook ${webhook.name} delivers messages again.`,
  data: {},
});

export const testEvent = (webhook: Named): NewEvent => ({
  type: 'webhook.test',
  resource: refOf(webhook),
  message: `Webhook ${webhook.name} was set up; this message shows whether it works.`,
  data: {},
});
