/**
 * HTTPS calls to URLs that customers give. Without checks, a customer could reach internal services through us (SSRF).
 * So all addresses of the host name are checked, and the connection uses one of the checked addresses, even if the name
 * resolves differently a moment later. Redirects are returned, never followed.
 */
import { lookup } from 'node:dns/promises';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext, type TLSSocket } from 'node:tls';
import { parseAddress } from './address.ts';
import { type AddressKind, behindNat64, kindOf } from './address-kind.ts';
import { parseCidr } from './cidr.ts';
import { buildPrefixTrie, type PrefixTrie } from './prefix-trie.ts';
import { Transfer } from './transfer.ts';

declare module '../services.ts' {
  interface ForeignServices {
    /** Calls URLs that customers give. */
    readonly egress: Egress;
  }
}

export const egressFaultMeanings = {
  timeout: 'There was no answer in time.',
  dns: 'The host name has no address.',
  tls: 'The certificate is not valid for the host name, or TLS failed.',
  connect: 'The connection was refused or broke.',
  blocked_address: 'The host name leads to an address that is not public.',
} as const;
export type EgressFault = keyof typeof egressFaultMeanings;

/** The call got no answer. Customers see only `fault`; the cause is only logged. */
export class NoAnswer extends Error {
  readonly fault: EgressFault;
  constructor(fault: EgressFault, cause?: unknown) {
    super(`no answer: ${fault}`, { cause });
    this.name = 'NoAnswer';
    this.fault = fault;
  }
}

export interface EgressSettings {
  /** Ranges that may be called although they are not public. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Certificates (PEM) to trust beside the public ones. */
  readonly ca: string | null;
}

/** Returns all addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const resolveAll: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true, order: 'verbatim' })).map(({ address }) => address);

export interface EgressRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** For the whole call, from the DNS look-up to the last byte. */
  readonly timeoutMs: number;
  /** A longer body is cut off at this length. */
  readonly maxBytes: number;
  /** Aborts the call. */
  readonly signal?: AbortSignal;
}

export interface EgressAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface EgressOpening {
  readonly headers: Readonly<Record<string, string>>;
  /** Limits the time from the DNS look-up to the last byte. The caller tells it which bytes have arrived. */
  readonly transfer: Transfer;
  /** Aborts the download. */
  readonly signal: AbortSignal;
}

/** An answer that is too large for memory. The caller must read `body` to its end, or destroy it. */
export interface EgressStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Ends with an error if the connection breaks or exceeds a limit of its transfer. */
  readonly body: IncomingMessage;
}

/** The host of a URL, without the brackets of an IPv6 address. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

export class Egress {
  readonly #special: PrefixTrie<'allow' | 'deny'>;
  readonly #trust: SecureContext;
  readonly #resolve: Resolve;

  constructor({ allow, deny, ca }: EgressSettings, resolve: Resolve = resolveAll) {
    const read = (texts: readonly string[], verdict: 'allow' | 'deny') =>
      texts.flatMap((text) => {
        const parsed = parseCidr(text);
        return parsed === null ? [] : [[parsed.cidr, verdict] as const];
      });
    this.#special = buildPrefixTrie([...read(allow, 'allow'), ...read(deny, 'deny')]);
    // Created once, because loading all root certificates takes longer than most calls.
    this.#trust = createSecureContext(ca === null ? {} : { ca: [...rootCertificates, ca] });
    this.#resolve = resolve;
  }

  /** The reason why this address may not be called. `null` if it may be called, or if the host is a name. */
  refuses(host: string): AddressKind | 'denied' | null {
    const address = parseAddress(host);
    if (address === null) return null;
    const verdict = this.#special.match(behindNat64(address));
    if (verdict === 'deny') return 'denied';
    const kind = kindOf(address);
    return verdict === 'allow' || kind === 'global' ? null : kind;
  }

  async call(url: URL, wanted: EgressRequest): Promise<EgressAnswer> {
    if (url.protocol !== 'https:') throw new NoAnswer('connect', new Error(`${url.protocol} is not spoken`));
    const transfer = new Transfer({ totalMs: wanted.timeoutMs });
    const signal = AbortSignal.any([
      transfer.signal,
      ...(wanted.signal === undefined ? [] : [wanted.signal]),
    ]);
    try {
      const addresses = await this.#addressesOf(hostOf(url), signal);
      return await exchange(url, wanted, { signal, addresses, trust: this.#trust });
    } finally {
      transfer.end();
    }
  }

  async open(url: URL, { headers, transfer, signal }: EgressOpening): Promise<EgressStream> {
    if (url.protocol !== 'https:') throw new NoAnswer('connect', new Error(`${url.protocol} is not spoken`));
    const way = { signal: AbortSignal.any([transfer.signal, signal]), trust: this.#trust };
    const addresses = await this.#addressesOf(hostOf(url), way.signal);
    const { incoming } = await reach(url, { method: 'GET', headers }, { ...way, addresses });
    const stop = (): void => void incoming.destroy(new NoAnswer('timeout', way.signal.reason));
    // Nobody may be reading when the time is over; a reader that comes later still gets the error.
    incoming.on('error', () => undefined);
    way.signal.addEventListener('abort', stop, { once: true });
    if (way.signal.aborted) stop();
    incoming.once('close', () => way.signal.removeEventListener('abort', stop));
    return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming };
  }

  async #addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const found = parseAddress(host) === null ? await this.#lookUp(host, signal) : [host];
    // One refused address blocks the whole name, because Node chooses which of the addresses it calls.
    const isRefused = (text: string) => parseAddress(text) === null || this.refuses(text) !== null;
    if (found.some(isRefused)) throw new NoAnswer('blocked_address');
    return found;
  }

  async #lookUp(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const late = new Promise<never>((_, reject) => {
      const stop = (): void => reject(new NoAnswer('timeout', signal.reason));
      signal.addEventListener('abort', stop, { once: true });
    });
    const found = await Promise.race([this.#resolve(host), late]).catch((error: unknown) => {
      throw error instanceof NoAnswer ? error : new NoAnswer('dns', error);
    });
    if (found.length === 0) throw new NoAnswer('dns');
    return found;
  }
}

