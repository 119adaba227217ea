/** A fixed address whose server can go away and come back, as in a restart. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay {
  readonly port: number;
  /** Where new connections lead; null: they are closed at once. */
  lead(port: number | null): void;
  /** The server goes away, with all its connections. */
  cut(): void;
  connections(): number;
  close(): void;
}

export async function openRelay(): Promise<Relay> {
  let target: number | null = null;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('close', () => sockets.delete(client));
    if (target === null) {
      client.destroy();
      return;
    }
    const upstream = connect(target, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const lead = (port: number | null): void => {
    target = port;
  };
  const cut = (): void => {
    lead(null);
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    lead,
    cut,
    connections: () => sockets.size,
    close() {
      cut();
      server.close();
    },
  };
}
