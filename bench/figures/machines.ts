/** Figures of machines: reading one, and pages of small and large fleets. */
import { startBenchProgram } from '../processes.ts';
import { fromManyAddresses } from '../requests.ts';
import { compare } from '../rounds.ts';
import { checkSameBody, POOL_SIZE } from './key-reads.ts';
import { comparePages, type PagePair } from './pages.ts';
import { atLeast, type Row, type Stage } from './row.ts';

const LEAST = 0.8;

export async function measureMachine({ load, product, fixture, plan }: Stage): Promise<Row[]> {
  const [small] = fixture.fleets;
  if (small === undefined) throw new Error('There must be machines to read.');
  const bare = await startBenchProgram('bare', {
    BENCH_BARE: JSON.stringify({
      connection: fixture.connection,
      accountId: small.accountId,
      keyQuery: fixture.keyQuery,
      vmQuery: fixture.vmQuery,
      poolSize: POOL_SIZE,
    }),
  });
  try {
    const pathOf = (i: number): string => `/flexible-vps/v1/vms/${small.idAt(i % small.machines)}`;
    await checkSameBody([product, bare], pathOf(0), small.key.key);
    const requests = fromManyAddresses((i) => ({ path: pathOf(i), key: small.key.key }));
    await load.prepare('machine', requests);
    const result = await compare(load, [product, bare], plan, () => ({ set: 'machine', status: 200 }));
    return [atLeast('read a machine ÷ bare Fastify with the same SELECT', LEAST, result)];
  } finally {
    await bare.stop();
  }
}

export async function measureFleets(stage: Stage): Promise<Row[]> {
  const [small, large] = stage.fixture.fleets;
  if (small === undefined || large === undefined) throw new Error('There must be two fleets to compare.');
  const pair = (which: string, query: string): PagePair => ({
    which,
    small: { path: `/flexible-vps/v1/vms?limit=50${query}`, key: small.key.key },
    large: { path: `/flexible-vps/v1/vms?limit=50${query}`, key: large.key.key },
  });
  const deepest = ({ key, deepest: cursor }: typeof small) => ({
    path: `/flexible-vps/v1/vms?limit=50&cursor=${cursor}`,
    key: key.key,
  });
  return comparePages(stage, {
    what: 'machines',
    unit: 'machines',
    sizes: [small.machines, large.machines],
    pairs: [
      pair('first page', ''),
      pair('with a label selector', '&label_selector=env%3Dprod'),
      pair('with a status', '&status=stopped'),
      { which: 'deepest page', small: deepest(small), large: deepest(large), isDeepest: true },
    ],
  });
}
