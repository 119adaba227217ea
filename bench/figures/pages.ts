import { median } from '../median.ts';
import { addressAt, writeRequest } from '../requests.ts';
import { ratiosOf } from '../rounds.ts';
import type { Row, Stage } from './row.ts';

const MOST = 1.2;
const TURNS = 500;

/** The same page of two lists, one of which is much longer. */
export interface PagePair {
  readonly which: string;
  readonly small: { readonly path: string; readonly key: string };
  readonly large: { readonly path: string; readonly key: string };
  /** The page must be the last one. */
  readonly isDeepest?: true;
}

interface Lists {
  readonly what: string;
  readonly unit: string;
  /** The least ratio; default: none. */
  readonly least?: number;
  readonly sizes: readonly [small: number, large: number];
  readonly pairs: readonly PagePair[];
}

/** Uses one connection, one request at a time, with alternating pages. */
export async function comparePages({ load, product, plan }: Stage, lists: Lists): Promise<Row[]> {
  const kinds = lists.pairs.flatMap(({ small, large }) => [small, large]);
  for (const { small, large, isDeepest } of lists.pairs) {
    for (const { path, key } of [small, large])
      await checkPage(`http://127.0.0.1:${product.port}${path}`, key, isDeepest === true);
  }
  const turns = Array.from({ length: TURNS }, (_, turn) =>
    kinds.map(({ path, key }) => writeRequest({ path, key, address: addressAt(turn) })),
  );
  await load.prepare(lists.what, turns.flat());
  const order = { port: product.port, set: lists.what, status: 200, connections: 1, kinds: kinds.length };
  await load.run({ ...order, milliseconds: plan.warmUpMilliseconds });
  const rounds: (readonly number[])[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    rounds.push((await load.run({ ...order, milliseconds: plan.milliseconds })).latencies);
  }
  return lists.pairs.map(({ which }, i) => toRow(lists, which, rounds, i * 2));
}

/** Compares the audit logs of two accounts. */
export async function measurePages(stage: Stage): Promise<Row[]> {
  const [small, large] = stage.fixture.logs;
  if (small === undefined || large === undefined) throw new Error('There must be two audit logs to compare.');
  const first = '/account/v1/audit-log?limit=50';
  const at = (path: string, { key }: typeof small) => ({ path, key: key.key });
  return comparePages(stage, {
    what: 'audit log',
    unit: 'entries',
    sizes: [small.entries, large.entries],
    pairs: [
      { which: 'first page', small: at(first, small), large: at(first, large) },
      {
        which: 'deepest page',
        small: at(`${first}&cursor=${small.deepest}`, small),
        large: at(`${first}&cursor=${large.deepest}`, large),
        isDeepest: true,
      },
    ],
  });
}

async function checkPage(url: string, key: string, isDeepest: boolean): Promise<void> {
  const answer = await fetch(url, { headers: { 'x-api-key': key } });
  const page = (await answer.json()) as { data?: unknown[]; next_cursor?: string | null };
  if (page.data?.length !== 50 || (page.next_cursor === null) !== isDeepest) {
    throw new Error(
      `The page is not what it should be: ${url} ${answer.status} ${JSON.stringify(page).slice(0, 300)}`,
    );
  }
}

function toRow(
  { what, unit, least = 0, sizes: [few, many] }: Lists,
  which: string,
  rounds: readonly (readonly number[])[],
  at: number,
): Row {
  const of = (kind: number): number[] => rounds.map((latencies) => latencies[kind] ?? Number.NaN);
  const smalls = of(at);
  const larges = of(at + 1);
  const { median: ratio, text } = ratiosOf(larges, smalls);
  const typical = (latencies: readonly number[]): string =>
    median(latencies.filter(Number.isFinite)).toFixed(2);
  const count = (entries: number): string => entries.toLocaleString('en');
  return {
    figure: `${what}, ${which} of 50: ${count(many)} ${unit} ÷ ${count(few)}`,
    value: ratio.toFixed(2),
    target: least === 0 ? `≤ ${MOST.toFixed(2)}` : `${least.toFixed(2)} to ${MOST.toFixed(2)}`,
    met: least <= ratio && ratio <= MOST,
    context: `${text}; ${typical(larges)} ms ÷ ${typical(smalls)} ms`,
  };
}
