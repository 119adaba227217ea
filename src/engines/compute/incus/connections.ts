/** The ways into an engine: one, or the members of a cluster, of which any will do. */
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { WebSocket } from 'ws';

export interface Credentials {
  readonly certificate: string;
  readonly key: string;
  /** The server's own, where no authority vouches for it: nothing else is believed then. */
  readonly serverCertificate: string | null;
}

/** `unix:///var/lib/incus/unix.socket`, or `https://host:8443` with credentials. */
export interface Address {
  readonly url: string;
  /** Of other members of the same cluster, for when that one does not answer. */
  readonly others?: readonly string[];
  readonly credentials: Credentials | null;
}

function tlsOf(credentials: Credentials | null) {
  if (credentials === null) return {};
  const { certificate: cert, key, serverCertificate } = credentials;
  // The certificate that an engine makes for itself names no host: having exactly this one is what proves it.
  const pinned =
    serverCertificate === null ? {} : { ca: serverCertificate, checkServerIdentity: () => undefined };
  return { cert, key, ...pinned };
}

export class Door {
  readonly #url: string;
  readonly #tls: ReturnType<typeof tlsOf>;
  readonly #socketPath: string | null;
  readonly #agent: HttpAgent;

  constructor(url: string, credentials: Credentials | null) {
    this.#url = url;
    this.#tls = tlsOf(credentials);
    this.#socketPath = url.startsWith('unix:') ? new URL(url).pathname : null;
    this.#agent =
      this.#socketPath === null
        ? new HttpsAgent({ keepAlive: true, ...this.#tls })
        : new HttpAgent({ keepAlive: true });
  }

  request(options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest {
    const all = { ...options, agent: this.#agent };
    return this.#socketPath === null
      ? requestHttps(new URL(this.#url), all, onResponse)
      : requestHttp({ ...all, socketPath: this.#socketPath, host: 'engine' }, onResponse);
  }

  openSocket(target: string, options: { readonly handshakeTimeout: number }): WebSocket {
    const plain = { ...options, perMessageDeflate: false };
    if (this.#socketPath !== null) return new WebSocket(`ws+unix://${this.#socketPath}:${target}`, plain);
    const url = this.#url.replace(/^https/, 'wss').replace(/\/$/, '');
    return new WebSocket(`${url}${target}`, { ...plain, ...this.#tls });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Whoever comes uses the one that worked last. */
export class Doors {
  readonly #all: readonly Door[];
  #current = 0;

  constructor({ url, others = [], credentials }: Address) {
    this.#all = [url, ...others].map((each) => new Door(each, credentials));
  }

  get count(): number {
    return this.#all.length;
  }

  get current(): Door {
    // There is at least one, and it is one of them.
    return this.#all[this.#current] as Door;
  }

  /** Somebody else may have gone on to the next one by now. */
  leave(door: Door): void {
    if (door === this.current) this.#current = (this.#current + 1) % this.#all.length;
  }

  close(): void {
    for (const door of this.#all) door.close();
  }
}
