/**
 * Refusals are written for programs that send HTTP requests. A model has tools instead: this file says the same in their
 * terms, in every text of a problem.
 */
import type { Endpoint } from '../../kernel/record.ts';
import { toolFor } from './describe.ts';

/** Headers and parameters of a URL that the tools have as inputs or members of results. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/the seconds in Retry-After/g, 'retry_after_seconds'],
  [/in the header Approval-Id/g, 'as approval_id'],
  [/(?:the header )?Approval-Id/g, 'approval_id'],
  [/(?:the header )?Idempotency-Key/g, 'idempotency_key'],
  // The tools have no input for these.
  [/, or it already has the version in If-None-Match/g, ''],
  [/, or a header has invalid syntax/g, ''],
  [/fields, query parameters or headers/g, 'inputs'],
  [/(?:the header )?If-Match/g, 'if_match'],
  [/the current ETag/g, 'the current etag'],
  [/(?:the header )?X-Request-Id/g, 'request_id'],
  [/Prefer: wait=\w+/g, 'wait_seconds'],
  [/\?dry_run=true/g, 'dry_run'],
  [/\bwith PATCH\b/g, 'with the operation that updates it'],
  [/(?<=\s)\?(\w+)=(\w+)/g, '$1 $2 in query'],
];

const CALL = /\b(GET|POST|PUT|PATCH|DELETE) (\/[^\s,;)]*[^\s,;).])(?: \((\w+)\))?/g;

/** The values of the parameters if the path is one of the endpoint; `{id}` stands for itself. */
function parametersIn({ path }: Endpoint, sent: string): Record<string, string> | undefined {
  const [own, given] = [path.split('/'), sent.split('/')];
  if (own.length !== given.length) return undefined;
  const filled: Record<string, string> = {};
  for (const [i, part] of own.entries()) {
    const value = given[i] ?? '';
    if (!part.startsWith('{')) {
      if (part !== value) return undefined;
    } else if (value !== part) filled[part.slice(1, -1)] = decodeURIComponent(value);
  }
  return filled;
}

function callInTools(endpoints: readonly Endpoint[], method: string, url: string): string | undefined {
  const [path = '', search = ''] = url.split('?');
  for (const endpoint of endpoints.filter((each) => each.method === method)) {
    const parameters = parametersIn(endpoint, path);
    if (parameters === undefined) continue;
    const query = Object.fromEntries(new URLSearchParams(search));
    const inputs = Object.entries({ path: parameters, query }).filter(
      ([, values]) => Object.keys(values).length > 0,
    );
    const shown = inputs.map(([name, values]) => `${name} ${JSON.stringify(values)}`).join(' and ');
    return `${toolFor(endpoint)} ${endpoint.id}${shown === '' ? '' : ` with ${shown}`}`;
  }
  return undefined;
}

export function inToolWords(text: string, endpoints: readonly Endpoint[]): string {
  const named = text.replaceAll(
    CALL,
    (whole, method: string, url: string) => callInTools(endpoints, method, url) ?? whole,
  );
  return WORDS.reduce((said, [pattern, word]) => said.replaceAll(pattern, word), named);
}

/** The members of a problem that are sentences of ours. */
const SENTENCES = new Set(['detail', 'next_step']);

export const problemInToolWords = <T>(problem: T, endpoints: readonly Endpoint[]): T =>
  JSON.parse(JSON.stringify(problem), (name, value: unknown) =>
    typeof value === 'string' && SENTENCES.has(name) ? inToolWords(value, endpoints) : value,
  ) as T;
