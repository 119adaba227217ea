/**
 * Accepts machines for one account with many callers at once, without a worker. With the bundle of an earlier version
 * (`--before`), both versions take turns, each on its own database.
 */
import { dirname, join } from 'node:path';
import { median, percentile } from '../median.ts';
import { startProduct } from '../processes.ts';
import { bodyOf, CALLERS, type Client, clientOf, writeProvider } from './creation.ts';
import type { Row } from './row.ts';

const ROUND = 60;

interface Round {
  readonly perSecond: number;
  readonly p50: number;
}

async function runRound(client: Client, from: number): Promise<Round> {
  const latencies: number[] = [];
  let next = from;
  const began = performance.now();
  const callers = Array.from({ length: CALLERS }, async () => {
    while (next < from + ROUND) latencies.push(await client.post('/flexible-vps/v1/vms', bodyOf(next++)));
  });
  await Promise.all(callers);
  return { perSecond: (ROUND / (performance.now() - began)) * 1000, p50: percentile(latencies, 0.5) };
}

const medianOf = (rounds: readonly Round[], member: keyof Round): number =>
  median(rounds.map((round) => round[member]));

export async function measureAccepting(
  bundles: { readonly now: string; readonly before: string | undefined },
  root: string,
  newFolder: () => Promise<string>,
  rounds: number,
): Promise<Row[]> {
  const open = async (bundle: string, home: string) => {
    const folder = await newFolder();
    const env = { HOSTPLANE_DATA: join(folder, 'data'), HOSTPLANE_CONFIG: await writeProvider(home, folder) };
    const product = await startProduct(bundle, env, ['--no-worker']);
    return { product, client: clientOf(product), rounds: [] as Round[] };
  };
  const sides = [await open(bundles.now, root)];
  try {
    // An earlier version does not know every section of today's provider file, so it gets its own.
    if (bundles.before !== undefined)
      sides.push(await open(bundles.before, join(dirname(bundles.before), '..')));
    for (let round = 0; round <= rounds; round++) {
      for (const { client, rounds: kept } of sides) {
        const measured = await runRound(client, round * ROUND);
        // The first round warms up.
        if (round > 0) kept.push(measured);
      }
    }
  } finally {
    for (const { product } of sides) await product.stop();
  }
  const [now, before] = sides.map(({ rounds: kept }) => ({
    perSecond: medianOf(kept, 'perSecond'),
    p50: medianOf(kept, 'p50'),
  }));
  if (now === undefined) return [];
  const context = `${now.perSecond.toFixed(0)}/s, p50 ${now.p50.toFixed(0)} ms; ${CALLERS} callers of one account, ${rounds} rounds of ${ROUND}`;
  if (before === undefined)
    return [
      {
        figure: 'accepting a create',
        value: `${now.perSecond.toFixed(0)}/s`,
        target: 'reported',
        met: true,
        context,
      },
    ];
  const then = `${context}; before: ${before.perSecond.toFixed(0)}/s, p50 ${before.p50.toFixed(0)} ms`;
  const faster = now.perSecond / before.perSecond;
  const shorter = now.p50 / before.p50;
  return [
    {
      figure: 'accepting a create, per second ÷ before',
      value: faster.toFixed(2),
      target: '≥ 2.50',
      met: faster >= 2.5,
      context: then,
    },
    {
      figure: 'accepting a create, p50 ÷ before',
      value: shorter.toFixed(2),
      target: '≤ 0.40',
      met: shorter <= 0.4,
      context: then,
    },
  ];
}
