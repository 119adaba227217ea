/** The worker as shipped, with one additional kind of operation. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { loadProvider } from '../src/provider/load.ts';
import { openServices } from '../src/services.ts';
import { benchRegistry } from './empty-kind.ts';

const loaded = loadProvider({
  env: {},
  defaultText: readFileSync(process.env['BENCH_PROVIDER'] ?? '', 'utf8'),
});
if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
const running = await openServices({
  provider: loaded.config,
  registry: benchRegistry(),
  connection: {
    ...JSON.parse(process.env['BENCH_CONNECTION'] ?? '{}'),
    maxConnections: loaded.config.database.pool_size,
  },
  log: pino({ level: 'silent' }),
  baseUrl: 'http://127.0.0.1',
  secretKey: Buffer.alloc(32, 'for the bench'),
  works: true,
});
// The server receives no requests: the bench waits for each program to print where it listens.
const server = createServer().listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', async () => {
  server.close();
  await running.close();
});
