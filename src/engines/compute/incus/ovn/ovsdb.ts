/**
 * Client for a database of OVN: the protocol OVSDB (RFC 7047), which is JSON-RPC over TCP, TLS or a unix socket. One
 * connection serves all calls; it is opened by the first call, and again after it broke.
 */
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { EngineUnreachable } from '../../../errors.ts';
import { JsonSplitter } from './json-splitter.ts';

export interface OvsdbAddress {
  /** Such as `unix:/run/ovn/ovnnb_db.sock`, `tcp:10.0.0.5:6641` or `ssl:[2001:db8::5]:6641`; tried in this order. */
  readonly remotes: readonly string[];
  /** For `ssl:`, in PEM format. */
  readonly credentials: {
    readonly certificate: string;
    readonly key: string;
    readonly authority: string;
  } | null;
}

export type Operation = Readonly<Record<string, unknown>> & { readonly op: string };

export interface Result {
  readonly rows?: readonly Row[];
  readonly count?: number;
  readonly uuid?: unknown;
}
export type Row = Readonly<Record<string, unknown>>;

/** The database refused a transaction, so none of its operations took effect. */
export class OvsdbError extends Error {
  readonly code: string;

  constructor(code: string, details: string) {
    super(details === '' ? code : `${code}: ${details}`);
    this.name = 'OvsdbError';
    this.code = code;
  }
}

interface Message {
  readonly id: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

const PATIENCE_MS = 20_000;

const unreachable = (cause: unknown): EngineUnreachable =>
  new EngineUnreachable('The network database of the engine does not answer.', { cause });

function hostOf(remote: string): { readonly host: string; readonly port: number } {
  const [, host = '', port = ''] = /^\w+:\[?(.+?)\]?:(\d+)$/.exec(remote) ?? [];
  return { host, port: Number(port) };
}

function dial(remote: string, credentials: OvsdbAddress['credentials']): Socket {
  if (remote.startsWith('unix:')) return connectPlain({ path: remote.slice('unix:'.length) });
  const place = hostOf(remote);
  if (remote.startsWith('tcp:') || credentials === null) return connectPlain(place);
  const { certificate: cert, key, authority: ca } = credentials;
  // The certificates of OVN name a role and not a host; what counts is that its own authority signed them.
  return connectTls({ ...place, cert, key, ca, checkServerIdentity: () => undefined });
}

/** Resolves when the connection is open, for TLS after the handshake. */
function opened(remote: string, credentials: OvsdbAddress['credentials']): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = dial(remote, credentials);
    socket.setNoDelay(true).setTimeout(PATIENCE_MS, () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
    socket.once(remote.startsWith('ssl:') ? 'secureConnect' : 'connect', () => {
      socket.setTimeout(0).off('error', reject);
      resolve(socket);
    });
  });
}

export class Ovsdb {
  readonly #address: OvsdbAddress;
  readonly #pending = new Map<number, Pending>();
  #socket: Promise<Socket> | null = null;
  #serial = 0;

  constructor(address: OvsdbAddress) {
    this.#address = address;
  }

  /** All operations take effect together, or none does. Returns one result for each. */
  async transact(
    database: string,
    operations: readonly Operation[],
    signal?: AbortSignal,
  ): Promise<readonly Result[]> {
    const results = (await this.#call('transact', [database, ...operations], signal)) as readonly (
      | (Result & { readonly error?: string; readonly details?: string })
      | null
    )[];
    for (const result of results)
      if (result?.error !== undefined) throw new OvsdbError(result.error, result.details ?? '');
    return results.map((result) => result ?? {});
  }

  close(): void {
    void this.#socket?.then(
      (socket) => socket.destroy(),
      () => undefined,
    );
    this.#socket = null;
  }

  async #call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    signal?.throwIfAborted();
    const socket = await this.#connect();
    signal?.throwIfAborted();
    const id = ++this.#serial;
    const limit = AbortSignal.any([
      AbortSignal.timeout(PATIENCE_MS),
      ...(signal === undefined ? [] : [signal]),
    ]);
    return new Promise((resolve, reject) => {
      const give = (): void => {
        this.#pending.delete(id);
        reject(signal?.aborted === true ? signal.reason : unreachable(limit.reason));
      };
      limit.addEventListener('abort', give, { once: true });
      const end = (): void => {
        limit.removeEventListener('abort', give);
        this.#pending.delete(id);
      };
      this.#pending.set(id, {
        resolve(result) {
          end();
          resolve(result);
        },
        reject(error) {
          end();
          reject(error);
        },
      });
      socket.write(JSON.stringify({ method, params, id }));
    });
  }

  #connect(): Promise<Socket> {
    this.#socket ??= this.#open().catch((error: unknown) => {
      this.#socket = null;
      throw unreachable(error);
    });
    return this.#socket;
  }

  async #open(): Promise<Socket> {
    const { remotes, credentials } = this.#address;
    let last: unknown = new Error('no address is set');
    for (const remote of remotes) {
      try {
        return this.#listen(await opened(remote, credentials));
      } catch (error) {
        last = error;
      }
    }
    throw last;
  }

  #listen(socket: Socket): Socket {
    const splitter = new JsonSplitter();
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      for (const message of splitter.add(text)) this.#hear(socket, JSON.parse(message) as Message);
    });
    let cause: Error | null = null;
    socket.on('error', (error) => {
      cause = error;
    });
    socket.on('close', () => {
      this.#socket = null;
      for (const each of [...this.#pending.values()])
        each.reject(unreachable(cause ?? new Error('the connection was closed')));
    });
    return socket;
  }

  #hear(socket: Socket, { id, method, params, result, error }: Message): void {
    // The server closes a connection on which nobody answers its `echo`.
    if (method === 'echo') socket.write(JSON.stringify({ id, result: params, error: null }));
    if (method !== undefined) return;
    const pending = this.#pending.get(Number(id));
    if (error === null || error === undefined) pending?.resolve(result);
    else pending?.reject(new OvsdbError('refused', JSON.stringify(error)));
  }
}
