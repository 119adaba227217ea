/**
 * Several API processes without workers, on one database and one Redis, behind an HTTP proxy as operators run them. The
 * proxy gives each request to the next process and appends the client's address to X-Forwarded-For.
 */
import { once } from 'node:events';
import { Agent, createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { urlOf } from './command-line.ts';
import type { TestDatabase } from './database.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './folder.ts';
import { type ServerProcess, startServerOrFail } from './server-process.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
  /** An address in 127.0.0.0/8, from which the request comes. */
  readonly from?: string;
  readonly signal?: AbortSignal;
}

export interface ApiProcesses {
  /** The address of the proxy. */
  readonly url: string;
  readonly servers: readonly ServerProcess[];
  /** Through the proxy. */
  ask(path: string, asked?: Asked): Promise<Answer>;
  close(): Promise<void>;
}

/** Clients come from other addresses of the loopback network, which are not trusted. */
const PROXY = '127.0.0.1';
const agent = new Agent({ keepAlive: true, maxSockets: 4096 });

export function ask(url: string, path: string, asked: Asked = {}): Promise<Answer> {
  const { method = asked.body === undefined ? 'GET' : 'POST', headers = {}, body, from, signal } = asked;
  return new Promise((resolve, reject) => {
    const options = {
      method,
      agent,
      ...(from === undefined ? {} : { localAddress: from }),
      ...(signal === undefined ? {} : { signal }),
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    };
    const sent = request(new URL(path, url), options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }),
      );
    });
    sent.on('error', reject).end(body && JSON.stringify(body));
  });
}

async function openProxy(targets: readonly string[]) {
  let turn = 0;
  const onward = new Agent({ keepAlive: true, maxSockets: 4096 });
  const server = createServer((incoming, outgoing) => {
    const target = targets[turn++ % targets.length] ?? '';
    const { method, url = '/', headers, socket } = incoming;
    const forwarded = [headers['x-forwarded-for'], socket.remoteAddress].filter(Boolean).join(', ');
    const sent = request(
      new URL(url, target),
      { method, agent: onward, headers: { ...headers, 'x-forwarded-for': forwarded } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    sent.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
    outgoing.on('close', () => sent.destroy());
    incoming.pipe(sent);
  });
  // Otherwise the proxy might close an idle connection in the moment in which a client uses it again.
  server.keepAliveTimeout = 600_000;
  server.listen(0, PROXY);
  await once(server, 'listening');
  return {
    url: `http://${PROXY}:${(server.address() as AddressInfo).port}`,
    close: async () => {
      onward.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export async function startApiProcesses(
  database: TestDatabase,
  { count, environment = {} }: { readonly count: number; readonly environment?: Record<string, string> },
): Promise<ApiProcesses> {
  const folder = await makeTemporaryFolder();
  const start = (_: unknown, number: number): Promise<ServerProcess> =>
    startServerOrFail(
      join(folder, `api-${number}`),
      {
        HOSTPLANE_DATABASE_URL: urlOf(database.connection),
        HOSTPLANE_SECRET_KEY: Buffer.alloc(32, 'for tests only').toString('base64'),
        HOSTPLANE_TRUSTED_PROXIES: PROXY,
        ...environment,
      },
      ['--no-worker'],
    );
  const servers = await Promise.all(Array.from({ length: count }, start));
  const proxy = await openProxy(servers.map(({ url }) => url));
  return {
    url: proxy.url,
    servers,
    ask: (path, asked) => ask(proxy.url, path, asked),
    async close() {
      await proxy.close();
      await Promise.all(servers.map((server) => server.end('SIGKILL')));
      await removeTemporaryFolder(folder);
    },
  };
}
