import { startBenchProgram } from '../processes.ts';
import { record } from '../recorded-answer.ts';
import { type Ask, addressAt, fromManyAddresses, writeRequest } from '../requests.ts';
import { compare } from '../rounds.ts';
import { atLeast, type Row, type Stage } from './row.ts';

const LEAST = 0.65;
const LIMIT = 200;
/** Addresses of the benchmark range of RFC 2544, like those of the other requests. */
const exhaustedAddress = (serial: number): string => `198.19.${serial >> 8}.${serial & 255}`;

interface Scenario {
  readonly name: string;
  readonly status: number;
  readonly ask: Omit<Ask, 'address'>;
  /** All requests come from one address, which is over its limit. */
  readonly exhausted?: true;
}

async function measureRefusal(stage: Stage, { name, status, ask, exhausted }: Scenario): Promise<Row> {
  const { load, product, plan } = stage;
  let exhaustions = 0;
  /**
   * Uses a new address each time, so that none of its 200 accepted requests leaves the window during the
   * round.
   */
  const exhaust = async (): Promise<string> => {
    const address = exhaustedAddress(exhaustions++);
    await load.prepare(name, [writeRequest({ ...ask, address })]);
    const order = { port: product.port, connections: 1, milliseconds: 10_000, atMost: LIMIT };
    await load.run({ ...order, set: name, status: 200 });
    return address;
  };
  if (!exhausted)
    await load.prepare(
      name,
      fromManyAddresses(() => ask),
    );
  const recording = await record(product.port, {
    ...ask,
    address: exhausted ? await exhaust() : addressAt(0),
  });
  if (recording.status !== status) throw new Error(`${name} answered ${recording.status}: ${recording.body}`);
  const raw = await startBenchProgram('raw', { BENCH_ANSWER: JSON.stringify(recording) });
  try {
    const result = await compare(load, [product, raw], plan, async () => {
      if (exhausted) await exhaust();
      return { set: name, status };
    });
    return atLeast(`${name} ÷ raw node:http with the same bytes`, LEAST, result);
  } finally {
    await raw.stop();
  }
}

export async function measureRefusals(stage: Stage): Promise<Row[]> {
  const { keyIds, caller, powerless, unknownKey } = stage.fixture;
  const path = `/account/v1/api-keys/${keyIds[0]}`;
  const scenarios: Scenario[] = [
    { name: '401 missing key', status: 401, ask: { path } },
    { name: '401 unknown key', status: 401, ask: { path, key: unknownKey } },
    { name: '403 permission', status: 403, ask: { path, key: powerless.key } },
    { name: '429', status: 429, ask: { path, key: caller.key }, exhausted: true },
  ];
  const rows: Row[] = [];
  for (const scenario of scenarios) rows.push(await measureRefusal(stage, scenario));
  return rows;
}
