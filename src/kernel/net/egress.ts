/**
 * Calls we make because a customer told us an address. Whoever can make us call anything could reach what only we can
 * reach, so every address a name stands for is checked, and the connection goes to one of those that were checked: a
 * name that means something else a moment later changes nothing. Redirects are answers, never followed.
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

declare module '../services.ts' {
  interface Services {
    /** Calls addresses that customers name. */
    readonly egress: Egress;
  }
}

export const egressFaults = ['timeout', 'dns', 'tls', 'connect', 'blocked_address'] as const;
export type EgressFault = (typeof egressFaults)[number];

/** No answer came. What is known of the cause beyond its kind stays in the log. */
export class NoAnswer extends Error {
  readonly fault: EgressFault;
  constructor(fault: EgressFault, cause?: unknown) {
    super(`no answer: ${fault}`, { cause });
    this.name = 'NoAnswer';
    this.fault = fault;
  }
}

export interface EgressSettings {
  /** Ranges that may be called though they are not public. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Certificates (PEM) to trust beside the public ones. */
  readonly ca: string | null;
}

/** Every address that a name stands for. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const resolveAll: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true, order: 'verbatim' })).map(({ address }) => address);

export interface EgressRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** From the look-up of the name to the last byte that is read. */
  readonly timeoutMs: number;
  /** The rest of a longer answer is not read. */
  readonly maxBytes: number;
  /** Nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

export interface EgressAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface EgressOpening {
  readonly headers: Readonly<Record<string, string>>;
  /** How long there may be nothing new, from the look-up of the name to the last byte. */
  readonly silenceMs: number;
  /** Nobody wants the rest any more. */
  readonly signal: AbortSignal;
}

/** An answer too large to be kept: whoever opened it reads `body` to its end, or destroys it. */
export interface EgressStream {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Cut short or silent for too long, it ends with an error. */
  readonly body: IncomingMessage;
}

/** What an URL's host is once its brackets are off. */
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
    // Made once: reading all authorities again takes longer than most calls.
    this.#trust = createSecureContext(ca === null ? {} : { ca: [...rootCertificates, ca] });
    this.#resolve = resolve;
  }

  /** Why this address may not be called; `null` if it may, or if it is no address but a name. */
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
    const late = AbortSignal.timeout(wanted.timeoutMs);
    const signal = wanted.signal === undefined ? late : AbortSignal.any([late, wanted.signal]);
    const addresses = await this.#addressesOf(hostOf(url), signal);
    return exchange(url, wanted, { signal, addresses, trust: this.#trust });
  }

  async open(url: URL, { headers, silenceMs, signal }: EgressOpening): Promise<EgressStream> {
    if (url.protocol !== 'https:') throw new NoAnswer('connect', new Error(`${url.protocol} is not spoken`));
    const silent = new AbortController();
    const hush = setTimeout(() => silent.abort(), silenceMs);
    try {
      const way = { signal: AbortSignal.any([silent.signal, signal]), trust: this.#trust };
      const addresses = await this.#addressesOf(hostOf(url), way.signal);
      const { incoming, outgoing } = await reach(url, { method: 'GET', headers }, { ...way, addresses });
      const stop = (): void => void outgoing.destroy();
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      incoming.once('close', () => signal.removeEventListener('abort', stop));
      incoming.setTimeout(silenceMs, () => incoming.destroy(new NoAnswer('timeout')));
      return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: incoming };
    } finally {
      clearTimeout(hush);
    }
  }

  async #addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const found = parseAddress(host) === null ? await this.#lookUp(host, signal) : [host];
    // One that is refused spoils the name: which of them would be called is not ours to choose.
    const isRefused = (text: string) => parseAddress(text) === null || this.refuses(text) !== null;
    if (found.some(isRefused)) throw new NoAnswer('blocked_address');
    return found;
  }

  async #lookUp(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new NoAnswer('timeout')), { once: true });
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

/** Answers with what was checked, whatever is asked. */
function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return (_hostname, options, done) => {
    if (options.all === true) done(null, all);
    else done(null, all[0]?.address ?? '', all[0]?.family ?? 4);
  };
}

/** Until there is an answer; from then on it is for whoever asked to stop. */
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
    // A connection of its own: one that is kept could outlive the check of its address.
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
      reject(new NoAnswer(way.signal.aborted ? 'timeout' : stage === 'tls' ? 'tls' : 'connect', cause));
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
    // The status is the answer: a body that is cut off, slow or too long takes nothing away from it.
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
