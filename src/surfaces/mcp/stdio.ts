/**
 * `hostplane mcp`: speaks MCP over stdin and stdout, for programs that start their servers themselves. It passes each
 * message to the MCP endpoint of a Hostplane server and the answer back, so it does nothing a second time.
 */
import { PassThrough, type Readable } from 'node:stream';
import { setImmediate as atOnce, setTimeout as delay } from 'node:timers/promises';
import {
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server';

export interface Upstream {
  /** The address of the server, without a slash at the end. */
  readonly url: string;
  readonly key: string;
  readonly isReadOnly: boolean;
}

type Params = Readonly<Record<string, unknown>> & { readonly _meta?: Readonly<Record<string, unknown>> };
type Message = { readonly id?: RequestId; readonly method?: string; readonly params?: Params };

/** The member of the parameters that newer versions of the protocol repeat in the header Mcp-Name. */
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

const asHeader = (text: string): string =>
  /^[\x21-\x7e]*$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;

export class StdioBridge {
  readonly #upstream: Upstream;
  readonly #transport: Transport;
  readonly #open = new Map<RequestId, AbortController>();
  readonly #passing = new Set<Promise<void>>();
  /** The version that `initialize` agreed on; newer versions name theirs in each message. */
  #version: string | undefined;

  constructor(upstream: Upstream, transport: Transport) {
    this.#upstream = upstream;
    this.#transport = transport;
  }

  /** Resolves when the client has closed its end. */
  run(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#transport.onclose = () => {
        for (const open of this.#open.values()) open.abort();
        resolve();
      };
    });
    this.#transport.onmessage = (message) => {
      const passed = this.#pass(message as Message).finally(() => this.#passing.delete(passed));
      this.#passing.add(passed);
    };
    return this.#transport.start().then(() => ended);
  }

  /** Resolves when every message so far is answered, or after this time. */
  async settle(milliseconds: number): Promise<void> {
    const patience = new AbortController();
    const answered = Promise.allSettled(this.#passing).then(() => patience.abort());
    await Promise.race([answered, delay(milliseconds, undefined, patience).catch(() => undefined)]);
  }

  async #pass(message: Message): Promise<void> {
    const { id, method, params } = message;
    if (method === 'notifications/cancelled') {
      this.#open.get(params?.['requestId'] as RequestId)?.abort();
      return;
    }
    const open = new AbortController();
    if (id !== undefined) this.#open.set(id, open);
    try {
      await this.#deliver(await this.#post(message, open.signal), message);
    } catch (error) {
      if (!open.signal.aborted) await this.#fail(id, unreachable(this.#upstream.url, error));
    } finally {
      if (id !== undefined) this.#open.delete(id);
    }
  }

  #post(message: Message, signal: AbortSignal): Promise<Response> {
    const { url, key, isReadOnly } = this.#upstream;
    const { method = '', params } = message;
    const claimed = params?._meta?.[PROTOCOL_VERSION_META_KEY];
    const name = params?.[named[method] ?? ''];
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'user-agent': 'hostplane-mcp-stdio',
      'x-api-key': key,
    };
    if (typeof claimed === 'string') {
      headers['mcp-protocol-version'] = claimed;
      headers['mcp-method'] = method;
      if (typeof name === 'string') headers['mcp-name'] = asHeader(name);
    } else if (this.#version !== undefined) headers['mcp-protocol-version'] = this.#version;
    return fetch(`${url}/mcp${isReadOnly ? '/readonly' : ''}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(message),
      signal,
    });
  }

  async #deliver(answer: Response, { id, method }: Message): Promise<void> {
    const type = answer.headers.get('content-type') ?? '';
    if (type.startsWith('application/problem+json')) {
      const { detail, next_step, code } = (await answer.json()) as Record<string, string>;
      return this.#fail(id, `${detail} ${next_step}`, { code, status: answer.status });
    }
    const text = await answer.text();
    if (text === '') return;
    for (const message of type.startsWith('text/event-stream') ? eventsIn(text) : [text]) {
      const parsed = JSON.parse(message) as JSONRPCMessage & { result?: { protocolVersion?: string } };
      if (method === 'initialize') this.#version = parsed.result?.protocolVersion ?? this.#version;
      await this.#transport.send(parsed);
    }
  }

  async #fail(id: RequestId | undefined, message: string, data?: object): Promise<void> {
    if (id === undefined) return;
    const error = { code: -32_000, message, ...(data === undefined ? {} : { data }) };
    await this.#transport.send({ jsonrpc: '2.0', id, error });
  }
}

const eventsIn = (stream: string): string[] =>
  stream
    .split(/\r?\n\r?\n/)
    .map((event) =>
      event
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    )
    .filter((data) => data !== '');

function unreachable(url: string, error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = cause instanceof Error ? cause.message : String(cause);
  return `Hostplane at ${url} does not answer (${why}). Check HOSTPLANE_URL and that the server runs, then repeat the call; a change may or may not have been made.`;
}

/** A tool waits for at most 60 seconds, and its answer takes a moment. */
const LAST_ANSWERS_MS = 65_000;

/**
 * The input of a bridge. It ends when that of the program has ended and the answers to all that was read are written:
 * the transport of the protocol package would drop them at the end of its input.
 */
export function patientInput(from: Readable, bridge: () => StdioBridge): PassThrough {
  const input = from.pipe(new PassThrough(), { end: false });
  from.once('end', async () => {
    while (input.readableLength > 0 || input.writableLength > 0) await atOnce();
    await bridge().settle(LAST_ANSWERS_MS);
    input.end();
  });
  return input;
}
