/**
 * The REST API of Incus and LXD, over a unix socket or over HTTPS with a client certificate. What takes time is an
 * operation of the engine's: we wait for it. An answer that is an error becomes an `IncusError`, no answer `EngineUnreachable`.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { WebSocket } from 'ws';
import { EngineUnreachable } from '../../errors.ts';
import { type Address, type Door, Doors } from './connections.ts';
import { IncusError, isLeaderless } from './failure.ts';

export type { Address } from './connections.ts';

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
/** Incus says so when it was waited for as long as asked, and of what itself took too long. */
const OVER_TIME = /^context deadline exceeded$/i;

const isOfOperation = (error: unknown): boolean =>
  error instanceof IncusError && FORGOTTEN.test(error.message);

/** Of `wait`: it was over for a while, or lost with the engine that was at it. */
export const isForgotten = (error: unknown): boolean =>
  error instanceof EngineUnreachable && isOfOperation(error.cause);

/** Nobody was there, so nothing of it was heard. */
const wasShut = (error: unknown): boolean =>
  error instanceof EngineUnreachable &&
  error.cause instanceof Error &&
  /^(ECONNREFUSED|ENOENT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/.test(
    String((error.cause as NodeJS.ErrnoException).code),
  );

const NOTHING = [Buffer.alloc(0), Buffer.alloc(0)] as const;

/** Customers read it, so that where the engine is stands in the cause alone. */
const unreachable = (error: Error): EngineUnreachable =>
  new EngineUnreachable('The engine does not answer.', { cause: error });

export class Client {
  readonly #doors: Doors;

  constructor(address: Address) {
    this.#doors = new Doors(address);
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
    const path = `/1.0/operations/${id}`;
    for (;;) {
      const operation = await this.ask<EngineOperation>('GET', `${path}/wait`, {
        query: { timeout: WAIT_SECONDS },
        signal,
      })
        .catch((error: unknown) => {
          if (!(error instanceof IncusError && OVER_TIME.test(error.message))) throw error;
          return this.ask<EngineOperation>('GET', path, { signal });
        })
        .catch((error: unknown) => {
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
    const door = this.#doors.current;
    const socket = door.openSocket(`${path}${queryOf({ query })}`, { handshakeTimeout: SILENCE_MS });
    return socket.on('error', () => this.#doors.leave(door));
  }

  close(): void {
    this.#doors.close();
  }

  /** The head of an answer that is no error. What did not even get to one member is asked of the next one. */
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
    const body = ask.body === undefined ? null : Buffer.from(JSON.stringify(ask.body));
    const [before, after] = ask.around ?? NOTHING;
    const length =
      ask.file === undefined ? body?.length : (await stat(ask.file)).size + before.length + after.length;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = {
        method,
        path: `${path}${queryOf(ask)}`,
        headers: {
          ...(ask.file === undefined ? { 'content-type': 'application/json' } : {}),
          ...(length === undefined ? {} : { 'content-length': length }),
          ...ask.headers,
        },
        ...(ask.signal === undefined ? {} : { signal: ask.signal }),
      };
      const request = door.request(options, resolve);
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
      if (text === '') throw new EngineUnreachable('The engine broke off.', { cause: error });
      throw new EngineUnreachable('The engine talks nonsense.', { cause: new Error(text.slice(0, 100)) });
    }
  }
}

function queryOf({ project, target, query }: Pick<Ask, 'project' | 'target' | 'query'>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ project, target, ...query }))
    if (value !== undefined) params.append(name, String(value));
  return params.size === 0 ? '' : `?${params}`;
}
