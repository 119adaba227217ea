/**
 * Stands in for a connection pooler in transaction mode, such as PgBouncer: LISTEN is accepted, but its notifications do
 * not reach the client, and the settings that the client sends when it connects are ignored.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { TestDatabase } from './database.ts';

const IGNORED = new Set(['statement_timeout', 'idle_in_transaction_session_timeout']);
const NOTIFICATION = 'A'.charCodeAt(0);

/** The first packet: length, version, then names and values, each ended by a zero byte. */
function withoutSettings(startup: Buffer): Buffer {
  const words = startup.subarray(8, -2).toString().split('\0');
  const kept = words.filter((_, i) => !IGNORED.has(words[i - (i % 2)] ?? ''));
  const body = Buffer.from(`${kept.join('\0')}\0\0`);
  const packet = Buffer.concat([startup.subarray(0, 8), body]);
  packet.writeInt32BE(packet.length, 0);
  return packet;
}

/** Returns the complete messages without notifications, and the rest, which is not complete yet. */
function withoutNotifications(data: Buffer): { messages: Buffer; rest: Buffer } {
  const kept: Buffer[] = [];
  let at = 0;
  while (data.length - at >= 5) {
    const end = at + 1 + data.readInt32BE(at + 1);
    if (end > data.length) break;
    if (data[at] !== NOTIFICATION) kept.push(data.subarray(at, end));
    at = end;
  }
  return { messages: Buffer.concat(kept), rest: data.subarray(at) };
}

export async function openPooler(to: TestDatabase['connection']) {
  const pooler = createServer((client) => {
    const server = connect(`${to.host}/.s.PGSQL.${to.port}`);
    client.once('data', (startup) => {
      server.write(withoutSettings(startup));
      client.on('data', (data) => server.write(data));
    });
    let rest: Buffer = Buffer.alloc(0);
    server.on('data', (data) => {
      const { messages, rest: left } = withoutNotifications(Buffer.concat([rest, data]));
      rest = left;
      client.write(messages);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  pooler.listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  const { port } = pooler.address() as AddressInfo;
  return {
    connection: { ...to, host: '127.0.0.1', port },
    async close(): Promise<void> {
      pooler.close();
      await once(pooler, 'close');
    },
  };
}
