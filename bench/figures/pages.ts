import { median } from '../median.ts';
import { addressAt, writeRequest } from '../requests.ts';
import type { Row, Stage } from './row.ts';

const MOST = 1.2;
const TURNS = 500;

/** One connection, request after request, the four pages taking turns. */
export async function measurePages({ load, product, fixture, plan }: Stage): Promise<Row[]> {
  const [small, large] = fixture.logs;
  if (small === undefined || large === undefined) throw new Error('There must be two audit logs to compare.');
  const first = '/account/v1/audit-log?limit=50';
  const kinds = [
    { path: first, log: small },
    { path: first, log: large },
    { path: `${first}&cursor=${small.deepest}`, log: small },
    { path: `${first}&cursor=${large.deepest}`, log: large },
  ];
  for (const { path, log } of kinds.slice(2))
    await checkDeepest(`http://127.0.0.1:${product.port}${path}`, log.key.key);
  const turns = Array.from({ length: TURNS }, (_, turn) =>
    kinds.map(({ path, log }) => writeRequest({ path, key: log.key.key, address: addressAt(turn) })),
  );
  await load.prepare('pages', turns.flat());
  const order = { port: product.port, set: 'pages', status: 200, connections: 1, kinds: kinds.length };
  await load.run({ ...order, milliseconds: plan.warmUpMilliseconds });
  const rounds: (readonly number[])[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    rounds.push((await load.run({ ...order, milliseconds: plan.milliseconds })).latencies);
  }
  return [
    toRow('first page', rounds, 0, large.entries, small.entries),
    toRow('deepest page', rounds, 2, large.entries, small.entries),
  ];
}

async function checkDeepest(url: string, key: string): Promise<void> {
  const answer = await fetch(url, { headers: { 'x-api-key': key } });
  const page = (await answer.json()) as { data?: unknown[]; next_cursor?: string | null };
  if (page.data?.length !== 50 || page.next_cursor !== null) {
    throw new Error(
      `The deepest page is not what it should be: ${answer.status} ${JSON.stringify(page).slice(0, 300)}`,
    );
  }
}

function toRow(
  which: string,
  rounds: readonly (readonly number[])[],
  at: number,
  many: number,
  few: number,
): Row {
  const of = (kind: number): number[] => rounds.map((latencies) => latencies[kind] ?? Number.NaN);
  const smalls = of(at);
  const ratios = of(at + 1).map((latency, i) => latency / (smalls[i] ?? Number.NaN));
  const ratio = median(ratios);
  const count = (entries: number): string => entries.toLocaleString('en');
  return {
    figure: `audit log, ${which} of 50: ${count(many)} entries ÷ ${count(few)}`,
    value: ratio.toFixed(2),
    target: `≤ ${MOST.toFixed(2)}`,
    met: ratio <= MOST,
    context: `rounds ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}; ${median(of(at + 1)).toFixed(2)} ms ÷ ${median(smalls).toFixed(2)} ms`,
  };
}
