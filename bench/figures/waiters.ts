/**
 * Callers that wait for the next event of one account: the memory they use while waiting, and how soon all
 * are answered.
 */
import { HOSTPLANE } from '../../src/kernel/events/event.ts';
import { appendEvents } from '../../src/kernel/events/store.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type Db, openDatabase, openPool } from '../../src/store/database.ts';
import { CALLERS, Crowd } from '../crowd.ts';
import { median, percentile } from '../median.ts';
import { readMemory } from '../memory.ts';
import { type Contender, processorSeconds, startBenchProgram } from '../processes.ts';
import { record } from '../recorded-answer.ts';
import { addressAt } from '../requests.ts';
import { endOperation, insertOperations } from '../store.ts';
import { below, type Row, type Stage } from './row.ts';

/** Waves before the measured ones, because code that has run only a few times is slow. */
const WARMING = 2;
const MOST_MEGABYTES = 300;
const MOST_MILLISECONDS = 150;
/** A ratio, because writing 5,000 answers takes twice as long on some machines as on others. */
const MOST_TIMES = 1.25;

const percentile99 = (values: readonly number[]): number => percentile(values, 0.99);

/** Each caller waits for its own operation; the operations end one after the other. */
async function wakeEach({ fixture }: Stage, db: Db, crowd: Crowd): Promise<number> {
  const { key, id: keyId } = fixture.caller;
  const ids = Array.from({ length: CALLERS }, () => newId('operation'));
  await insertOperations(db, fixture.accountId, keyId, ids);
  const answers = await crowd.ask(key, (place) => `/account/v1/operations/${ids[place]}?wait=60`);
  const delays: number[] = [];
  for (const [place, answer] of answers.entries()) {
    await endOperation(db, ids[place] ?? '');
    const committed = performance.now();
    void answer.then((at) => delays.push(at - committed));
  }
  await Promise.all(answers);
  return percentile99(delays);
}

const AWAITED = 'account.restricted';

const happen = (db: Db, accountId: string): Promise<void> =>
  appendEvents(db, accountId, HOSTPLANE, [
    { type: AWAITED, family: 'account', severity: 'info', resource: null, message: 'A test.' },
  ]);

/**
 * The path of the feed after the latest event. It selects the awaited type, because use of a key from many
 * addresses also emits events.
 */
async function pathToNext({ product, fixture }: Stage): Promise<string> {
  const url = `http://127.0.0.1:${product.port}/account/v1/events?since=now`;
  const answer = await fetch(url, { headers: { 'x-api-key': fixture.caller.key } });
  const { next_cursor } = (await answer.json()) as { next_cursor: string };
  return `/account/v1/events?cursor=${next_cursor}&types=${AWAITED}`;
}

interface Wave {
  readonly slowest: number;
  readonly work: number;
  readonly memory: number;
}

/** All callers send the same request, and one event wakes them all. */
async function wakeAll(
  { pid }: Contender,
  answers: readonly Promise<number>[],
  wake: () => Promise<unknown>,
): Promise<Wave> {
  const memory = readMemory(pid).own;
  const used = processorSeconds(pid);
  await wake();
  const woken = performance.now();
  const delays = (await Promise.all(answers)).map((at) => at - woken);
  return { slowest: percentile99(delays), work: (processorSeconds(pid) - used) * 1000, memory };
}

const typical = (waves: readonly Wave[], read: (wave: Wave) => number): number =>
  median(waves.slice(WARMING).map(read));

const shown = (waves: readonly Wave[]): string =>
  waves
    .slice(WARMING)
    .map(({ slowest }) => Math.round(slowest))
    .join(', ');

/** Product and baseline alternate, so that other activity of the machine affects both alike. */
async function wakeInTurns(
  stage: Stage,
  db: Db,
  rounds: number,
  crowd: Crowd,
): Promise<{ ours: Wave[]; theirs: Wave[] }> {
  const { product, fixture } = stage;
  const { key } = fixture.caller;
  const path = await pathToNext(stage);
  await happen(db, fixture.accountId);
  const recording = await record(product.port, { path, key, address: addressAt(0) });
  const held = await startBenchProgram('held', { BENCH_ANSWER: JSON.stringify(recording) });
  const others = new Crowd(held.port);
  const ours: Wave[] = [];
  const theirs: Wave[] = [];
  try {
    await others.gather();
    for (let round = 0; round < WARMING + rounds; round++) {
      const next = `${await pathToNext(stage)}&wait=60`;
      ours.push(
        await wakeAll(product, await crowd.ask(key, () => next), () => happen(db, fixture.accountId)),
      );
      const release = (): Promise<unknown> => fetch(`http://127.0.0.1:${held.port}/release`);
      theirs.push(await wakeAll(held, await others.ask(key, () => next), release));
    }
    return { ours, theirs };
  } finally {
    others.disperse();
    await held.stop();
  }
}

export async function measureWaiters(stage: Stage, rounds: number): Promise<Row[]> {
  const { port, pid } = stage.product;
  const db = openDatabase(openPool({ ...stage.fixture.connection, maxConnections: 1 }));
  const crowd = new Crowd(port);
  try {
    const before = readMemory(pid).own;
    await crowd.gather();
    const { ours, theirs } = await wakeInTurns(stage, db, rounds, crowd);
    const single = await wakeEach(stage, db, crowd);
    const during = Math.max(...ours.map(({ memory }) => memory));
    const work = typical(ours, (wave) => wave.work);
    const [slowest, floor] = [ours, theirs].map((waves) => typical(waves, (wave) => wave.slowest)) as [
      number,
      number,
    ];
    return [
      below(
        `memory of ${CALLERS} long-polls`,
        during - before,
        MOST_MEGABYTES,
        ' MB',
        `the most of ${ours.length} waves; VmRSS, ${Math.round(before)} MB before`,
      ),
      below(
        'each woken by a commit of its own, p99',
        single,
        MOST_MILLISECONDS,
        ' ms',
        `${CALLERS} wait for as many operations, which end one after the other`,
      ),
      below(
        'all of them woken by one commit, p99 ÷ raw node:http',
        slowest / floor,
        MOST_TIMES,
        '',
        `${Math.round(slowest)} ms ÷ ${Math.round(floor)} ms; waves: ${shown(ours)} ÷ ${shown(theirs)}; ${Math.round(work)} ms of processor`,
      ),
    ];
  } finally {
    crowd.disperse();
    await db.destroy();
  }
}
