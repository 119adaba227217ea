/** A TCP relay in front of a server, which passes answers on at once, later, or never. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SlowRelay {
  readonly port: number;
  /** From now on, each answer is passed on after this time. Infinity: it accepts everything, and never answers. */
  delay(milliseconds: number): void;
  close(): Promise<void>;
}

export async function openSlowRelay(target: number): Promise<SlowRelay> {
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let delayMs = 0;
  const pass = (client: Socket, data: Buffer): void => {
    if (!client.destroyed) client.write(data);
  };
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    client.on('data', (data) => upstream.write(data));
    upstream.on('data', (data: Buffer) => {
      if (delayMs === 0) return pass(client, data);
      if (!Number.isFinite(delayMs)) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        pass(client, data);
      }, delayMs);
      timers.add(timer);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    delay(milliseconds) {
      delayMs = milliseconds;
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
