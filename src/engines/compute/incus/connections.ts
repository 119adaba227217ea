/** Connections to an engine: one server, or the members of a cluster, any of which can answer a request. */
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
  /**
   * The server's own certificate where no certificate authority signed it; then only this certificate is accepted.
   */
  readonly serverCertificate: string | null;
}

/** `unix:///var/lib/incus/unix.socket`, or `https://host:8443` with credentials. */
export interface Address {
  readonly url: string;
  /** URLs of other members of the same cluster, used when `url` does not answer. */
  readonly others?: readonly string[];
  readonly credentials: Credentials | null;
}

function tlsOf(credentials: Credentials | null) {
  if (credentials === null) return {};
  const { certificate: cert, key, serverCertificate } = credentials;
  // The certificate that an engine generates names no host. The exact match with the pinned certificate proves its
  // identity.
  const pinned =
    serverCertificate === null ? {} : { ca: serverCertificate, checkServerIdentity: () => undefined };
  return { cert, key, ...pinned };
}

/**
 * A connection without requests is closed after this time. Incus closes it after 30 s, and a request that is sent at
 * that moment would be lost.
 */
const IDLE_MS = 10_000;

export class Door {
  readonly #url: string;
  readonly #tls: ReturnType<typeof tlsOf>;
  readonly #socketPath: string | null;
  readonly #agent: HttpAgent;

  constructor(url: string, credentials: Credentials | null, idleMs: number) {
    this.#url = url;
    this.#tls = tlsOf(credentials);
    this.#socketPath = url.startsWith('unix:') ? new URL(url).pathname : null;
    const kept = { keepAlive: true, timeout: idleMs };
    this.#agent = this.#socketPath === null ? new HttpsAgent({ ...kept, ...this.#tls }) : new HttpAgent(kept);
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

/** All requests use the current address until it fails; then they use the next one. */
export class Doors {
  readonly #all: readonly Door[];
  #current = 0;

  constructor({ url, others = [], credentials }: Address, idleMs = IDLE_MS) {
    this.#all = [url, ...others].map((each) => new Door(each, credentials, idleMs));
  }

  get count(): number {
    return this.#all.length;
  }

  get current(): Door {
    // `#all` is never empty, and `#current` is always an index into it.
    return this.#all[this.#current] as Door;
  }

  /** Several requests may fail on the same address; only the first one of them moves on to the next address. */
  leave(door: Door): void {
    if (door === this.current) this.#current = (this.#current + 1) % this.#all.length;
  }

  close(): void {
    for (const door of this.#all) door.close();
  }
}
