import { canonicalJson } from '../../src/kernel/audit/canonical-json.ts';
import { type Contender, startBenchProgram } from '../processes.ts';
import { fromManyAddresses } from '../requests.ts';
import { compare } from '../rounds.ts';
import { atLeast, type Row, type Stage } from './row.ts';

const LEAST = 0.8;
/** The pool size of the product's default configuration. */
export const POOL_SIZE = 10;

export async function checkSameBody(
  contenders: readonly Contender[],
  path: string,
  key: string,
): Promise<void> {
  const bodies = contenders.map(async ({ port }) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': key } });
    return canonicalJson(await answer.json());
  });
  const different = new Set(await Promise.all(bodies));
  if (different.size > 1) throw new Error(`The answers differ:\n${[...different].join('\n')}`);
}

export async function measureReading({ load, product, fixture, plan }: Stage): Promise<Row[]> {
  const { connection, accountId, keyIds, keyQuery, caller } = fixture;
  const bare = await startBenchProgram('bare', {
    BENCH_BARE: JSON.stringify({ connection, accountId, keyQuery, poolSize: POOL_SIZE }),
  });
  try {
    const pathOf = (i: number): string => `/account/v1/api-keys/${keyIds[i % keyIds.length]}`;
    await checkSameBody([product, bare], pathOf(0), caller.key);
    const requests = fromManyAddresses((i) => ({ path: pathOf(i), key: caller.key }));
    await load.prepare('reading', requests);
    const result = await compare(load, [product, bare], plan, () => ({ set: 'reading', status: 200 }));
    return [atLeast('read a key ÷ bare Fastify with the same SELECT', LEAST, result)];
  } finally {
    await bare.stop();
  }
}
