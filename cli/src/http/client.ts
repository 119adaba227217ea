/**
 * Calls of the API: repeats what is safe to repeat, waits as long as `Retry-After` says, and turns a refusal into a
 * failure. A POST has an Idempotency-Key that stays the same when it is repeated.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { codeForStatus, exitCodes } from '../exit-codes.ts';
import { Failure, formatProblem, type Problem } from '../failure.ts';
import type { Io } from '../io.ts';
import { pause } from '../pause.ts';
import { type Answer, Connection, type Request, type Target } from './connection.ts';
import { ConnectionFailure } from './connection-failure.ts';

export class Refused extends Failure {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(formatProblem(problem), codeForStatus(problem.status));
    this.problem = problem;
  }
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The parsed body; undefined if there is none. */
  readonly body: unknown;
  readonly bytes: Buffer;
}

/** Codes of 409 that go away by themselves. */
const passing = ['idempotency_in_progress', 'operation_in_progress'];
const MOST_WAITS = 8;
const MOST_BROKEN = 3;
const LONGEST_WAIT_SECONDS = 120;

export interface ClientOptions {
  /** Gives up at the first refusal instead of waiting as the server says. */
  readonly isImpatient?: boolean;
  readonly isVerbose?: boolean;
}

export class Client {
  readonly connection: Connection;
  readonly #io: Io;
  readonly #options: ClientOptions;

  constructor(target: Target, io: Io, options: ClientOptions = {}) {
    this.connection = new Connection(target, io.env);
    this.#io = io;
    this.#options = options;
  }

  get url(): string {
    return this.connection.target.url;
  }

  async call(request: Request): Promise<Reply> {
    for (let waits = 0, broken = 0; ; ) {
      let answer: Answer;
      try {
        answer = await this.connection.exchange(request);
      } catch (error) {
        if (!(error instanceof ConnectionFailure)) throw error;
        broken += 1;
        if (!error.mayHaveArrived || !isRepeatable(request) || broken >= MOST_BROKEN) throw error;
        this.#io.err(`${error.message.split('. ')[0]}. Trying again.\n`);
        await pause(broken * 500, request.signal);
        continue;
      }
      const { method, path } = request;
      const id = answer.headers['x-request-id'];
      if (this.#options.isVerbose)
        this.#io.err(`${[method, path, answer.status, id ?? '', ...etagIn(answer)].join(' ')}\n`);
      if (answer.status < 300 || answer.status === 304) return replyOf(answer);
      const problem = problemOf(this.url, answer);
      if (problem.code === 'api_key_missing' && this.connection.target.key === undefined) throw noKey();
      const seconds = Number(answer.headers['retry-after']);
      const goesAway = [429, 503].includes(answer.status) || passing.includes(problem.code ?? '');
      const isWorthIt = goesAway && seconds <= LONGEST_WAIT_SECONDS && waits < MOST_WAITS;
      if (!isWorthIt || this.#options.isImpatient || !isRepeatable(request, true)) throw new Refused(problem);
      waits += 1;
      this.#io.err(`${problem.title ?? 'Not now'} (${problem.code}): trying again in ${seconds} s.\n`);
      await pause(seconds * 1000, request.signal);
    }
  }

  /** An answer that is read while it arrives. Throws if it is a refusal. */
  async open(request: Request): Promise<AsyncIterable<Buffer>> {
    const answer = await this.connection.open(request);
    if (answer.statusCode === 200) return answer;
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    const bytes = Buffer.concat(parts);
    throw new Refused(
      problemOf(this.url, { status: answer.statusCode ?? 0, headers: answer.headers, bytes }),
    );
  }

  close(): void {
    this.connection.close();
  }
}

/** The version of what was answered, which `--if-match` takes. */
const etagIn = ({ headers }: Answer): string[] =>
  headers.etag === undefined ? [] : [`etag ${headers.etag}`];

/** Whether a second copy of the request has no second effect. A refused request had no first one either. */
const isRepeatable = ({ method, headers = {} }: Request, wasRefused = false): boolean =>
  wasRefused || ['GET', 'PUT', 'PATCH'].includes(method) || headers['idempotency-key'] !== undefined;

/** Only the environment can name a server without a key. */
export const noKey = (): Failure =>
  new Failure(
    'HOSTPLANE_URL is set, but HOSTPLANE_API_KEY is not. Set both, or neither and log in.',
    exitCodes.keyRefused,
  );

function replyOf({ status, headers, bytes }: Answer): Reply {
  const text = bytes.toString('utf8');
  if (text === '') return { status, headers, body: undefined, bytes };
  const isJson = /json/.test(headers['content-type'] ?? '');
  return { status, headers, body: isJson ? (JSON.parse(text) as unknown) : text, bytes };
}

/** The problem in the answer. An answer in another form does not come from a Hostplane server. */
function problemOf(url: string, { status, headers, bytes }: Answer): Problem {
  const { location } = headers;
  if (status >= 300 && status < 400 && location !== undefined)
    throw new Failure(
      `${url} sends its callers on to ${location}. Use that address: hostplane login --url ${originOf(location, url)}`,
      exitCodes.noConnection,
    );
  if (/json/.test(headers['content-type'] ?? '')) {
    try {
      return { ...(JSON.parse(bytes.toString('utf8')) as object), status };
    } catch {}
  }
  throw new Failure(
    `${url} answered ${status} in a form that Hostplane does not use. Check the address: it is that of the API, without a path such as /portal.`,
    exitCodes.noConnection,
  );
}

function originOf(location: string, base: string): string {
  try {
    return new URL(location, base).origin;
  } catch {
    return location;
  }
}
