/**
 * Ignores upgrade offers that the server does not support (RFC 9110, 7.8). With an upgrade listener,
 * node:http emits every request with the header `Upgrade` as an upgrade, for instance that of an HTTP/1.1 client that
 * offers h2c. The request is fed back to the server without the offer, as the last request of its connection.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

const ofTheConnection = new Set(['connection', 'upgrade', 'http2-settings']);

function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (!ofTheConnection.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[i + 1]}`);
  }
  return [...lines, 'Connection: close', '', ''].join('\r\n');
}

export function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  socket.unshift(Buffer.concat([Buffer.from(headOf(request), 'latin1'), head]));
  server.emit(socket instanceof TLSSocket ? 'secureConnection' : 'connection', socket);
}
