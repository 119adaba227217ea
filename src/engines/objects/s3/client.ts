/**
 * Sends requests to one bucket of S3: of AWS, Ceph RGW, MinIO or another service that speaks the same protocol. The
 * files with the keys are read for each request, so that keys can be exchanged without a restart.
 */
import { readFile } from 'node:fs/promises';
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { LEAST_RATE, readWithin, Transfer, type TransferLimits } from '../../../kernel/net/transfer.ts';
import type { Bandwidth } from '../bandwidth.ts';
import { sha256Of, sign } from './signature.ts';

export interface Bucket {
  /** `https://s3.example.com`; objects are addressed as `ENDPOINT/BUCKET/KEY`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyFile: string;
  readonly secretKeyFile: string;
  /** The certificates of the authorities to trust instead of the public ones. */
  readonly authorityFile: string | null;
}

interface Ask {
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly signal?: AbortSignal | undefined;
}

const LIMITS: TransferLimits = { silenceMs: 30_000, totalMs: 60_000, rate: LEAST_RATE };
/** How much is handed to the connection at once, so that the progress of a large object can be seen. */
const SLICE_BYTES = 64 * 1024;
/** Objects and pages of lists are smaller. A longer answer is no answer of a store. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Services of this kind answer 503 to some requests and expect that these are sent again. */
const WAITS_MS = [200, 1000] as const;

/** The store answered, but not as wanted. */
export class S3Error extends Error {
  readonly status: number;
  /** Such as `NoSuchKey`; empty if the answer has none. */
  readonly code: string;

  constructor(status: number, body: string) {
    const code = textOf(body, 'Code') ?? '';
    const message = textOf(body, 'Message') ?? '';
    super(`The store answered ${[status, code, message].filter((part) => part !== '').join(' ')}`);
    this.name = 'S3Error';
    this.status = status;
    this.code = code;
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The text of the first element with this name. The answers that are read have no attributes at such elements. */
export function textOf(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return found?.replace(/&(\w+);/g, (whole, entity: string) => entities[entity] ?? whole) ?? null;
}

const isPassing = (error: unknown): boolean =>
  error instanceof S3Error ? error.status >= 500 && error.status !== 507 : true;

function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve).on('error', reject);
  });
}

async function readAnswer(response: IncomingMessage, transfer: Transfer): Promise<Buffer> {
  transfer.expect(Number(response.headers['content-length'] ?? MOST_BYTES));
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of readWithin(response, transfer)) {
    length += part.length;
    if (length > MOST_BYTES) throw new Error('the answer is longer than any object');
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

export class S3Client {
  readonly #bucket: Bucket;
  readonly #bandwidth: Bandwidth;
  readonly #agent: HttpAgent;
  readonly #limits: TransferLimits;

  constructor(bucket: Bucket, bandwidth: Bandwidth, limits = LIMITS) {
    this.#bucket = bucket;
    this.#bandwidth = bandwidth;
    this.#limits = limits;
    this.#agent = this.#isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  }

  /** Returns the body of a successful answer. All requests can be repeated without harm. */
  async send(method: string, ask: Ask = {}): Promise<Buffer> {
    for (const pause of WAITS_MS) {
      try {
        return await this.#sendOnce(method, ask);
      } catch (error) {
        ask.signal?.throwIfAborted();
        if (!isPassing(error)) throw error;
        await wait(pause, undefined, ask.signal === undefined ? {} : { signal: ask.signal });
      }
    }
    return this.#sendOnce(method, ask);
  }

  close(): void {
    this.#agent.destroy();
  }

  get #isSecure(): boolean {
    return this.#bucket.endpoint.startsWith('https:');
  }

  async #sendOnce(method: string, ask: Ask): Promise<Buffer> {
    ask.signal?.throwIfAborted();
    const { body = Buffer.alloc(0) } = ask;
    const transfer = new Transfer(this.#limits);
    const signal = AbortSignal.any([transfer.signal, ...(ask.signal === undefined ? [] : [ask.signal])]);
    let request: ClientRequest | undefined;
    try {
      request = await this.#open(method, { ...ask, signal }, body);
      const answered = answerOf(request);
      if (body.length > 0) transfer.expect(body.length);
      // Errors while sending are errors of the request, unless the store answered before it had read everything.
      void pipeline(Readable.from(this.#slicesOf(body, transfer, signal)), request).catch(() => undefined);
      const response = await answered;
      const bytes = await readAnswer(response, transfer);
      const { statusCode = 500 } = response;
      if (statusCode >= 300) throw new S3Error(statusCode, bytes.subarray(0, 10_000).toString());
      return bytes;
    } finally {
      transfer.end();
      if (request?.writableFinished !== true) request?.destroy();
    }
  }

  /** The clock of the transfer stands while the limit of our own bandwidth delays the bytes. */
  async *#slicesOf(body: Buffer, transfer: Transfer, signal: AbortSignal): AsyncGenerator<Buffer> {
    transfer.pause();
    for await (const piece of this.#bandwidth.pace(body, signal)) {
      transfer.resume();
      for (let at = 0; at < piece.length; at += SLICE_BYTES) {
        const slice = piece.subarray(at, at + SLICE_BYTES);
        yield slice;
        transfer.moved(slice.length);
      }
      transfer.pause();
    }
    transfer.resume();
  }

  async #open(
    method: string,
    { key = '', query = {}, headers = {}, signal }: Ask,
    body: Buffer,
  ): Promise<ClientRequest> {
    const { endpoint, bucket, region, accessKeyFile, secretKeyFile, authorityFile } = this.#bucket;
    const url = new URL(`${endpoint.replace(/\/$/, '')}/${bucket}/${key}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value);
    const [accessKey, secretKey, ca] = await Promise.all([
      readFile(accessKeyFile, 'utf8'),
      readFile(secretKeyFile, 'utf8'),
      authorityFile === null ? undefined : readFile(authorityFile, 'utf8'),
    ]);
    const signed = sign(
      { method, url, headers, bodySha256: sha256Of(body) },
      { accessKey: accessKey.trim(), secretKey: secretKey.trim() },
      region,
      new Date(),
    );
    const options = {
      method,
      agent: this.#agent,
      headers: { ...signed, 'content-length': body.length },
      ...(signal === undefined ? {} : { signal }),
    };
    if (!this.#isSecure) return requestHttp(url, options);
    return requestHttps(url, ca === undefined ? options : { ...options, ca });
  }
}
