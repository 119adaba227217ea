/** Sends one call as a person or with a pasted key, and keeps everything that came back. */
import { Problem, refusals, unreachable } from '../../data/http.ts';
import { REAUTHENTICATE } from '../../data/reauth.ts';

export interface Call {
  readonly method: string;
  /** The path of the API with its parameters filled in. */
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: readonly (readonly [string, string])[];
  readonly body: unknown;
}

export interface Outcome {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
  readonly milliseconds: number;
  readonly isDryRun: boolean;
}

/** A pasted key is only here, in the memory of this tab: reloading forgets it. */
export const pasted: { key: string } = { key: '' };

const targetOf = ({ path, query }: Call): string => {
  const text = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
  return path + (text === '' ? '' : `?${text}`);
};

export const withDryRun = (call: Call): Call => ({ ...call, query: [...call.query, ['dry_run', 'true']] });

/** Undefined: it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function prettied(text: string): string {
  const value = parsed(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}

/** The operation that the call started. Null: it started none. */
export function startedIn({ headers }: Outcome): string | null {
  const [, path = ''] = headers.find(([name]) => name === 'operation-location') ?? [];
  return /\bop_\w+$/.exec(path)?.[0] ?? null;
}

/** Some refusals are no answer yet: a dialog asks for the password, or to sign in again, and the call is sent again. */
function askPerson(status: number, text: string): void {
  if (status !== 401 && !(status === 403 && text.includes(REAUTHENTICATE))) return;
  const problem = new Problem(status, (parsed(text) ?? {}) as Problem['body']);
  refusals.listener(problem);
  throw problem;
}

/** `through` is the path of calls by a person; null: with the pasted key, to the real path of the API. */
export async function sendCall(call: Call, through: string | null, isDryRun: boolean): Promise<Outcome> {
  const started = performance.now();
  const hasBody = call.method !== 'GET' && call.body !== undefined;
  const response = await fetch((through ?? '') + targetOf(call), {
    method: call.method,
    // The two worlds never mix: a call with a key carries no session.
    credentials: through === null ? 'omit' : 'same-origin',
    cache: 'no-store',
    headers: {
      ...(through === null ? { 'x-api-key': pasted.key } : {}),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...Object.fromEntries(call.headers),
    },
    ...(hasBody ? { body: JSON.stringify(call.body) } : {}),
  }).catch(() => {
    throw unreachable(call.method);
  });
  const text = await response.text();
  if (through !== null) askPerson(response.status, text);
  return {
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers.entries()],
    text: prettied(text),
    milliseconds: Math.round(performance.now() - started),
    isDryRun,
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

export function curlOf(call: Call, base: string): string {
  const url = base + targetOf(call);
  const lines = [
    `curl ${call.method === 'GET' ? '' : `-X ${call.method} `}${quoted(url)}`,
    '  -H "X-API-Key: $HOSTPLANE_API_KEY"',
    ...call.headers.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    ...(call.body === undefined || call.method === 'GET'
      ? []
      : ['  -H "Content-Type: application/json"', `  -d ${quoted(JSON.stringify(call.body, null, 2))}`]),
  ];
  return lines.join(' \\\n');
}
