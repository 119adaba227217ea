import { startBenchProgram } from '../processes.ts';
import { fromManyAddresses } from '../requests.ts';
import { compare } from '../rounds.ts';
import { atLeast, type Row, type Stage } from './row.ts';

const LEAST = 0.8;
/** As in the product's default configuration. */
const POOL_SIZE = 10;

export async function measureReading({ load, product, fixture, plan }: Stage): Promise<Row[]> {
  const { connection, accountId, keyIds, keyQuery, caller } = fixture;
  const bare = await startBenchProgram('bare', {
    BENCH_BARE: JSON.stringify({ connection, accountId, keyQuery, poolSize: POOL_SIZE }),
  });
  try {
    await load.prepare(
      'reading',
      fromManyAddresses((i) => ({
        path: `/account/v1/api-keys/${keyIds[i % keyIds.length]}`,
        key: caller.key,
      })),
    );
    const result = await compare(load, [product, bare], plan, () => ({ set: 'reading', status: 200 }));
    return [atLeast('read a key ÷ bare Fastify with the same SELECT', LEAST, result)];
  } finally {
    await bare.stop();
  }
}
