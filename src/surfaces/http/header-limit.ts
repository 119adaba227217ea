/**
 * The most headers of a request. Node would drop headers beyond a limit of its own without a word: an address that a
 * proxy appended, or a second API key, would go unseen. So Node keeps all of them, and a request with more is refused.
 */
import type { IncomingMessage } from 'node:http';
import { Problem } from '../../kernel/problems/problem.ts';

const MOST_HEADERS = 100;

/** `rawHeaders` holds the name and the value of each header. */
export const hasTooManyHeaders = ({ rawHeaders }: IncomingMessage): boolean =>
  rawHeaders.length > 2 * MOST_HEADERS;

export const tooManyHeaders = (): Problem =>
  new Problem('headers_too_large', { detail: `The request has more than ${MOST_HEADERS} headers.` });

export const headersTooLarge = (): Problem =>
  new Problem('headers_too_large', { detail: 'The request line and the headers are larger than 16 KiB.' });
