/** Checks the rules for `setWebhook` that its schema cannot express. */
import { patternFaults } from '../../../kernel/events/patterns.ts';
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import type { SetWebhook } from './schema.ts';

const FIRST_FREE_PORT = 1024;
const OTHER_PORTS = [443, 8443];

function formFault(url: URL): string | null {
  const port = url.port === '' ? 443 : Number(url.port);
  if (url.protocol !== 'https:') return 'Must begin with https://.';
  if (url.username !== '' || url.password !== '') return 'Must not contain a user or password.';
  if (url.hash !== '' || url.href.endsWith('#')) return 'Must not contain a fragment (#).';
  if (port < FIRST_FREE_PORT && !OTHER_PORTS.includes(port))
    return 'The port must be 443, 8443 or from 1024 on.';
  return null;
}

/** Host names are resolved and checked at every delivery. */
function urlFaults(text: string): FieldError[] {
  const pointer = '/url';
  if (!URL.canParse(text)) {
    const detail = 'Must be a URL such as https://hooks.example.com/hostplane.';
    return [{ pointer, code: 'invalid_format', detail }];
  }
  const fault = formFault(new URL(text));
  return fault === null ? [] : [{ pointer, code: 'invalid_format', detail: fault }];
}

const secretFaults = ({ secret, secret_version }: SetWebhook): FieldError[] =>
  secret === undefined || secret_version === undefined
    ? []
    : [
        {
          pointer: '/secret_version',
          code: 'mutually_exclusive',
          detail:
            'Send `secret` or `secret_version`, not both. Another `secret` than the present one replaces it.',
        },
      ];

export function refuseFaults(services: Pick<Services, 'registry'>, body: SetWebhook): void {
  const faults = [
    ...secretFaults(body),
    ...urlFaults(body.url),
    ...patternFaults(services.registry, body.event_types, '/event_types'),
  ];
  if (faults.length > 0) throw invalid(faults);
}

/** Whether the declaration requests a new secret. The present version of a new webhook is 0. */
export function wantsSecret(present: number, wanted: number | undefined): boolean {
  const version = wanted ?? Math.max(present, 1);
  if (version === present || version === present + 1) return version > present;
  const allowed = present === 0 ? '1, as there is no secret yet' : `${present} or ${present + 1}`;
  throw invalid([
    {
      pointer: '/secret_version',
      code: 'out_of_range',
      detail: `Must be ${allowed}. One more than the present version creates a new secret.`,
    },
  ]);
}
