/**
 * The REST API of Incus and LXD, over a unix socket or over HTTPS with a client certificate. What takes time is an
 * operation of the engine's: we wait for it. An answer that is an error becomes an `IncusError`, no answer `EngineUnreachable`.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { text as readText } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { WebSocket } from 'ws';
import { EngineUnreachable } from '../errors.ts';
import { IncusError } from './failure.ts';

export interface Credentials {
  readonly certificate: string;
  readonly key: string;
  /** The server's own, where no authority vouches for it: nothing else is believed then. */
  readonly serverCertificate: string | null;
}

/** `unix:///var/lib/incus/unix.socket`, or `https://host:8443` with credentials. */
export interface Address {
  readonly url: string;
  readonly credentials: Credentials | null;
}

type Query = Readonly<Record<string, string | number | undefined>>;
export type Method = 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';

export interface Ask {
  readonly project?: string;
  /** The member of a cluster that is to do it. */
  readonly target?: string;
  readonly query?: Query;
  readonly body?: unknown;
  /** A file that is sent as it is. */
  readonly file?: string;
  /** What is sent before and after the file. */
  readonly around?: readonly [before: Buffer, after: Buffer];
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

interface Reply {
  readonly type: 'sync' | 'async' | 'error';
  readonly metadata: unknown;
  readonly operation?: string;
  readonly error?: string;
  readonly error_code?: number;
}

/** What the engine tells of something that takes time. */
export interface EngineOperation {
  readonly id: string;
  readonly status_code: number;
  readonly err: string;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly resources: Readonly<Record<string, readonly string[]>> | null;
}

/** Time in which an engine that lives says something. */
const SILENCE_MS = 30_000;
/** One question after an operation; it is asked again until there is an end. */
const WAIT_SECONDS = 20;
const FAILED = 400;
/** Of an operation itself, in the words of either engine. */
const FORGOTTEN = /^(operation .*)?(not found|doesn't exist)$/i;
const RUNNING = 200;

const isOfOperation = (error: unknown): boolean =>
  error instanceof IncusError && FORGOTTEN.test(error.message);

/** Of `wait`: it was over for a while, or lost with the engine that was at it. */
export const isForgotten = (error: unknown): boolean =>
  error instanceof EngineUnreachable && isOfOperation(error.cause);

const NOTHING = [Buffer.alloc(0), Buffer.alloc(0)] as const;

const unreachable = (error: Error): EngineUnreachable =>
  new EngineUnreachable(`The engine does not answer: ${error.message}`, { cause: error });

export class Client {
  readonly #address: Address;
  readonly #socketPath: string | null;
  readonly #agent: HttpAgent;

  constructor(address: Address) {
    this.#address = address;
    this.#socketPath = address.url.startsWith('unix:') ? new URL(address.url).pathname : null;
    this.#agent =
      this.#socketPath === null
        ? new HttpsAgent({ keepAlive: true, ...this.#tls() })
        : new HttpAgent({ keepAlive: true });
  }

  #tls() {
    const { credentials } = this.#address;
    if (credentials === null) return {};
    const { certificate: cert, key, serverCertificate } = credentials;
    // The certificate that an engine makes for itself names no host: having exactly this one is what proves it.
    const pinned =
      serverCertificate === null ? {} : { ca: serverCertificate, checkServerIdentity: () => undefined };
    return { cert, key, ...pinned };
  }

  /** What it tells at once; of something that takes time, the operation. */
  async ask<T = unknown>(method: Method, path: string, ask: Ask = {}): Promise<T> {
    return (await this.#read(await this.#send(method, path, ask))).metadata as T;
  }

  /** With the mark by which a later change can tell whether it is still as it was. */
  async askWithMark<T>(path: string, ask: Ask = {}): Promise<{ readonly value: T; readonly mark: string }> {
    const response = await this.#send('GET', path, ask);
    const mark = response.headers.etag ?? '';
    return { value: (await this.#read(response)).metadata as T, mark };
  }

  /** Returns when it is done. */
  async run(method: Method, path: string, ask: Ask = {}): Promise<EngineOperation | null> {
    const reply = await this.#read(await this.#send(method, path, ask));
    if (reply.type !== 'async') return null;
    return this.wait((reply.metadata as EngineOperation).id, ask.signal);
  }

  /** One that is forgotten was lost with the engine that was at it. */
  async wait(id: string, signal?: AbortSignal): Promise<EngineOperation> {
    for (;;) {
      const operation = await this.ask<EngineOperation>('GET', `/1.0/operations/${id}/wait`, {
        query: { timeout: WAIT_SECONDS },
        signal,
      }).catch((error: unknown) => {
        // What it was at may itself have failed because something was not there.
        if (!isOfOperation(error)) throw error;
        throw new EngineUnreachable('The engine has forgotten what it was at.', { cause: error });
      });
      if (operation.status_code === RUNNING) return operation;
      if (operation.status_code >= FAILED) throw new IncusError(operation.status_code, operation.err);
    }
  }

  async askText(path: string, ask: Ask = {}): Promise<string> {
    return readText(await this.#send('GET', path, ask));
  }

  async download(path: string, file: string, ask: Ask = {}): Promise<void> {
    const response = await this.#send('GET', path, ask);
    await pipeline(response, createWriteStream(file), { signal: ask.signal }).catch((error: Error) => {
      ask.signal?.throwIfAborted();
      throw 'path' in error || 'syscall' in error ? error : unreachable(error);
    });
  }

  openSocket(path: string, query: Query = {}): WebSocket {
    const target = `${path}${queryOf({ query })}`;
    const options = { perMessageDeflate: false, handshakeTimeout: SILENCE_MS };
    if (this.#socketPath !== null) return new WebSocket(`ws+unix://${this.#socketPath}:${target}`, options);
    return new WebSocket(`${this.#address.url.replace(/^https/, 'wss').replace(/\/$/, '')}${target}`, {
      ...options,
      ...this.#tls(),
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** The head of an answer that is no error. */
  async #send(method: Method, path: string, ask: Ask): Promise<IncomingMessage> {
    ask.signal?.throwIfAborted();
    const body = ask.body === undefined ? null : Buffer.from(JSON.stringify(ask.body));
    const [before, after] = ask.around ?? NOTHING;
    const length =
      ask.file === undefined ? body?.length : (await stat(ask.file)).size + before.length + after.length;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = {
        method,
        path: `${path}${queryOf(ask)}`,
        agent: this.#agent,
        headers: {
          ...(ask.file === undefined ? { 'content-type': 'application/json' } : {}),
          ...(length === undefined ? {} : { 'content-length': length }),
          ...ask.headers,
        },
        ...(ask.signal === undefined ? {} : { signal: ask.signal }),
      };
      const request =
        this.#socketPath === null
          ? requestHttps(new URL(this.#address.url), options, resolve)
          : requestHttp({ ...options, socketPath: this.#socketPath, host: 'engine' }, resolve);
      request.setTimeout(SILENCE_MS, () => request.destroy(new Error('it is silent')));
      request.on('error', (error) =>
        reject(ask.signal?.aborted === true ? ask.signal.reason : unreachable(error)),
      );
      if (ask.file === undefined) {
        request.end(body ?? undefined);
        return;
      }
      request.write(before);
      const file = createReadStream(ask.file).on('error', reject);
      file.on('end', () => request.end(after)).pipe(request, { end: false });
    });
    if ((response.statusCode ?? 500) < FAILED) return response;
    const { error } = await this.#parse(response);
    throw new IncusError(response.statusCode ?? 500, error ?? 'no reason given');
  }

  async #read(response: IncomingMessage): Promise<Reply> {
    const reply = await this.#parse(response);
    if (reply.type === 'error')
      throw new IncusError(reply.error_code ?? 500, reply.error ?? 'no reason given');
    return reply;
  }

  async #parse(response: IncomingMessage): Promise<Reply> {
    let text = '';
    try {
      text = await readText(response);
      return JSON.parse(text) as Reply;
    } catch (error) {
      throw new EngineUnreachable(
        text === '' ? 'The engine broke off.' : `The engine talks nonsense: ${text.slice(0, 100)}`,
        { cause: error },
      );
    }
  }
}

function queryOf({ project, target, query }: Pick<Ask, 'project' | 'target' | 'query'>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ project, target, ...query }))
    if (value !== undefined) params.append(name, String(value));
  return params.size === 0 ? '' : `?${params}`;
}