interface Way {
  readonly signal: AbortSignal;
  readonly addresses: readonly string[];
  readonly trust: SecureContext;
}

/** A DNS look-up that always returns the checked addresses. */
function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_hostname, options, done) => {
    if (options.all === true) done(null, all);
    else done(null, all[0]?.address ?? '', all[0]?.family ?? 4);
  };
}

/** Resolves when the answer starts. From then on, `way.signal` no longer stops the request; the caller must do that. */
function reach(
  url: URL,
  wanted: Pick<EgressRequest, 'method' | 'headers' | 'body'>,
  way: Way,
): Promise<{ incoming: IncomingMessage; outgoing: ClientRequest }> {
  const options: RequestOptions & { secureContext: SecureContext } = {
    method: wanted.method,
    host: hostOf(url),
    port: url.port === '' ? 443 : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: { ...wanted.headers, ...(wanted.body ? { 'content-length': wanted.body.length } : {}) },
    // A new connection for each call, because a reused one could be older than the check of its address.
    agent: false,
    lookup: pinned(way.addresses),
    rejectUnauthorized: true,
    secureContext: way.trust,
  };
  return new Promise((resolve, reject) => {
    let stage: 'connect' | 'tls' | 'open' | 'answered' = 'connect';
    const outgoing = request(options);
    const stop = (): void => void outgoing.destroy();
    const fail = (cause?: unknown): void => {
      if (stage === 'answered') return;
      way.signal.removeEventListener('abort', stop);
      if (way.signal.aborted) reject(new NoAnswer('timeout', way.signal.reason));
      else reject(new NoAnswer(stage === 'tls' ? 'tls' : 'connect', cause));
    };
    way.signal.addEventListener('abort', stop, { once: true });
    if (way.signal.aborted) stop();
    outgoing.on('socket', (socket) => {
      socket.once('connect', () => {
        stage = 'tls';
      });
      (socket as TLSSocket).once('secureConnect', () => {
        stage = 'open';
      });
    });
    outgoing.on('error', fail);
    outgoing.on('close', () => fail());
    outgoing.on('response', (incoming) => {
      stage = 'answered';
      way.signal.removeEventListener('abort', stop);
      resolve({ incoming, outgoing });
    });
    outgoing.end(wanted.body);
  });
}

async function exchange(url: URL, wanted: EgressRequest, way: Way): Promise<EgressAnswer> {
  const { incoming, outgoing } = await reach(url, wanted, way);
  const stop = (): void => void outgoing.destroy();
  way.signal.addEventListener('abort', stop, { once: true });
  if (way.signal.aborted) stop();
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    // The status counts as the answer even if the body is cut off, slow or too long.
    const end = (): void => {
      way.signal.removeEventListener('abort', stop);
      const body = Buffer.concat(parts).subarray(0, wanted.maxBytes);
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body });
      outgoing.destroy();
    };
    incoming.on('data', (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length >= wanted.maxBytes) end();
    });
    incoming.on('end', end).on('error', end).on('close', end);
  });
}
