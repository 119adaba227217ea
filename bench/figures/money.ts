/** What budgets and usage reports cost in a large account, compared with a small one, and what its neighbours notice. */
import { openDatabase, openPool } from '../../src/store/database.ts';
import type { Fleet } from '../fixture.ts';
import { median } from '../median.ts';
import { addressAt, fromManyAddresses, writeRequest } from '../requests.ts';
import { ratiosOf } from '../rounds.ts';
import { fillFast, fillMeter, liftLimits } from '../store.ts';
import { bodyOf } from './creation.ts';
import type { Row, Stage } from './row.ts';

const MOST_OF_LARGE = 1.2;
const MOST_BESIDE = 1.5;
const TURNS = 500;
/** These calls take longer than most: there are fewer and longer rounds, so that several end within each. */
const LONGER = 4;
const BETWEEN_CALLS_MS = 100;
/** A 99th percentile needs more answers than a median. */
const ROUNDS_OF_NEIGHBOUR = { share: 1 / 5, milliseconds: 2000 };
/** Beyond the client addresses of the loads: an address has a limit of its own. */
const FIRST_ADDRESS = 50_000;

interface Call {
  readonly what: string;
  readonly path: string;
  readonly body?: object;
  /** Members of the right answer: shows that the call did the work. */
  readonly sign: string;
}

const CALLS: readonly Call[] = [
  {
    what: 'dry run of createVm under a blocking budget',
    path: '/flexible-vps/v1/vms?dry_run=true',
    body: bodyOf(0),
    sign: '"valid":true',
  },
  { what: 'getUsage by family', path: '/account/v1/usage', sign: '"vps.flex-2-4"' },
  {
    what: 'getUsage by resource, first page of 50',
    path: '/account/v1/usage?group_by=resource&limit=50',
    sign: '"resource_id":"vm_',
  },
  { what: 'listBudgets', path: '/account/v1/budgets', sign: '"block_new_cost"' },
];

class Client {
  readonly #port: number;
  #calls = 0;

  constructor(port: number) {
    this.#port = port;
  }

