import type { Webhook } from '../../data/account-types.ts';
import type { Tone } from '../../ui/badge.tsx';

const tones: Readonly<Record<string, Tone>> = {
  active: 'good',
  succeeded: 'good',
  failing: 'warn',
  failed: 'bad',
  pending: 'info',
};

export const toneOf = (status: string): Tone => tones[status] ?? 'plain';

const reasons: Readonly<Record<string, string>> = {
  manual: 'Somebody switched it off.',
  failures: 'It was switched off, because its messages failed for too long.',
  gone: 'The receiver answered 410: it wants no more messages.',
  account_suspended: 'The account is suspended or closing. Messages are sent again after that.',
};

/** Why it gets nothing now, or what goes wrong. */
export function troubleOf({ status, disabled_reason: reason }: Webhook): string | null {
  if (reason !== null) return reasons[reason] ?? reason.replaceAll('_', ' ');
  return status === 'failing' ? 'The last messages failed. They are still tried, for three days.' : null;
}

/** What a person has declared, without what the server adds: a change sends all of it again. */
export const declared = ({ url, event_types, enabled, description, labels }: Webhook) => ({
  url,
  event_types,
  enabled,
  description,
  labels,
});
