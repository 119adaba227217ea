/** One HTTP exchange with the server. It follows no redirect, because a redirect would carry the key elsewhere. */
import { readFileSync } from 'node:fs';
import type { Agent, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { misuse } from '../failure.ts';
import type { Environment } from '../io.ts';
import { version } from '../version.ts';
import { connectionFailure } from './connection-failure.ts';
import { proxyFor, tunnelAgent } from './proxy.ts';

export interface Target {
  /** The address of the server, without a slash at the end. */
  readonly url: string;
  readonly key?: string | undefined;
  /** A file with certificates of authorities that are trusted beside those of the system. */
  readonly caFile?: string | undefined;
}

export interface Request {
  readonly method: string;
  /** Path and query, below the address of the server. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Silence after which the connection counts as lost. */
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

const SILENCE_MS = 90_000;

function authorities({ caFile }: Target): { ca?: string } {
  if (caFile === undefined) return {};
  try {
    return { ca: readFileSync(caFile, 'utf8') };
  } catch (error) {
    throw misuse(`The file ${caFile} with certificates cannot be read (${(error as Error).message}).`);
  }
}

/** Loaded late, because help and completion of words need no connection and should start fast. */
const moduleFor = (url: string) => (url.startsWith('https:') ? import('node:https') : import('node:http'));

export class Connection {
  readonly target: Target;
  readonly #env: Environment;
  #agent: Agent | undefined;

  constructor(target: Target, env: Environment) {
    this.target = target;
    this.#env = env;
  }

  /** Knows the way to the server: its certificates, and a proxy if one is set. */
  async agent(): Promise<Agent> {
    if (this.#agent !== undefined) return this.#agent;
    const { url } = this.target;
    const options = { keepAlive: true, maxSockets: 8, ...authorities(this.target) };
    const proxy = proxyFor(url, this.#env);
    const { Agent } = await moduleFor(url);
    this.#agent = proxy === null ? new Agent(options) : await tunnelAgent(proxy, options);
    return this.#agent;
  }

  /** Resolves with the answer before its body was read. */
  async open(request: Request): Promise<IncomingMessage> {
    const { method, path, headers = {}, body, signal, timeoutMs = SILENCE_MS } = request;
    const { url, key } = this.target;
    const { request: send } = await moduleFor(url);
    const agent = await this.agent();
    return new Promise((resolve, reject) => {
      const fail = (error: Error): void => reject(connectionFailure(url, error));
      const sent = send(
        `${url}${path}`,
        {
          method,
          agent,
          ...(signal === undefined ? {} : { signal }),
          timeout: timeoutMs,
          headers: {
            accept: 'application/json',
            'user-agent': `hostplane-cli/${version}`,
            ...(key === undefined ? {} : { 'x-api-key': key }),
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
        },
        resolve,
      );
      sent.once('error', fail);
      sent.once('timeout', () => sent.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
      sent.end(body);
    });
  }

  async exchange(request: Request): Promise<Answer> {
    const answer = await this.open(request);
    const parts: Buffer[] = [];
    try {
      for await (const part of answer) parts.push(part as Buffer);
    } catch (error) {
      throw connectionFailure(this.target.url, error as Error);
    }
    return {
      status: answer.statusCode ?? 0,
      headers: answer.headers,
      bytes: Buffer.concat(parts),
    };
  }

  close(): void {
    this.#agent?.destroy();
  }
}
