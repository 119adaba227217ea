/** A real HTTPS server on loopback that records each request byte for byte and answers as the test sets it. */
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const fixtures = join(import.meta.dirname, 'fixtures');

/** The self-signed certificate of the receiver; clients that trust it accept the receiver. */
export const receiverCertificate = readFileSync(join(fixtures, 'localhost.crt'), 'utf8');
export const receiverKey = readFileSync(join(fixtures, 'localhost.key'), 'utf8');

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type Answering = (response: ServerResponse, received: Received) => void;

export interface Receiver {
  readonly port: number;
  /** Uses `localhost`, the host name in the certificate. */
  readonly url: string;
  readonly received: Received[];
  /** The number of connections so far, including connections without a request. */
  connections(): number;
  /** Sets the answer to all following requests. */
  answer(how: Answering): void;
  close(): Promise<void>;
}

export const withStatus =
  (status: number, headers: Record<string, string> = {}): Answering =>
  (response) =>
    void response.writeHead(status, headers).end();

/** Begins a header and sends a byte of it now and then, without an end. */
export const drippingHeaders: Answering = (response) => {
  response.socket?.write('HTTP/1.1 204 No Content\r\nX-Slow: ');
  const drops = setInterval(() => response.socket?.write('x'), 5);
  response.on('close', () => clearInterval(drops));
};

export async function createReceiver(host = '127.0.0.1', port = 0): Promise<Receiver> {
  const received: Received[] = [];
  let answering: Answering = withStatus(204);
  let connections = 0;
  const server = createServer({
    cert: receiverCertificate,
    key: receiverKey,
  });
  server.on('connection', () => {
    connections++;
  });
  server.on('request', (incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const one = { method, path: url, headers, body: Buffer.concat(parts) };
      received.push(one);
      answering(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    url: `https://localhost:${bound}/hook`,
    received,
    connections: () => connections,
    answer: (how) => {
      answering = how;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
