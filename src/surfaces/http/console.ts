/**
 * Consoles over WebSockets. The client sends the token as a subprotocol: browsers can send one, and proxies do not
 * log it. The token is checked before the upgrade, so a refusal is an ordinary HTTP answer.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { CONSOLE_PATH, CONSOLE_PROTOCOL, TOKEN_PREFIX } from '../../kernel/console-protocol.ts';
import type { ConsoleLine, ConsoleSession } from '../../kernel/consoles.ts';
import type { Stage } from '../../kernel/exchange.ts';
import { problems } from '../../kernel/problems/catalogue.ts';
import { Problem } from '../../kernel/problems/problem.ts';
import { Departure } from '../../kernel/waiting/client-gone.ts';
import { runStages } from '../../pipeline/admission.ts';
import { BearerRight } from '../../pipeline/bearer-right.ts';
import { clientAddressStage } from '../../pipeline/client-address.ts';
import { rateLimit } from '../../pipeline/rate-limit.ts';
import { requestId } from '../../pipeline/request-id.ts';
import type { ServerContext } from './api-request.ts';
import { exchangeOf } from './exchange.ts';
import { hasTooManyHeaders, tooManyHeaders } from './header-limit.ts';
import { refuse } from './refusal.ts';
import { endOfPath, originForm } from './request-target.ts';
import { answerSocket } from './socket-answer.ts';

const MOST_BYTES = 64 * 1024;
const BACKLOG_BYTES = 1024 * 1024;
const FAREWELL_MS = 2_000;

/** WebSocket close codes (RFC 6455, 7.4.1). */
const ENDED = 1000;
const GOING_AWAY = 1001;
const FORBIDDEN = 1008;
const BROKEN = 1011;

const STOPPING = 'The server is shutting down.';
const GONE = 'The machine is gone.';

/** The same for every token that opens nothing: unknown, used, expired, foreign, or of a key that lost its right. */
const notThere = (): Problem =>
  new Problem('not_found', {
    detail: `There is no such console, its token was used or is no longer valid, or it was not sent as the subprotocols ${CONSOLE_PROTOCOL} and ${TOKEN_PREFIX}<token>.`,
  });

const admission: readonly Stage[] = [requestId, clientAddressStage, rateLimit];

const pathOf = (request: IncomingMessage): string => {
  const url = originForm(request.url ?? '/');
  return url.slice(0, endOfPath(url));
};

export const wantsConsole = (request: IncomingMessage): boolean =>
  request.method === 'GET' &&
  request.headers.upgrade?.toLowerCase() === 'websocket' &&
  pathOf(request).startsWith(CONSOLE_PATH);

function tokenOf({ headers }: IncomingMessage): string | null {
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim());
  const token = protocols.find((each) => each.startsWith(TOKEN_PREFIX))?.slice(TOKEN_PREFIX.length);
  return protocols.includes(CONSOLE_PROTOCOL) && token !== undefined && token !== '' ? token : null;
}