  async ask(key: string, path: string, body?: object, method = body ? 'POST' : 'GET'): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
      method,
      headers: {
        'x-api-key': key,
        'content-type': 'application/json',
        'x-forwarded-for': addressAt(FIRST_ADDRESS + this.#calls++),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text;
  }
}

async function furnish({ fixture }: Stage, client: Client, fleets: readonly Fleet[]): Promise<void> {
  const pool = openPool({ ...fixture.connection, maxConnections: 2, answerMs: 3_600_000 });
  const db = openDatabase(pool);
  try {
    for (const { key, accountId } of fleets) {
      const limits = JSON.parse(await client.ask(key.key, '/account/v1/limits?limit=100'));
      const ids = limits.data.map(({ id }: { id: string }) => id);
      await liftLimits(db, accountId, [...new Set<string>(ids)]);
    }
    await fillFast(db, async (connection) => {
      for (const { accountId } of fleets) await fillMeter(connection, accountId);
    });
  } finally {
    await db.destroy();
  }
  const budget = {
    amount: '10000000.00',
    action: 'block_new_cost',
    scope: {},
    thresholds: [{ percent: 100 }],
  };
  for (const { key } of fleets) await client.ask(key.key, '/account/v1/budgets/all', budget, 'PUT');
}

async function compareCall(
  { load, product, plan }: Stage,
  { what, path, body }: Call,
  [small, large]: readonly [Fleet, Fleet],
): Promise<Row> {
  const turns = Array.from({ length: TURNS }, (_, turn) =>
    [small, large].map(({ key }) => writeRequest({ path, key: key.key, address: addressAt(turn), body })),
  );
  await load.prepare(what, turns.flat());
  const order = { port: product.port, set: what, status: 200, connections: 1, kinds: 2 };
  await load.run({ ...order, milliseconds: plan.warmUpMilliseconds });
  const rounds: (readonly number[])[] = [];
  for (let round = 0; round < Math.ceil(plan.rounds / LONGER); round++)
    rounds.push((await load.run({ ...order, milliseconds: plan.milliseconds * LONGER })).latencies);
  const of = (kind: number): number[] => rounds.map((latencies) => latencies[kind] ?? Number.NaN);
  const [few, many] = [of(0), of(1)];
  const { median: ratio, text } = ratiosOf(many, few);
  const typical = (latencies: readonly number[]): string =>
    median(latencies.filter(Number.isFinite)).toFixed(2);
  return {
    figure: `${what}: ${large.machines.toLocaleString('en')} machines ÷ ${small.machines.toLocaleString('en')}`,
    value: ratio.toFixed(2),
    target: `≤ ${MOST_OF_LARGE.toFixed(2)}`,
    met: ratio <= MOST_OF_LARGE,
    context: `${text}; ${typical(many)} ms ÷ ${typical(few)} ms`,
  };
}

/** Makes the calls in turn, one every tenth of a second, until the work ends. */
async function beside<T>(client: Client, { key }: Fleet, work: () => Promise<T>): Promise<T> {
  const calls: Promise<unknown>[] = [];
  let next = 0;
  const timer = setInterval(() => {
    const { path, body } = CALLS[next++ % CALLS.length]!;
    calls.push(client.ask(key.key, path, body));
  }, BETWEEN_CALLS_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    await Promise.all(calls);
  }
}

/** Without a limit, the ratio is only reported: that of a small account shows which part is not due to the size. */
async function compareNeighbour(stage: Stage, client: Client, fleet: Fleet, limit?: number): Promise<Row> {
  const { load, product, fixture, plan } = stage;
  const set = `whoami beside ${fleet.machines} machines`;
  await load.prepare(
    set,
    fromManyAddresses(() => ({ path: '/account/v1/whoami', key: fixture.caller.key })),
  );
  const { share, milliseconds } = ROUNDS_OF_NEIGHBOUR;
  const order = { port: product.port, set, status: 200, connections: 1, milliseconds };
  const alone = async (): Promise<number> => (await load.run(order)).p99[0] ?? Number.NaN;
  const disturbed = (): Promise<number> => beside(client, fleet, alone);
  await disturbed();
  const [withCalls, without]: [number[], number[]] = [[], []];
  for (let round = 0; round < Math.ceil(plan.rounds * share); round++) {
    if (round % 2 === 0) without.push(await alone());
    withCalls.push(await disturbed());
    if (round % 2 === 1) without.push(await alone());
  }
  const { median: ratio, text } = ratiosOf(withCalls, without);
  return {
    figure: `p99 of another account's whoami beside these calls of ${fleet.machines.toLocaleString('en')} machines ÷ alone`,
    value: ratio.toFixed(2),
    target: limit === undefined ? 'reported' : `≤ ${limit.toFixed(2)}`,
    met: limit === undefined || ratio <= limit,
    context: `${text}; ${median(withCalls).toFixed(2)} ms ÷ ${median(without).toFixed(2)} ms; ${1000 / BETWEEN_CALLS_MS} calls a second`,
  };
}

export async function measureMoney(stage: Stage): Promise<Row[]> {
  const [small, large] = stage.fixture.fleets;
  if (small === undefined || large === undefined) throw new Error('There must be two fleets to compare.');
  const client = new Client(stage.product.port);
  await furnish(stage, client, [small, large]);
  const rows: Row[] = [];
  for (const call of CALLS) {
    for (const { key } of [small, large]) {
      const answer = await client.ask(key.key, call.path, call.body);
      if (!answer.includes(call.sign)) throw new Error(`${call.what} answered ${answer.slice(0, 500)}`);
    }
    rows.push(await compareCall(stage, call, [small, large]));
  }
  rows.push(await compareNeighbour(stage, client, large, MOST_BESIDE));
  return [...rows, await compareNeighbour(stage, client, small)];
}
