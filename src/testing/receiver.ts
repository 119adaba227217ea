/** A real HTTPS server on loopback that keeps every request it gets, byte for byte, and answers as it is told. */
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const fixtures = join(import.meta.dirname, 'fixtures');

/** What trusts it. */
export const receiverCertificate = readFileSync(join(fixtures, 'localhost.crt'), 'utf8');

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type Answering = (response: ServerResponse, received: Received) => void;

export interface Receiver {
  readonly port: number;
  /** Under the name its certificate is for. */
  readonly url: string;
  readonly received: Received[];
  /** How often somebody connected, whether or not a request followed. */
  connections(): number;
  /** From now on. */
  answer(how: Answering): void;
  close(): Promise<void>;
}

export const withStatus =
  (status: number, headers: Record<string, string> = {}): Answering =>
  (response) =>
    void response.writeHead(status, headers).end();

export async function createReceiver(host = '127.0.0.1', port = 0): Promise<Receiver> {
  const received: Received[] = [];
  let answering: Answering = withStatus(204);
  let connections = 0;
  const server = createServer({
    cert: receiverCertificate,
    key: readFileSync(join(fixtures, 'localhost.key')),
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
