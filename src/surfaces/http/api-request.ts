/** Handles one API request: admits it, reads the body, executes the call, sends the answer, logs it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange, Stage } from '../../kernel/exchange.ts';
import type { Refused } from '../../kernel/problems/problem.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import { refuseUndecodable } from '../../kernel/query-string.ts';
import type { Endpoint } from '../../kernel/record.ts';
import type { Services } from '../../kernel/services.ts';
import { Departure } from '../../kernel/waiting/client-gone.ts';
import { admit, admitMember } from '../../pipeline/admission.ts';
import { execute } from '../../pipeline/execution.ts';
import { JSON_FORMAT } from '../../pipeline/format.ts';
import { completeRefusal } from '../../pipeline/refusal-details.ts';
import { openStream, wantsStream } from '../../pipeline/stream.ts';
import type { Outbox } from './batched-answers.ts';
import { announcesBody, readBody } from './body.ts';
import { type StreamTimes, sendStream, streamHeaders } from './event-stream.ts';
import type { Observer } from './observation.ts';
import { refuse } from './refusal.ts';

/** The services and settings that all requests of a server share. */
export interface ServerContext {
  readonly services: Services;
  readonly observer: Observer;
  readonly outbox: Outbox;
  readonly bodyMilliseconds: number;
  readonly streamTimes: StreamTimes;
  readonly witness: ((endpoint: Endpoint, status: number, body: string | null) => void) | undefined;
  closing: boolean;
}

export class ApiRequest {
  readonly #context: ServerContext;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #exchange: Exchange;
  readonly #began = performance.now();

  constructor(
    context: ServerContext,
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
  ) {
    this.#context = context;
    this.#request = request;
    this.#response = response;
    this.#exchange = exchange;
  }

  /**
   * Sends a refusal in the same turn of the event loop in which the request came, unless a stage returns a promise.
   */
  receive(): void {
    try {
      const refused = admit(this.#exchange, this.#context.services);
      if (refused instanceof Promise) this.#wait(refused);
      else this.#decide(refused);
    } catch (error) {
      this.#turnAway(error);
    }
  }

  /** For a person: `identify` finds the session and sets it. */
  receiveFrom(identify: Stage): void {
    const { services } = this.#context;
    const admitted = async (): Promise<Refused> =>
      (await identify(this.#exchange, services)) ?? admitMember(this.#exchange, services);
    this.#wait(admitted());
  }

  /** Refuses the request whatever the checks decide. The rate limit still counts it; a 429 takes precedence. */
  async refuse(problem: Problem): Promise<void> {
    try {
      const refused = await admit(this.#exchange, this.#context.services);
      this.#turnAway(refused?.code === 'rate_limited' ? refused : problem);
    } catch (error) {
      this.#turnAway(error);
    }
  }

  #wait(refused: Promise<Refused>): void {
    refused.then(
      (problem) => this.#decide(problem),
      (error: unknown) => this.#turnAway(error),
    );
  }

  #decide(refused: Refused): void {
    if (refused === undefined) void this.#serve();
    else this.#turnAway(refused);
  }

  #turnAway(error: unknown): void {
    const { status, headers, body, length } = refuse(this.#exchange, this.#context.services, error);
    // An unread body would be parsed as the next request on this connection, so the connection is closed.
    if (announcesBody(this.#request)) headers['connection'] = 'close';
    this.#send(status, headers, body, length);
  }

  async #serve(): Promise<void> {
    const exchange = this.#exchange;
    const { services, witness } = this.#context;
    let body: unknown;
    try {
      refuseUndecodable(this.#request.url ?? '');
      body = announcesBody(this.#request) ? await this.#readBody() : undefined;
      if (wantsStream(exchange)) {
        await this.#stream();
        return;
      }
      const result = await execute(exchange, services, body, () => this.#leave());
      const headers = Object.assign(exchange.headers, result.headers);
      if (headers['content-type'] === undefined) {
        if (exchange.endpoint !== undefined) witness?.(exchange.endpoint, result.status, result.body);
        if (result.body !== null) headers['content-type'] = JSON_FORMAT;
      }
      this.#send(result.status, headers, result.body, result.length);
    } catch (error) {
      const completed = await completeRefusal(error, exchange, services, body);
      const { status, headers, body: text } = refuse(exchange, services, completed);
      if (!this.#request.complete) headers['connection'] = 'close';
      this.#send(status, headers, text);
    }
  }

  /** Returns a `Departure` that is set when the client disconnects. */
  #leave(): Departure {
    const departure = new Departure();
    // The request is fully read. Draining it now saves that work later, when many waiting calls wake up at once.
    this.#request.resume();
    this.#response.on('close', () => departure.leave());
    return departure;
  }

  async #stream(): Promise<void> {
    const exchange = this.#exchange;
    const { services, observer, closing, streamTimes } = this.#context;
    const departure = this.#leave();
    const stream = await openStream(exchange, services, departure);
    try {
      if (this.#request.socket.destroyed) {
        observer.abandoned(exchange);
        return;
      }
      const headers = { ...exchange.headers, ...streamHeaders, ...(closing ? { connection: 'close' } : {}) };
      this.#response.writeHead(200, headers);
      observer.answered(exchange, 200, performance.now() - this.#began);
      await sendStream(this.#response, stream.items, departure, streamTimes);
    } catch (error) {
      // The status line is already sent, so the error can only be logged.
      services.log.error({ request_id: exchange.requestId, err: error }, 'event stream failed');
    } finally {
      await stream
        .close()
        .catch((error: unknown) =>
          services.log.warn({ err: error }, 'slot of an event stream could not be released'),
        );
    }
  }

  #readBody(): Promise<unknown> {
    const { endpoint } = this.#exchange;
    const { services, bodyMilliseconds } = this.#context;
    if (endpoint?.body === undefined) {
      throw new Problem('malformed_request', { detail: 'This call takes no body; use query parameters.' });
    }
    return readBody(this.#request, {
      bytes: endpoint.bodyLimitBytes ?? services.provider.server.body_limit_bytes,
      milliseconds: bodyMilliseconds,
    });
  }

  #send(
    status: number,
    headers: Record<string, string>,
    body: string | null,
    length: number = body === null ? 0 : Buffer.byteLength(body),
  ): void {
    const { observer, outbox, closing } = this.#context;
    if (this.#request.socket.destroyed) {
      observer.abandoned(this.#exchange);
      return;
    }
    if (closing) headers['connection'] = 'close';
    if (body !== null) headers['content-length'] = String(length);
    outbox.post(this.#response.writeHead(status, headers), body, length === body?.length);
    observer.answered(this.#exchange, status, performance.now() - this.#began);
  }
}
