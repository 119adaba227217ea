/** Calls our own server. Every refusal becomes a `Problem`, whose words are written for people. */

export interface FieldFault {
  readonly pointer: string;
  readonly code: string;
  readonly detail?: string;
  readonly message?: string;
}

interface ProblemBody {
  readonly title?: string;
  readonly status?: number;
  readonly code?: string;
  readonly detail?: string;
  readonly next_step?: string;
  readonly request_id?: string;
  readonly errors?: readonly FieldFault[];
  readonly required_permission?: string;
  readonly retry_after_seconds?: number;
  readonly [member: string]: unknown;
}

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly body: ProblemBody;

  constructor(status: number, body: ProblemBody) {
    super(body.title ?? 'Something went wrong');
    this.status = status;
    this.code = body.code ?? 'unknown';
    this.body = body;
  }

  get detail(): string {
    return this.body.detail ?? '';
  }

  get nextStep(): string {
    return this.body.next_step ?? '';
  }

  /** What is wrong with the member of the body, in words. */
  fault(name: string): string | undefined {
    const found = this.body.errors?.find(
      ({ pointer }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`),
    );
    return found?.detail ?? found?.message;
  }
}

/** Of a page that was only read, nothing was typed. */
const kept = (method: string): string => (method === 'GET' ? '' : 'What you typed is still here.');

export const unreachable = (method: string): Problem =>
  new Problem(0, {
    title: 'The server did not answer',
    code: 'unreachable',
    detail: kept(method),
    next_step: 'Check your connection, then try again.',
  });

/** An answer without our words, for example of a proxy in between. */
export const UNREADABLE = 'unreadable_answer';

const unreadable = (status: number, method: string): Problem =>
  new Problem(status, {
    title: 'The server has a problem',
    code: UNREADABLE,
    detail: `It answered ${status} without an explanation. ${kept(method)}`.trim(),
    next_step: 'Try again in a minute.',
  });

/** The server's own words are for programs: they name a header. */
const away = (body: ProblemBody, method: string): Problem =>
  new Problem(503, {
    ...body,
    title: 'The server cannot do this just now',
    detail: `Its database, or another system that it needs, does not answer. ${kept(method)}`.trim(),
    next_step: 'Try again in a minute.',
  });

/** A dry run answers with what the call would be refused with: the browser reports nothing, since nothing went wrong. */
export const REFUSALS_ANSWERED = 'refusals=answered';

export interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

async function exchange(path: string, { method = 'GET', body, headers, signal }: Sent): Promise<Response> {
  // The API refuses a body that an endpoint does not take, which no DELETE does.
  const hasBody = method !== 'GET' && (method !== 'DELETE' || body !== undefined);
  try {
    return await fetch(path, {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      ...(signal ? { signal } : {}),
      headers: {
        accept: 'application/json',
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(hasBody ? { body: JSON.stringify(body ?? {}) } : {}),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw unreachable(method);
  }
}

/** Called with every refusal: the app leaves for the sign-in page when a session has ended. */
export const refusals: { listener: (problem: Problem) => void } = { listener: () => {} };

/** Every refusal is thrown. */
async function answerTo(path: string, sent: Sent): Promise<{ text: string; status: number }> {
  const { method = 'GET' } = sent;
  const response = await exchange(path, sent);
  const text = await response.text();
  const isAnswer = response.headers.get('preference-applied') === REFUSALS_ANSWERED;
  if (response.ok && !isAnswer) return { text, status: response.status };
  const body = parsed<ProblemBody>(text, response.status, method);
  const problem =
    body.title === undefined
      ? unreadable(response.status, method)
      : body.code === 'engine_unavailable'
        ? away(body, method)
        : new Problem(isAnswer ? (body.status ?? 0) : response.status, body);
  refusals.listener(problem);
  throw problem;
}

function parsed<Content>(text: string, status: number, method: string): Content {
  try {
    return (text === '' ? {} : JSON.parse(text)) as Content;
  } catch {
    throw unreadable(status, method);
  }
}

export async function send<Answer>(path: string, sent: Sent = {}): Promise<Answer> {
  const { text, status } = await answerTo(path, sent);
  return parsed<Answer>(text, status, sent.method ?? 'GET');
}

/** What has a form as text, such as a file for another program. */
export const getText = async (path: string): Promise<string> =>
  (await answerTo(path, { headers: { accept: 'text/plain' } })).text;

export const get = <Answer>(path: string, signal?: AbortSignal): Promise<Answer> =>
  send<Answer>(path, signal ? { signal } : {});
export const post = <Answer>(path: string, body: unknown = {}): Promise<Answer> =>
  send<Answer>(path, { method: 'POST', body });
