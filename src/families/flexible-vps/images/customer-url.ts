/** Checks the text of a URL from which a file is downloaded. Host names are resolved and checked at the download. */
import { hostOf } from '../../../kernel/net/egress.ts';
import { invalid, type Problem } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import { urlFault } from './download.ts';

/** `such` is an example of a URL for the message. */
export function requireUrl(
  { egress }: Pick<Services, 'egress'>,
  text: string,
  { pointer, such }: { readonly pointer: string; readonly such: string },
): URL {
  const refuse = (code: 'invalid_format' | 'blocked_address', detail: string): Problem =>
    invalid([{ pointer, code, detail }]);
  if (!URL.canParse(text)) throw refuse('invalid_format', `Must be a URL such as ${such}.`);
  const url = new URL(text);
  const fault = urlFault(url);
  if (fault !== null) throw refuse('invalid_format', fault);
  const refusal = egress.refuses(hostOf(url));
  if (refusal === null) return url;
  const detail = `${hostOf(url)} cannot be called (${refusal.replaceAll('_', ' ')}); use a public address or a name.`;
  throw refuse('blocked_address', detail);
}
