/** A client of consoles: opens the websocket of a session, collects the output, and reports refusals. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { CONSOLE_PROTOCOL, TOKEN_PREFIX } from '../kernel/console-protocol.ts';

/** The members of the answer of `createVmConsoleSession` that a client needs. */
export interface Session {
  readonly url: string;
  readonly token: string;
}

export function dialConsole({ url, token }: Session, port: number): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${new URL(url).pathname}`, [
    CONSOLE_PROTOCOL,
    `${TOKEN_PREFIX}${token}`,
  ]);
  socket.on('error', () => undefined);
  return socket;
}

/** The answer to an upgrade that is refused. */
export async function refusalOf(socket: WebSocket): Promise<{ status: number | undefined; body: string }> {
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  let body = '';
  for await (const part of response) body += String(part);
  return { status: response.statusCode, body };
}
