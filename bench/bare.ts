/** Baseline for reads: a hand-written Fastify handler without keys, limits, log or metrics. */
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import pg from 'pg';
import { presentKey } from '../src/families/account/api-keys/schema.ts';
import { presentVm } from '../src/families/flexible-vps/vm-reading/present.ts';
import { wholeOf } from '../src/families/flexible-vps/vm-reading/store.ts';
import { families } from '../src/families/index.ts';
import type { Services } from '../src/kernel/services.ts';
import { tariffOf } from '../src/money/prices/tariff.ts';
import { readDefaultText } from '../src/provider/default.ts';
import { loadProvider } from '../src/provider/load.ts';
import { clientConfig } from '../src/store/database.ts';
import { selectKey, selectVm, selectVms } from './store.ts';

const { connection, poolSize, accountId, keyQuery, vmQuery, vmPage } = JSON.parse(
  process.env['BENCH_BARE'] ?? '{}',
);
const pool = new pg.Pool({ ...clientConfig(connection), max: poolSize });

const loaded = loadProvider({ env: {}, defaultText: readDefaultText() });
if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
const tariff = tariffOf(loaded.config.catalogue, families);
/** Only the services that presenting a machine needs. */
const services = { provider: loaded.config, tariff, baseUrl: '' } as Services;

const app = Fastify({ keepAliveTimeout: 72_000 });
app.get<{ Params: { id: string } }>('/account/v1/api-keys/:id', async ({ params }, reply) => {
  const row = await selectKey(pool, keyQuery, [params.id, accountId]);
  return row === undefined ? reply.code(404).send() : presentKey(row);
});
app.get<{ Params: { id: string } }>('/flexible-vps/v1/vms/:id', async ({ params }, reply) => {
  const row = await selectVm(pool, vmQuery, [params.id, accountId]);
  if (row === undefined) return reply.code(404).send();
  const { vm, parts } = wholeOf(row);
  return presentVm(services, vm, parts, new Date());
});
app.get('/flexible-vps/v1/vms', async () => {
  const now = new Date();
  const rows = await selectVms(pool, vmPage.statement);
  const data = rows.slice(0, vmPage.limit).map((row) => {
    const { vm, parts } = wholeOf(row);
    return presentVm(services, vm, parts, now);
  });
  return { data, next_cursor: rows.length > vmPage.limit ? vmPage.cursor : null };
});
await app.listen({ host: '127.0.0.1', port: 0 });
console.log(`listening on http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
process.on('SIGTERM', () => process.exit());
