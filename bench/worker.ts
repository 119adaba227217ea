/**
 * The worker as shipped, with one additional kind of operation. With BENCH_CLAIM, only its runner, and either with its
 * own claim (`fair`) or with the one that it had before slots were shared (`first-come`).
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { loadConfiguration } from '../src/configuration.ts';
import { WORK_CHANNEL } from '../src/kernel/operations/store.ts';
import { REAL } from '../src/operations/environment.ts';
import { Runner } from '../src/operations/runner.ts';
import { DatabaseRunnerStore } from '../src/operations/store.ts';
import { openServices } from '../src/services.ts';
import { Listener } from '../src/store/listener.ts';
import { benchRegistry } from './empty-kind.ts';
import { FirstComeStore } from './first-come/store.ts';

const FORMER_SLOTS = 32;

const loaded = loadConfiguration({
  env: {},
  defaultText: readFileSync(process.env['BENCH_PROVIDER'] ?? '', 'utf8'),
});
if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
const connection = {
  ...JSON.parse(process.env['BENCH_CONNECTION'] ?? '{}'),
  maxConnections: loaded.config.database.pool_size,
};
const claim = process.env['BENCH_CLAIM'];
const running = await openServices({
  provider: loaded.config,
  registry: benchRegistry(),
  connection,
  log: pino({ level: 'silent' }),
  baseUrl: 'http://127.0.0.1',
  secretKey: Buffer.alloc(32, 'for the bench'),
  works: claim === undefined,
});

function startRunner(isFair: boolean): () => Promise<void> {
  const { db, registry, log } = running.services;
  const store = isFair ? new DatabaseRunnerStore(db, registry, REAL) : new FirstComeStore(db, registry);
  const runner = new Runner(
    {
      store,
      environment: REAL,
      db,
      log,
      services: running.services,
      kindOf: (type) => registry.kinds.get(type),
    },
    isFair ? {} : { slots: { own: FORMER_SLOTS, foreign: 0, undo: 0 } },
  );
  const listener = new Listener(connection);
  listener.subscribe(WORK_CHANNEL, runner);
  void listener.start().then(() => runner.start());
  return async () => {
    await runner.close();
    await listener.close();
  };
}
const stopRunner = claim === undefined ? undefined : startRunner(claim === 'fair');
// The server receives no requests: the bench waits for each program to print where it listens.
const server = createServer().listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', async () => {
  server.close();
  await stopRunner?.();
  await running.close();
});
