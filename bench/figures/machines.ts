/** Figures of machines: reading one, and pages of small and large fleets and of their volumes. */
import type { Fleet } from '../fixture.ts';
import { type Contender, startBenchProgram } from '../processes.ts';
import { fromManyAddresses } from '../requests.ts';
import { compare, type Plan } from '../rounds.ts';
import { checkSameBody, POOL_SIZE } from './key-reads.ts';
import { comparePages, type PagePair } from './pages.ts';
import { atLeast, type Row, type Stage } from './row.ts';

const LEAST = 0.8;
const LEAST_OF_PAGE = 0.85;
const PAGE = 50;
/** A page of the large fleet that is much quicker would mean that the small one reads what is not its own. */
const LEAST_OF_LARGE = 0.8;

export async function measureMachine({ load, product, fixture, plan }: Stage): Promise<Row[]> {
  const [small] = fixture.fleets;
  if (small === undefined) throw new Error('There must be machines to read.');
  const { key } = small.key;
  const pagePath = `/flexible-vps/v1/vms?limit=${PAGE}`;
  const bare = await startBenchProgram('bare', {
    BENCH_BARE: JSON.stringify({
      connection: fixture.connection,
      accountId: small.accountId,
      keyQuery: fixture.keyQuery,
      vmQuery: fixture.vmQuery,
      vmPage: {
        statement: await fixture.captureVmPage(small.accountId, PAGE),
        limit: PAGE,
        cursor: await readCursor(product, pagePath, key),
      },
      poolSize: POOL_SIZE,
    }),
  });
  try {
    const pathOf = (i: number): string => `/flexible-vps/v1/vms/${small.idAt(i % small.machines)}`;
    const contend = async (set: string, path: (i: number) => string, pace = plan) => {
      await checkSameBody([product, bare], path(0), key);
      await load.prepare(
        set,
        fromManyAddresses((i) => ({ path: path(i), key })),
      );
      return compare(load, [product, bare], pace, () => ({ set, status: 200 }));
    };
    return [
      atLeast('read a machine ÷ bare Fastify with the same SELECT', LEAST, await contend('machine', pathOf)),
      atLeast(
        `page of ${PAGE} machines with addresses ÷ bare Fastify with the same SELECT`,
        LEAST_OF_PAGE,
        await contend('machines', () => pagePath, forPages(plan)),
      ),
    ];
  } finally {
    await bare.stop();
  }
}

/** A page takes as long as many machines: with the usual rounds, too few of them would end within one. */
const forPages = (plan: Plan): Plan => ({
  ...plan,
  rounds: Math.ceil(plan.rounds / 3),
  milliseconds: plan.milliseconds * 4,
  connections: 8,
});

/** The baseline does not sign cursors: it repeats the one that the product returned. */
async function readCursor({ port }: Contender, path: string, key: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': key } });
  return ((await answer.json()) as { next_cursor: string }).next_cursor;
}

/** Compares pages of machines and of volumes between a small and a large account. */
export async function measureFleets(stage: Stage): Promise<Row[]> {
  const [small, large] = stage.fixture.fleets;
  if (small === undefined || large === undefined) throw new Error('There must be two fleets to compare.');
  const compareLists = (
    what: 'machines' | 'volumes',
    path: string,
    status: string,
    cursorOf: (fleet: Fleet) => string,
  ): Promise<Row[]> => {
    const pair = (
      which: string,
      queryOf: (fleet: Fleet) => string,
      rest: { isDeepest?: true } = {},
    ): PagePair => ({
      which,
      small: { path: `${path}?limit=${PAGE}${queryOf(small)}`, key: small.key.key },
      large: { path: `${path}?limit=${PAGE}${queryOf(large)}`, key: large.key.key },
      ...rest,
    });
    return comparePages(stage, {
      what,
      unit: what,
      least: LEAST_OF_LARGE,
      sizes: [small.machines, large.machines],
      pairs: [
        pair('first page', () => ''),
        pair('with a label selector', () => '&label_selector=env%3Dprod'),
        pair('with a status', () => `&status=${status}`),
        pair('deepest page', (fleet) => `&cursor=${cursorOf(fleet)}`, { isDeepest: true }),
      ],
    });
  };
  return [
    ...(await compareLists('machines', '/flexible-vps/v1/vms', 'stopped', ({ deepest }) => deepest)),
    ...(await compareLists(
      'volumes',
      '/flexible-vps/v1/volumes',
      'attached',
      ({ deepestVolumes }) => deepestVolumes,
    )),
  ];
}
