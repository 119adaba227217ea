/** What the product's reading is held against: a handler written by hand, without keys, limits, log or metrics. */
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import pg from 'pg';
import { presentKey } from '../src/families/account/api-keys/schema.ts';
import { clientConfig } from '../src/store/database.ts';
import { selectKey } from './store.ts';

const { connection, poolSize, accountId, keyQuery } = JSON.parse(process.env['BENCH_BARE'] ?? '{}');
const pool = new pg.Pool({ ...clientConfig(connection), max: poolSize });

const app = Fastify({ keepAliveTimeout: 72_000 });
app.get<{ Params: { id: string } }>('/account/v1/api-keys/:id', async ({ params }, reply) => {
  const row = await selectKey(pool, keyQuery, [params.id, accountId]);
  return row === undefined ? reply.code(404).send() : presentKey(row);
});
await app.listen({ host: '127.0.0.1', port: 0 });
console.log(`listening on http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
process.on('SIGTERM', () => process.exit());
