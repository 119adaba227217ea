/** Forwards the HTTPS port of an engine to a test outside the engine's network namespace. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestDaemon } from './daemon.ts';

export interface Relay {
  /** `https://127.0.0.1:…` */
  readonly url: string;
  stop(): Promise<void>;
}

const PORT = 8443;
const PROGRAM = `
const net = require('node:net');
net.createServer((near) => {
  const far = net.connect(${PORT}, '127.0.0.1');
  near.pipe(far).pipe(near);
  near.on('error', () => far.destroy());
  far.on('error', () => near.destroy());
}).listen(process.argv[1], () => console.log('ready'));`;

export async function openHttps({ client, folder, namespace }: TestDaemon): Promise<Relay> {
  await client.run('PATCH', '/1.0', { body: { config: { 'core.https_address': `127.0.0.1:${PORT}` } } });
  const socket = join(folder, 'relay.socket');
  const inside = spawn('nsenter', [`--net=${namespace.path}`, process.execPath, '-e', PROGRAM, socket], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(inside.stdout, 'data');
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(socket);
    for (const [each, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(each);
      each.on('error', () => other.destroy()).on('close', () => open.delete(each));
    }
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const each of open) each.destroy();
      server.close();
      const ended = once(inside, 'exit');
      inside.kill();
      await ended;
    },
  };
}
