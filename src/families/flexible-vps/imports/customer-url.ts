/** Reads the URL from which a file is downloaded. Host names are resolved and checked at the download. */
import { invalid } from '../../../kernel/problems/problem.ts';
import { urlFault } from './download.ts';

/** `such` is an example of a URL for the message. */
export function requireUrl(
  text: string,
  { pointer, such }: { readonly pointer: string; readonly such: string },
): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const fault = url === null ? `Must be a URL such as ${such}.` : urlFault(url);
  if (url === null || fault !== null)
    throw invalid([{ pointer, code: 'invalid_format', detail: fault ?? '' }]);
  return url;
}
