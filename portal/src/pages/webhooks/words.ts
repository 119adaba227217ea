import type { Webhook } from '../../data/account-types.ts';
import type { Tone } from '../../ui/tone.ts';

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

const faults: Readonly<Record<string, string>> = {
  timeout: 'there was no answer in time',
  dns: 'the host name has no address',
  tls: 'the certificate is not valid for the host name, or TLS failed',
  connect: 'the connection was refused or broke',
  blocked_address: 'the host name leads to an address that is not public',
  redirect: 'the receiver answered with a redirect, which is not followed',
};

/** How an attempt ended that has no success: what the receiver answered, or why it did not. */
export const answerOf = (status: number | null, code: string | null): string | null =>
  status !== null ? `answered ${status}` : code === null ? null : (faults[code] ?? code.replaceAll('_', ' '));

/** What a person has declared, without what the server adds: a change sends all of it again. */
export const declared = ({ url, event_types, enabled, description, labels }: Webhook) => ({
  url,
  event_types,
  enabled,
  description,
  labels,
});
