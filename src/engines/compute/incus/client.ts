/**
 * Client for the REST API of Incus and LXD, over a unix socket or over HTTPS with a client certificate. Long requests
 * become operations of the engine, which `run` waits for. An error reply becomes an `IncusError`; a missing reply
 * becomes `EngineUnreachable`.
 */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { WebSocket } from 'ws';
import { EngineUnreachable } from '../../errors.ts';
import { fileContent, type ImageContent } from '../image.ts';
import { type Address, type Door, Doors } from './connections.ts';
import { IncusError, isLeaderless } from './failure.ts';

export type { Address } from './connections.ts';

type Query = Readonly<Record<string, string | number | undefined>>;
export type Method = 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE';

export interface Ask {
  readonly project?: string;
  /** The cluster member that executes the request. */
  readonly target?: string;
  readonly query?: Query;
  readonly body?: unknown;
  /** A text that is sent unchanged as the body. */
  readonly text?: string;
  /** The path of a file that is sent unchanged as the body. */
  readonly file?: string;
  /** Bytes that are sent unchanged as the body. */
  readonly content?: ImageContent;
  /** Bytes sent before and after the file or the content. */
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

/** An asynchronous operation as the engine reports it. */
export interface EngineOperation {
  readonly id: string;
  readonly status_code: number;
  readonly err: string;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly resources: Readonly<Record<string, readonly string[]>> | null;
}

/** A request times out when the connection is idle for this long. */
const SILENCE_MS = 30_000;
/** How long one `/wait` request blocks; `wait` repeats it until the operation has ended. */
const WAIT_SECONDS = 20;
const FAILED = 400;
/** The error of Incus or LXD when it does not know the operation itself. */
const FORGOTTEN = /^(operation .*)?(not found|doesn't exist)$/i;
const SUCCEEDED = 200;
/** Incus answers this when the requested wait time is over, and also when the operation itself timed out. */
const OVER_TIME = /^context deadline exceeded$/i;

const isOfOperation = (error: unknown): boolean =>
  error instanceof IncusError && FORGOTTEN.test(error.message);

/** True for an error of `wait` on an operation that ended long ago, or that was lost when the engine died. */
export const isForgotten = (error: unknown): boolean =>
  error instanceof EngineUnreachable && isOfOperation(error.cause);

/** No connection was established, so the engine did not receive the request. */
const wasShut = (error: unknown): boolean =>
  error instanceof EngineUnreachable &&
  error.cause instanceof Error &&
  /^(ECONNREFUSED|ENOENT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/.test(
    String((error.cause as NodeJS.ErrnoException).code),
  );

const NOTHING = [Buffer.alloc(0), Buffer.alloc(0)] as const;

/** Customers read this message, so the address of the engine appears only in the cause. */
const unreachable = (error: Error): EngineUnreachable =>
  new EngineUnreachable('The engine does not answer.', { cause: error });

export const hasSucceeded = ({ status_code }: EngineOperation): boolean => status_code === SUCCEEDED;

export class Client {
  readonly #doors: Doors;

  constructor(address: Address, idleMs?: number) {
    this.#doors = new Doors(address, idleMs);
  }

  /** Returns the metadata of the reply; for a long request that is the started operation, which is not waited for. */
  async ask<T = unknown>(method: Method, path: string, ask: Ask = {}): Promise<T> {
    return (await this.#read(await this.#send(method, path, ask))).metadata as T;
  }

  /** Also returns the ETag, which a later change sends as `if-match` to detect concurrent changes. */
  async askWithMark<T>(path: string, ask: Ask = {}): Promise<{ readonly value: T; readonly mark: string }> {
    const response = await this.#send('GET', path, ask);
    const mark = response.headers.etag ?? '';
    return { value: (await this.#read(response)).metadata as T, mark };
  }

  /** Returns when the operation has ended; null if the request was answered directly. */
  async run(method: Method, path: string, ask: Ask = {}): Promise<EngineOperation | null> {
    const reply = await this.#read(await this.#send(method, path, ask));
    if (reply.type !== 'async') return null;
    return this.wait((reply.metadata as EngineOperation).id, ask.signal);
  }

  /**
   * For requests that the guest answers, or does not. Returns the operation after this time, ended or not. Throws if it
   * has failed.
   */
  async begin(method: Method, path: string, seconds: number, ask: Ask = {}): Promise<EngineOperation> {
    const { id } = await this.ask<EngineOperation>(method, path, ask);
    return this.#waitBriefly(id, seconds, ask.signal);
  }

  /**
   * Throws `EngineUnreachable` if the engine no longer knows the operation, because it was lost when the engine died.
   */
  async wait(id: string, signal?: AbortSignal): Promise<EngineOperation> {
    for (;;) {
      const operation = await this.#waitBriefly(id, WAIT_SECONDS, signal);
      if (hasSucceeded(operation)) return operation;
    }
  }

  /** Returns when the operation has succeeded or the time is over. Throws its error if it failed. */
  async #waitBriefly(id: string, seconds: number, signal?: AbortSignal): Promise<EngineOperation> {
    const path = `/1.0/operations/${id}`;
    const operation = await this.ask<EngineOperation>('GET', `${path}/wait`, {
      query: { timeout: seconds },
      signal,
    })
      .catch((error: unknown) => {
        if (!(error instanceof IncusError && OVER_TIME.test(error.message))) throw error;
        return this.ask<EngineOperation>('GET', path, { signal });
      })
      .catch((error: unknown) => {
        // The work of the operation may itself fail with "not found"; that error is passed on.
        if (!isOfOperation(error)) throw error;
        throw new EngineUnreachable('The engine was interrupted and lost track of this request.', {
          cause: error,
        });
      });
    if (operation.status_code >= FAILED) throw new IncusError(operation.status_code, operation.err);
    return operation;
  }

  async askText(path: string, ask: Ask = {}): Promise<string> {
    return readText(await this.#send('GET', path, ask));
  }

  /** Returns when the reply has begun. While the caller does not read, the engine may be silent. */
  async open(path: string, ask: Ask = {}): Promise<AsyncGenerator<Buffer>> {
    return readSlowly(await this.#send('GET', path, ask), ask.signal);
  }

  openSocket(path: string, query: Query = {}): WebSocket {
    const door = this.#doors.current;
    const socket = door.openSocket(`${path}${queryOf({ query })}`, { handshakeTimeout: SILENCE_MS });
    return socket.on('error', () => this.#doors.leave(door));
  }

  close(): void {
    this.#doors.close();
  }

  /**
   * Returns the response headers of a successful request. A request that did not reach one cluster member is sent to
   * the next member.
   */
  async #send(method: Method, path: string, ask: Ask): Promise<IncomingMessage> {
    for (let left = this.#doors.count - 1; ; left--) {
      const door = this.#doors.current;
      try {
        return await this.#sendTo(door, method, path, ask);
      } catch (error) {
        if (error instanceof EngineUnreachable || isLeaderless(error)) this.#doors.leave(door);
        if (left === 0 || !wasShut(error)) throw error;
      }
    }
  }

  async #sendTo(door: Door, method: Method, path: string, ask: Ask): Promise<IncomingMessage> {
    ask.signal?.throwIfAborted();
    const text = ask.text ?? (ask.body === undefined ? null : JSON.stringify(ask.body));
    const body = text === null ? null : Buffer.from(text);
    const [before, after] = ask.around ?? NOTHING;
    const content = ask.content ?? (ask.file === undefined ? undefined : await fileContent(ask.file));
    const length = content === undefined ? body?.length : content.sizeBytes + before.length + after.length;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = {
        method,
        path: `${path}${queryOf(ask)}`,
        headers: {
          ...(content === undefined && ask.text === undefined ? { 'content-type': 'application/json' } : {}),
          ...(length === undefined ? {} : { 'content-length': length }),
          ...ask.headers,
        },
        ...(ask.signal === undefined ? {} : { signal: ask.signal }),
      };
      const request = door.request(options, resolve);
      request.setTimeout(SILENCE_MS, () =>
        request.destroy(new Error('the connection was idle for too long')),
      );
      let unread: unknown = null;
      request.on('error', (error) =>
        reject(ask.signal?.aborted === true ? ask.signal.reason : (unread ?? unreachable(error))),
      );
      if (content === undefined) {
        request.end(body ?? undefined);
        return;
      }
      /** The engine is not blamed for content that comes slowly or cannot be read. */
      async function* bytesOf({ read }: Pick<ImageContent, 'read'>): AsyncGenerator<Buffer> {
        yield before;
        request.setTimeout(0);
        try {
          for await (const bytes of read(ask.signal)) {
            request.setTimeout(SILENCE_MS);
            yield bytes;
            request.setTimeout(0);
          }
        } catch (error) {
          unread = error;
          throw error;
        }
        request.setTimeout(SILENCE_MS);
        yield after;
      }
      // Errors while sending are errors of the request, unless the engine replied before it had read everything.
      pipeline(Readable.from(bytesOf(content)), request).catch(() => undefined);
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
      if (text === '')
        throw new EngineUnreachable('The engine closed the connection before it answered.', { cause: error });
      throw new EngineUnreachable('The engine sent a reply that is not valid JSON.', {
        cause: new Error(text.slice(0, 100)),
      });
    }
  }
}

/** The time limit for a silent engine does not run while the caller is busy with what it has read. */
async function* readSlowly(
  response: IncomingMessage,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  const { socket } = response;
  try {
    for await (const bytes of response) {
      socket.setTimeout(0);
      yield bytes as Buffer;
      socket.setTimeout(SILENCE_MS);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw unreachable(error as Error);
  }
}

function queryOf({ project, target, query }: Pick<Ask, 'project' | 'target' | 'query'>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ project, target, ...query }))
    if (value !== undefined) params.append(name, String(value));
  return params.size === 0 ? '' : `?${params}`;
}
