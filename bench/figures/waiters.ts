/** Many who wait for one account's next event: what they cost while they wait, and how soon all of them know. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { HOSTPLANE } from '../../src/kernel/events/event.ts';
import { appendEvents } from '../../src/kernel/events/store.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type Db, openDatabase, openPool } from '../../src/store/database.ts';
import { median } from '../median.ts';
import { readMemory } from '../memory.ts';
import { processorSeconds } from '../processes.ts';
import { addressAt, writeRequest } from '../requests.ts';
import { endOperation, insertOperations } from '../store.ts';
import { below, type Row, type Stage } from './row.ts';

const WAITERS = 5_000;
const OPENING = 100;
/** Waves before those that are measured: code that has run but a few times is slow. */
const WARMING = 2;
const HOLDING_MS = 30_000;
const MOST_MEGABYTES = 300;
const MOST_MILLISECONDS = 150;
/** Beyond those of the other figures. */
const FIRST_ADDRESS = 40_000;

class Waiting {
  readonly #socket: Socket;
  #received = '';
  #answered: ((at: number) => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#received += text;
      const head = this.#received.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(this.#received)?.[1] ?? Number.NaN);
      if (head < 0 || this.#received.length < head + 4 + length) return;
      this.#answered?.(performance.now());
    });
  }

  /** Resolves with the moment at which all of the answer was there. */
  ask(request: string): Promise<number> {
    this.#received = '';
    return new Promise((resolve) => {
      this.#answered = resolve;
      this.#socket.write(request);
    });
  }

  end(): void {
    this.#socket.destroy();
  }
}

async function openMany(port: number): Promise<Waiting[]> {
  const all: Waiting[] = [];
  while (all.length < WAITERS) {
    const some = Array.from({ length: OPENING }, async () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      return new Waiting(socket);
    });
    all.push(...(await Promise.all(some)));
  }
  return all;
}

async function untilHeld(port: number, count: number): Promise<void> {
  const patience = performance.now() + HOLDING_MS;
  while (performance.now() < patience) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const read = (name: string): number => Number(new RegExp(`^\\w*_${name} (\\d+)`, 'm').exec(text)?.[1]);
    // Each looks at the feed once before it waits.
    if (read('waiters') >= count && read('pool_waiting') === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`Of ${count} who asked, some are not held: they were answered before there was any news.`);
}

async function readCursor(port: number, key: string): Promise<string> {
  const url = `http://127.0.0.1:${port}/account/v1/events?since=now`;
  const answer = await fetch(url, { headers: { 'x-api-key': key } });
  return ((await answer.json()) as { next_cursor: string }).next_cursor;
}

const AWAITED = 'account.restricted';

const happen = (db: Db, accountId: string): Promise<void> =>
  appendEvents(db, accountId, HOSTPLANE, [
    { type: AWAITED, family: 'account', severity: 'info', resource: null, message: 'A test.' },
  ]);

type Ask = (place: number) => string;

/** All of them ask, and are held. */
async function askAll(
  port: number,
  key: string,
  all: readonly Waiting[],
  pathOf: Ask,
): Promise<Promise<number>[]> {
  const answers: Promise<number>[] = [];
  for (let from = 0; from < all.length; from += OPENING) {
    for (const [i, waiting] of all.slice(from, from + OPENING).entries()) {
      const address = addressAt(FIRST_ADDRESS + from + i);
      answers.push(waiting.ask(writeRequest({ path: pathOf(from + i), key, address })));
    }
    await untilHeld(port, answers.length);
  }
  return answers;
}

const percentile99 = (values: readonly number[]): number =>
  [...values].sort((x, y) => x - y)[Math.floor(values.length * 0.99)] ?? Number.NaN;

/** Each waits for an operation of its own; they end one after the other. */
async function wakeEach({ product, fixture }: Stage, db: Db, all: readonly Waiting[]): Promise<number> {
  const { key, id: keyId } = fixture.caller;
  const ids = all.map(() => newId('operation'));
  await insertOperations(db, fixture.accountId, keyId, ids);
  const answers = await askAll(
    product.port,
    key,
    all,
    (place) => `/account/v1/operations/${ids[place]}?wait=60`,
  );
  const delays: number[] = [];
  for (const [place, answer] of answers.entries()) {
    await endOperation(db, ids[place] ?? '');
    const committed = performance.now();
    void answer.then((at) => delays.push(at - committed));
  }
  await Promise.all(answers);
  return percentile99(delays);
}

interface Wave {
  readonly slowest: number;
  readonly work: number;
  readonly memory: number;
}

/** All wait for the next event of its kind in one account. */
async function wakeAll({ product, fixture }: Stage, db: Db, all: readonly Waiting[]): Promise<Wave> {
  const { port, pid } = product;
  const { key } = fixture.caller;
  const cursor = await readCursor(port, key);
  // That a key is used from so many addresses is told as well, and is not what they wait for.
  const path = `/account/v1/events?cursor=${cursor}&types=${AWAITED}&wait=60`;
  const answers = await askAll(port, key, all, () => path);
  const memory = readMemory(pid).own;
  const used = processorSeconds(pid);
  await happen(db, fixture.accountId);
  const committed = performance.now();
  const delays = (await Promise.all(answers)).map((at) => at - committed);
  return { slowest: percentile99(delays), work: (processorSeconds(pid) - used) * 1000, memory };
}

export async function measureWaiters(stage: Stage, rounds: number): Promise<Row[]> {
  const { port, pid } = stage.product;
  const db = openDatabase(openPool({ ...stage.fixture.connection, maxConnections: 1 }));
  const all: Waiting[] = [];
  try {
    const before = readMemory(pid).own;
    all.push(...(await openMany(port)));
    const waves: Wave[] = [];
    for (let round = 0; round < WARMING + rounds; round++) waves.push(await wakeAll(stage, db, all));
    const single = await wakeEach(stage, db, all);
    const during = Math.max(...waves.map(({ memory }) => memory));
    const measured = waves.slice(WARMING);
    const shown = measured.map(({ slowest }) => Math.round(slowest)).join(', ');
    const work = Math.round(median(measured.map((wave) => wave.work)));
    return [
      below(
        `memory of ${WAITERS} long-polls`,
        during - before,
        MOST_MEGABYTES,
        ' MB',
        `the most of ${waves.length} waves; VmRSS, ${Math.round(before)} MB before`,
      ),
      below(
        'each woken by a commit of its own, p99',
        single,
        MOST_MILLISECONDS,
        ' ms',
        `${WAITERS} wait for as many operations, which end one after the other`,
      ),
      below(
        'all of them woken by one commit, p99',
        median(measured.map(({ slowest }) => slowest)),
        MOST_MILLISECONDS,
        ' ms',
        `waves: ${shown}; ${work} ms of processor for all`,
      ),
    ];
  } finally {
    for (const waiting of all) waiting.end();
    await db.destroy();
  }
}
