/**
 * Speaks MCP over stdin and stdout, for programs that start their servers themselves. It passes each message to the MCP
 * endpoint of the server, and the answer back, so it does nothing a second time. One message is one line of JSON.
 */
import { Failure, type Problem } from '../failure.ts';
import type { Client } from '../http/client.ts';
import { messagesIn } from '../http/messages.ts';
import { isObject } from '../input/body.ts';

type Id = string | number;

interface Message {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface Upstream {
  readonly client: Client;
  readonly isReadOnly: boolean;
  /** Writes one line to the program that started this one. */
  write(line: string): Promise<void>;
}

/** Newer versions of the protocol name their version in each message. */
const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** The member of the parameters that newer versions of the protocol repeat in the header Mcp-Name. */
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

const PARSE_ERROR = -32_700;
const FAILED = -32_000;

/** A tool waits for at most 60 seconds, and its answer takes a moment. */
const LAST_ANSWERS_MS = 65_000;
/** Longer than any tool waits without a word. */
const SILENCE_MS = 120_000;

const asHeader = (text: string): string =>
  /^[\x21-\x7e]*$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;

export class Bridge {
  readonly #upstream: Upstream;
  readonly #open = new Map<Id, AbortController>();
  readonly #passing = new Set<Promise<void>>();
  /** The version that `initialize` agreed on. */
  #version: string | undefined;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  /** Resolves when the program has closed its end and has all answers, or is interrupted. */
  async run(lines: AsyncIterable<string>, interrupted: AbortSignal): Promise<void> {
    interrupted.addEventListener('abort', () => this.#abortAll());
    for await (const line of lines) {
      if (interrupted.aborted) break;
      if (line.trim() === '') continue;
      const passed = this.#read(line).finally(() => this.#passing.delete(passed));
      this.#passing.add(passed);
    }
    const patience = setTimeout(() => this.#abortAll(), LAST_ANSWERS_MS);
    await Promise.allSettled(this.#passing);
    clearTimeout(patience);
  }

  #abortAll(): void {
    for (const open of this.#open.values()) open.abort();
  }

  async #read(line: string): Promise<void> {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch (error) {
      return this.#fail(null, `This line is no JSON: ${(error as Error).message}`, PARSE_ERROR);
    }
    // Older versions of the protocol send several messages in a list.
    const ids = [message]
      .flat()
      .flatMap((each) => (isObject(each) && 'id' in each ? [each['id'] as Id] : []));
    const first: Message = isObject(message) ? message : {};
    if (first.method === 'notifications/cancelled') {
      this.#open.get(first.params?.['requestId'] as Id)?.abort();
      return;
    }
    const open = new AbortController();
    for (const id of ids) this.#open.set(id, open);
    try {
      await this.#pass(line, first, ids, open.signal);
    } catch (error) {
      if (open.signal.aborted) return;
      const why = error instanceof Failure ? error.message : String(error);
      const next = 'Repeat the call; a change may or may not have been made.';
      for (const id of ids) await this.#fail(id, `${why} ${next}`);
    } finally {
      for (const id of ids) this.#open.delete(id);
    }
  }

  async #pass(body: string, message: Message, ids: readonly Id[], signal: AbortSignal): Promise<void> {
    const { client, isReadOnly } = this.#upstream;
    const answer = await client.connection.open({
      method: 'POST',
      path: `/mcp${isReadOnly ? '/readonly' : ''}`,
      headers: this.#headers(message),
      body,
      signal,
      timeoutMs: SILENCE_MS,
    });
    const type = answer.headers['content-type'] ?? '';
    if (type.startsWith('text/event-stream')) {
      // Each message is passed on as it comes, because some tell of progress.
      for await (const { data } of messagesIn(answer)) await this.#deliver(data, message);
      return;
    }
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString('utf8');
    if (text === '') return;
    const status = answer.statusCode ?? 0;
    if (!type.includes('json'))
      throw new Failure(
        `${client.url} answered ${status} in a form that MCP does not use. Check the address.`,
        1,
      );
    if (!type.startsWith('application/problem+json')) return this.#deliver(text, message);
    const { detail, next_step, code } = JSON.parse(text) as Problem;
    for (const id of ids) await this.#fail(id, `${detail} ${next_step}`, FAILED, { code, status });
  }

  #headers({ method = '', params }: Message): Record<string, string> {
    const meta = params?.['_meta'];
    const claimed = isObject(meta) ? meta[VERSION] : undefined;
    const name = params?.[named[method] ?? ''];
    const accept = { accept: 'application/json, text/event-stream' };
    if (typeof claimed === 'string')
      return {
        ...accept,
        'mcp-protocol-version': claimed,
        'mcp-method': method,
        ...(typeof name === 'string' ? { 'mcp-name': asHeader(name) } : {}),
      };
    return { ...accept, ...(this.#version === undefined ? {} : { 'mcp-protocol-version': this.#version }) };
  }

  /** A message has to stay on one line. */
  async #deliver(text: string, { method }: Message): Promise<void> {
    const answer = JSON.parse(text) as { readonly result?: { readonly protocolVersion?: string } };
    if (method === 'initialize') this.#version = answer.result?.protocolVersion ?? this.#version;
    await this.#upstream.write(`${JSON.stringify(answer)}\n`);
  }

  #fail(id: Id | null, message: string, code = FAILED, data?: object): Promise<void> {
    const error = { code, message, ...(data === undefined ? {} : { data }) };
    return this.#upstream.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
  }
}
