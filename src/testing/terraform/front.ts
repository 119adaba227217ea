/** Stands in front of a server, as a load balancer does: counts requests, and answers some with 429. */
import { createServer, type IncomingMessage, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  readonly method: string;
  readonly path: string;
  /** The body of the request. */
  readonly sent: string;
  readonly status: number;
  readonly answer: string;
}

export class Front {
  readonly #server: Server;
  readonly seen: Seen[] = [];
  /** How many of the next requests are answered with 429. */
  refusals = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Addresses of `baseUrl` in answers are replaced by the address of this front. */
  static async open(port: number, baseUrl: string): Promise<Front> {
    const server = createServer();
    const front = new Front(server);
    const note = (
      { method = '', url = '' }: IncomingMessage,
      seen: Pick<Seen, 'sent' | 'status' | 'answer'>,
    ): void => void front.seen.push({ method, path: url, ...seen });
    server.on('request', (request: IncomingMessage, response) => {
      if (front.refusals > 0) {
        front.refusals--;
        note(request, { sent: '', status: 429, answer: '' });
        response.writeHead(429, { 'retry-after': '1' }).end();
        return;
      }
      const { method, url, headers } = request;
      const sent: Buffer[] = [];
      request.on('data', (part: Buffer) => sent.push(part));
      const inner = send({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () => {
          const body = Buffer.concat(parts).toString();
          note(request, {
            sent: Buffer.concat(sent).toString(),
            status: answer.statusCode ?? 0,
            answer: body,
          });
          const here = (text: string): string => text.replaceAll(baseUrl, front.url);
          const shown = Object.entries(answer.headers)
            .filter(([name]) => name !== 'content-length')
            .map(([name, value]) => [name, typeof value === 'string' ? here(value) : value]);
          response.writeHead(answer.statusCode ?? 502, Object.fromEntries(shown)).end(here(body));
        });
      });
      inner.on('error', () => response.destroy());
      request.pipe(inner);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return front;
  }

  /** The requests since the last call of this. */
  taken(): Seen[] {
    return this.seen.splice(0);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
