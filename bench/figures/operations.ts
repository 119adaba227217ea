/** Figures of the operation runner: idle statements, throughput, and latency from accept to start. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOperation } from '../../src/kernel/operations/operations.ts';
import { type Db, openDatabase, openPool } from '../../src/store/database.ts';
import { transact } from '../../src/store/transaction.ts';
import { createAccount } from '../../src/testing/accounts.ts';
import { benchRegistry, emptyKind } from '../empty-kind.ts';
import { useFormerIndexes } from '../first-come/store.ts';
import { median } from '../median.ts';
import { type Contender, startBenchProgram } from '../processes.ts';
import { ratiosOf } from '../rounds.ts';
import { clearOperations, countUnfinished, readLatencies, readSpan, setLogStatement } from '../store.ts';
import { below, type Row, type Stage } from './row.ts';

const ACCOUNTS = 20;
const CALLERS = 10;
/** What fairness may cost. */
const LEAST_OF_FORMER = 0.95;
const PAUSE_MS = 10;
const SETTLE_MS = 3000;

interface Home {
  readonly db: Db;
  readonly accounts: readonly string[];
  readonly startWorker: (more?: Record<string, string>) => Promise<Contender>;
}

let serial = 0;
async function accept({ db, accounts }: Home): Promise<void> {
  const place = serial++;
  const resource = { type: 'bench', id: `bench_${place}`, name: null };
  const accountId = accounts[place % accounts.length] ?? '';
  await transact(db, (tx) =>
    startOperation(tx, registry, { kind: emptyKind, input: {}, resource }, { accountId }),
  );
}
const registry = benchRegistry();

async function untilAllEnded(db: Db): Promise<void> {
  while ((await countUnfinished(db)) > 0) await sleep(20);
}

async function withWorkers<T>(home: Home, count: number, work: () => Promise<T>): Promise<T> {
  const workers: Contender[] = [];
  try {
    for (let i = 0; i < count; i++) workers.push(await home.startWorker());
    return await work();
  } finally {
    for (const worker of workers) await worker.stop();
  }
}

const words = (workers: number): string => (workers === 1 ? 'one worker' : `${workers} workers`);

const told = (figure: string, value: string, context: string): Row => ({
  figure,
  value,
  target: 'reported',
  met: true,
  context,
});

/** Accepts all operations before the first worker starts. */
async function measureThroughput(home: Home, workers: number, count: number): Promise<Row> {
  await clearOperations(home.db);
  let left = count;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await accept(home);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  await withWorkers(home, workers, () => untilAllEnded(home.db));
  const seconds = await readSpan(home.db);
  return told(
    `operations of three empty steps, ${words(workers)}`,
    `${Math.round(count / seconds)}/s`,
    `${count} on as many subjects in ${ACCOUNTS} accounts; fsync on`,
  );
}

/** Operations a second of one runner, all of which are accepted before it starts. */
async function throughputWith(home: Home, claim: 'fair' | 'first-come', count: number): Promise<number> {
  await clearOperations(home.db);
  const restore = claim === 'fair' ? undefined : await useFormerIndexes(home.db);
  try {
    for (let left = count; left > 0; left -= CALLERS)
      await Promise.all(Array.from({ length: Math.min(left, CALLERS) }, () => accept(home)));
    const worker = await home.startWorker({ BENCH_CLAIM: claim });
    await untilAllEnded(home.db);
    await worker.stop();
    return count / (await readSpan(home.db));
  } finally {
    await restore?.();
  }
}

/** Alternates between the two claims, so that other activity of the machine affects both alike. */
async function measureFairness(home: Home, rounds: number, count: number): Promise<Row> {
  const [fair, former]: [number[], number[]] = [[], []];
  for (let i = 0; i < rounds; i++) {
    const order = i % 2 === 0 ? (['fair', 'first-come'] as const) : (['first-come', 'fair'] as const);
    for (const claim of order)
      (claim === 'fair' ? fair : former).push(await throughputWith(home, claim, count));
  }
  const { median: ratio, text } = ratiosOf(fair, former);
  return {
    figure: 'operations of three empty steps, with fair slots ÷ first come, first served',
    value: ratio.toFixed(2),
    target: `≥ ${LEAST_OF_FORMER}`,
    met: ratio >= LEAST_OF_FORMER,
    context: `${text}; ${Math.round(median(fair))} and ${Math.round(median(former))}/s; each claim with its own indexes and slots`,
  };
}

async function measureLatency(home: Home, workers: number, count: number): Promise<Row> {
  await clearOperations(home.db);
  await withWorkers(home, workers, async () => {
    await sleep(SETTLE_MS);
    for (let i = 0; i < count; i++) {
      await accept(home);
      await sleep(PAUSE_MS);
    }
    await untilAllEnded(home.db);
  });
  const { p50, p99 } = await readLatencies(home.db);
  return told(
    `from accept to start, p50 and p99, ${words(workers)}`,
    `${p50.toFixed(1)}, ${p99.toFixed(1)} ms`,
    `${count}, one after the other, ${PAUSE_MS} ms apart`,
  );
}

/**
 * Counts the statements in PostgreSQL's log while the server receives no requests. Set BENCH_SHOW to print
 * them.
 */
async function measureIdle({ fixture }: Stage, db: Db, seconds: number): Promise<Row> {
  await setLogStatement(db, 'all');
  await sleep(SETTLE_MS);
  const { length } = await readFile(fixture.log, 'utf8');
  await sleep(seconds * 1000);
  const lines = (await readFile(fixture.log, 'utf8')).slice(length).split('\n');
  await setLogStatement(db, 'none');
  const statements = lines.flatMap(
    (line) => /LOG: {2}(?:statement|execute [^:]*): (.*)/.exec(line)?.[1] ?? [],
  );
  if (process.env['BENCH_SHOW'] !== undefined)
    console.log(statements.map((text) => text.slice(0, 150)).join('\n'));
  return below(
    'statements a second of an idle server with its worker',
    statements.length / seconds,
    1,
    '/s',
    `${statements.length} in ${seconds} s, begin and commit included`,
  );
}

export async function measureOperations(stage: Stage, root: string, isQuick: boolean): Promise<Row[]> {
  const { fixture } = stage;
  const db = openDatabase(openPool({ ...fixture.connection, maxConnections: 10 }));
  try {
    const rows = [await measureIdle(stage, db, isQuick ? 10 : 60)];
    // The product's own worker would claim the same operations.
    await stage.product.stop();
    const accounts: string[] = [];
    for (let i = 0; i < ACCOUNTS; i++) accounts.push((await createAccount(db)).id);
    const env = {
      BENCH_CONNECTION: JSON.stringify(fixture.connection),
      BENCH_PROVIDER: join(root, 'hostplane.default.yaml'),
    };
    const home: Home = {
      db,
      accounts,
      startWorker: (more = {}) => startBenchProgram('worker', { ...env, ...more }),
    };
    for (const workers of [1, 2]) {
      rows.push(await measureThroughput(home, workers, isQuick ? 400 : 4000));
      rows.push(await measureLatency(home, workers, isQuick ? 100 : 1000));
    }
    rows.push(await measureFairness(home, isQuick ? 3 : 7, isQuick ? 400 : 4000));
    return rows;
  } finally {
    await db.destroy();
  }
}