export class Consoles {
  readonly #context: ServerContext;
  readonly #beatMilliseconds: number;
  readonly #open = new Set<WebSocket>();
  /** Console lines that are not hung up yet. */
  readonly #lines = new Set<Promise<void>>();
  readonly #upgrader = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MOST_BYTES,
    perMessageDeflate: false,
    handleProtocols: () => CONSOLE_PROTOCOL,
  });

  constructor(context: ServerContext, beatMilliseconds = 30_000) {
    this.#context = context;
    this.#beatMilliseconds = beatMilliseconds;
  }

  async receive(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { services, observer } = this.#context;
    const began = performance.now();
    const path = pathOf(request);
    const exchange = exchangeOf(request, path, path);
    // A client may disconnect while the engine opens the console; that is not an error.
    socket.on('error', () => undefined);
    try {
      const refused = await runStages(admission, exchange, services);
      if (refused !== undefined) throw refused;
      if (hasTooManyHeaders(request)) throw tooManyHeaders();
      const session = await this.#sessionOf(path.slice(CONSOLE_PATH.length), tokenOf(request));
      const right = new BearerRight(exchange, services, session);
      if ((await right.check()) !== undefined) throw notThere();
      exchange.caller = right.caller;
      const line = await session.open();
      if (line === null) throw notThere();
      this.#hangUpWith(socket, line);
      if (socket.destroyed) return;
      this.#upgrader.handleUpgrade(request, socket, head, (websocket) => {
        this.#carry(websocket, line);
        void this.#endWithRight(websocket, line, right);
      });
      observer.answered(exchange, 101, performance.now() - began);
    } catch (error) {
      const { status, headers, body } = refuse(exchange, services, error);
      answerSocket(socket, status, headers, body);
      observer.answered(exchange, status, performance.now() - began);
    }
  }

  async #sessionOf(sessionId: string, token: string | null): Promise<ConsoleSession> {
    const { services, closing } = this.#context;
    if (closing) throw new Problem('engine_unavailable', { retryAfterSeconds: 1 });
    for (const family of token === null ? [] : services.registry.families) {
      const session = await family.findConsole?.(services, sessionId, token ?? '');
      if (session != null) return session;
    }
    throw notThere();
  }

  /** Closes the console when its key loses the right to it, or when its machine is being deleted. */
  async #endWithRight(
    websocket: WebSocket,
    { stream, keep }: ConsoleLine,
    right: BearerRight,
  ): Promise<void> {
    const departure = new Departure();
    websocket.once('close', () => departure.leave());
    try {
      const refused = await right.untilLost(departure, keep);
      const { isClosed } = this.#context.services.waiters;
      if (refused !== undefined)
        this.#dismiss(websocket, FORBIDDEN, `${refused.code}: ${problems[refused.code].title}.`);
      else if (!departure.hasLeft) this.#dismiss(websocket, GOING_AWAY, isClosed ? STOPPING : GONE);
    } catch (error) {
      this.#context.services.log.error({ err: error }, 'right to a console could not be checked');
      this.#dismiss(websocket, BROKEN, 'The right to this console could not be checked.');
    } finally {
      // The client may go on sending until it has read that the websocket is closed.
      stream.destroy();
    }
  }

  /** Hangs the line up, and removes its session, when the socket is closed. */
  #hangUpWith(socket: Duplex, line: ConsoleLine): void {
    const closed = socket.closed
      ? Promise.resolve()
      : new Promise<void>((resolve) => socket.once('close', resolve));
    const hungUp = closed
      .then(() => {
        line.stream.destroy();
        return line.close();
      })
      .catch((error: unknown) =>
        this.#context.services.log.warn({ err: error }, 'console session could not be closed'),
      )
      .finally(() => this.#lines.delete(hungUp));
    this.#lines.add(hungUp);
  }

  #carry(websocket: WebSocket, { stream, keep }: ConsoleLine): void {
    this.#open.add(websocket);
    let isAlive = true;
    const beat = setInterval(() => {
      if (!isAlive) return websocket.terminate();
      isAlive = false;
      websocket.ping();
      keep().then(
        (isKept) => isKept || websocket.close(GOING_AWAY, GONE),
        // The console stays open if the database does not answer.
        () => undefined,
      );
    }, this.#beatMilliseconds);
    websocket.on('pong', () => {
      isAlive = true;
    });
    websocket.on('message', (said: Buffer) => {
      if (stream.destroyed || stream.writableEnded || stream.write(said)) return;
      websocket.pause();
      stream.once('drain', () => websocket.resume());
    });
    websocket.on('error', () => websocket.terminate());
    websocket.on('close', () => {
      clearInterval(beat);
      this.#open.delete(websocket);
      stream.end();
    });
    stream.on('data', (said: Buffer) => {
      websocket.send(said, { binary: true }, () => {
        if (websocket.bufferedAmount < BACKLOG_BYTES) stream.resume();
      });
      if (websocket.bufferedAmount >= BACKLOG_BYTES) stream.pause();
    });
    stream.once('end', () => websocket.close(ENDED));
    stream.once('error', () => websocket.close(BROKEN, 'The connection to the console was lost.'));
    stream.once('close', () => websocket.close(ENDED));
  }

  close(): void {
    for (const websocket of this.#open) this.#dismiss(websocket, GOING_AWAY, STOPPING);
  }

  /** Resolves when the sessions of all closed consoles are removed. The database must be open until then. */
  async removed(): Promise<void> {
    await Promise.all(this.#lines);
  }

  /** Closes the websocket, also if its client does not answer. */
  #dismiss(websocket: WebSocket, code: number, reason: string): void {
    websocket.close(code, reason);
    setTimeout(() => websocket.terminate(), FAREWELL_MS).unref();
  }
}
