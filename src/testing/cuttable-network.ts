/**
 * A TCP proxy in front of PostgreSQL that can swallow all packets, as a firewall or a broken switch does: connections
 * stay open and nothing arrives any more, in both directions or only on the way back.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestDatabase } from './database.ts';
import type { ServerAddress } from './postgres.ts';

export interface CuttableNetwork {
  /** The database, reached through the proxy. */
  readonly connection: TestDatabase['connection'];
  readonly openConnections: number;
  /** From now on nothing arrives. `answers`: requests still reach PostgreSQL, its answers get lost. */
  cut(what?: 'all' | 'answers'): void;
  /** Cuts as soon as a connection sends this text, which PostgreSQL receives only if just the answers are cut. */
  cutAt(text: string, what?: 'all' | 'answers'): Promise<void>;
  /** What was sent meanwhile arrives now, as with TCP, unless the connection was closed. */
  mend(): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

const dial = ({ host, port }: ServerAddress): Socket =>
  host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);

export async function openCuttableNetwork(to: TestDatabase['connection']): Promise<CuttableNetwork> {
  const pairs = new Set<Pair>();
  let isCut: 'all' | 'answers' | null = null;
  let trap: { readonly text: string; readonly spring: () => void } | null = null;

  const apply = ({ client, server }: Pair): void => {
    if (isCut === 'all') client.pause();
    else client.resume();
    if (isCut === null) server.resume();
    else server.pause();
  };
  const proxy = createServer((client) => {
    const server = dial(to);
    const pair = { client, server };
    pairs.add(pair);
    client.on('data', (data: Buffer) => {
      if (trap !== null && data.includes(trap.text)) {
        trap.spring();
        // With `all` the text itself gets lost too; it arrives when the network is mended.
        if (isCut === 'all') {
          client.unshift(data);
          return;
        }
      }
      server.write(data);
    });
    server.on('data', (data) => client.write(data));
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    apply(pair);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');

  const set = (what: typeof isCut): void => {
    isCut = what;
    for (const pair of pairs) apply(pair);
  };
  return {
    connection: { ...to, host: '127.0.0.1', port: (proxy.address() as AddressInfo).port },
    get openConnections() {
      return pairs.size;
    },
    cut: (what = 'all') => set(what),
    cutAt: (text, what = 'all') =>
      new Promise((resolve) => {
        trap = {
          text,
          spring() {
            trap = null;
            set(what);
            resolve();
          },
        };
      }),
    mend: () => set(null),
    async close() {
      for (const { client, server } of pairs) {
        client.destroy();
        server.destroy();
      }
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
