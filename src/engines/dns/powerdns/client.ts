/**
 * Sends requests to the HTTP API of a PowerDNS authoritative server. The file with the key is read for each request, so
 * that the key can be exchanged without a restart. All requests that the driver sends can be repeated without harm.
 */
import { readFile } from 'node:fs/promises';
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { LEAST_RATE, readWithin, Transfer, type TransferLimits } from '../../../kernel/net/transfer.ts';
import type { PowerDnsServer } from '../settings.ts';

/** The server answers from its own database. The records of a large zone may take a while. */
const LIMITS: TransferLimits = { silenceMs: 5_000, totalMs: 10_000, rate: LEAST_RATE };
/** A zone with 300,000 records is smaller. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The server's only one; the API calls it so whatever its host is called. */
const ROOT = '/api/v1/servers/localhost';

/** The server answered, but not as wanted. */
export class PowerDnsError extends Error {
  readonly status: number;

  constructor(status: number, body: string) {
    super(`PowerDNS answered ${status}${detailOf(body)}`);
    this.name = 'PowerDnsError';
    this.status = status;
  }
}

/** Most errors are JSON, some are a plain word. */
function detailOf(body: string): string {
  let text = body;
  try {
    text = String((JSON.parse(body) as { error?: unknown }).error ?? body);
  } catch {}
  return text === '' ? '' : `: ${text.slice(0, 500)}`;
}

export class PowerDnsClient {
  readonly #server: Pick<PowerDnsServer, 'url' | 'apiKeyFile' | 'authorityFile'>;
  readonly #agent: HttpAgent;
  readonly #limits: TransferLimits;

  constructor(server: Pick<PowerDnsServer, 'url' | 'apiKeyFile' | 'authorityFile'>, limits = LIMITS) {
    this.#server = server;
    this.#limits = limits;
    this.#agent = this.#isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  }

  /** Returns the JSON of a successful answer; null if it has no body. `path` is below the server: `/zones`. */
  async send(method: string, path: string, body?: object, signal?: AbortSignal): Promise<unknown> {
    for (;;) {
      try {
        return await this.#sendOnce(method, path, body, signal);
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error;
      }
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  get #isSecure(): boolean {
    return this.#server.url.startsWith('https:');
  }

  async #sendOnce(
    method: string,
    path: string,
    body: object | undefined,
    given: AbortSignal | undefined,
  ): Promise<unknown> {
    given?.throwIfAborted();
    const transfer = new Transfer(this.#limits);
    const signal = given === undefined ? transfer.signal : AbortSignal.any([transfer.signal, given]);
    try {
      const text = body === undefined ? '' : JSON.stringify(body);
      const request = await this.#open(method, path, text, signal);
      const response = await answerOf(request, text).catch((error: unknown) => {
        const isStale = request.reusedSocket && !signal.aborted && codeOf(error) === 'ECONNRESET';
        throw isStale ? new StaleConnection() : error;
      });
      const answer = await readText(response, transfer);
      const { statusCode = 500 } = response;
      if (statusCode >= 300) throw new PowerDnsError(statusCode, answer);
      return answer === '' ? null : (JSON.parse(answer) as unknown);
    } finally {
      transfer.end();
    }
  }

  async #open(method: string, path: string, text: string, signal: AbortSignal): Promise<ClientRequest> {
    const { url, apiKeyFile, authorityFile } = this.#server;
    const [key, ca] = await Promise.all([
      readFile(apiKeyFile, 'utf8'),
      authorityFile === null ? undefined : readFile(authorityFile, 'utf8'),
    ]);
    const headers = {
      'x-api-key': key.trim(),
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    };
    const target = new URL(`${ROOT}${path}`, url);
    const options = { method, headers, agent: this.#agent, signal };
    return this.#isSecure
      ? requestHttps(target, ca === undefined ? options : { ...options, ca })
      : requestHttp(target, options);
  }
}

/** The server was restarted since the connection was last used: the request is sent again over a new one. */
class StaleConnection extends Error {}

function answerOf(request: ClientRequest, text: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('response', resolve).on('error', reject).end(text);
  });
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;

async function readText(response: IncomingMessage, transfer: Transfer): Promise<string> {
  const { statusCode = 500, headers } = response;
  if (statusCode < 300) transfer.expect(Number(headers['content-length'] ?? MOST_BYTES));
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of readWithin(response, transfer)) {
    length += part.length;
    if (length > MOST_BYTES) throw new Error('the answer is longer than that of any zone');
    parts.push(part);
  }
  return Buffer.concat(parts, length).toString();
}
