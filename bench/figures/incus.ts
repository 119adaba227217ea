/** Measures on a real Incus how much time Hostplane adds to the engine's own time. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startDaemon, type TestDaemon } from '../../src/testing/incus/daemon.ts';
import { whyNoIncus } from '../../src/testing/incus/programs.ts';
import { furnishForDemo, writeProvider } from '../../src/testing/incus/provider.ts';
import { addressAt, Customer, Hands, type Machine } from '../machine-makers.ts';
import { median } from '../median.ts';
import { startProduct } from '../processes.ts';
import { measureBackups } from './backups.ts';
import type { Row } from './row.ts';
import { timed } from './timed.ts';

const PAIRS = 30;
const MANY = 100;
const HANDS = 4;
const READS = 400;
const BLOCKS = 5;
const MOST_SLOWER = 1.15;
const LEAST_OF_RAW = 0.8;
/** Ratios below this count as equal, because timing is not more precise. */
const SAME = 1.1;

async function measureOne(hands: Hands, customer: Customer): Promise<Row> {
  const ours: number[] = [];
  const raw: number[] = [];
  // The first machine of each also sets up what later ones reuse, so it is not counted.
  for (let i = 0; i <= PAIRS; i++) {
    const own = await timed(async () => {
      const machine = await customer.make(`one-${i}`);
      await hands.untilAddressed(machine);
      return machine;
    });
    await customer.remove(own.value);
    const byHand = await timed(async () => {
      const machine = await hands.make(`hand-${i}`, addressAt(100));
      await hands.untilAddressed(machine);
      return machine;
    });
    await hands.remove(byHand.value);
    if (i === 0) continue;
    ours.push(own.ms);
    raw.push(byHand.ms);
  }
  const ratio = median(ours) / median(raw);
  return {
    figure: 'create → running with address ÷ the same REST calls by hand',
    value: ratio.toFixed(2),
    target: `≤ ${MOST_SLOWER}`,
    met: ratio <= MOST_SLOWER,
    context: `p50 of ${PAIRS} alternating: ${Math.round(median(ours))} ms ÷ ${Math.round(median(raw))} ms; busybox on Incus`,
  };
}

/** Each has one machine and one volume, which is attached and detached in turns. Only attaching counts. */
async function measureAttaching(hands: Hands, customer: Customer): Promise<Row> {
  const makers = [
    { maker: customer, machine: await customer.make('attach'), times: [] as number[] },
    { maker: hands, machine: await hands.make('attach', addressAt(101)), times: [] as number[] },
  ];
  const sides = await Promise.all(
    makers.map(async (side) => ({ ...side, volume: await side.maker.makeVolume('data') })),
  );
  for (let i = 0; i <= PAIRS; i++)
    for (const { maker, machine, volume, times } of sides) {
      const { ms } = await timed(() => maker.attach(machine, volume));
      await maker.detach(machine, volume);
      // The first of each is not counted.
      if (i > 0) times.push(ms);
    }
  for (const { maker, machine } of sides) await maker.remove(machine);
  const [ours = Number.NaN, raw = Number.NaN] = sides.map(({ times }) => median(times));
  return {
    figure: 'attach a volume ÷ the same REST calls by hand',
    value: (ours / raw).toFixed(2),
    target: `≤ ${MOST_SLOWER}`,
    met: ours / raw <= MOST_SLOWER,
    context: `p50 of ${PAIRS} alternating: ${Math.round(ours)} ms ÷ ${Math.round(raw)} ms; to a running container`,
  };
}

const perMinute = (count: number, ms: number): number => (count / ms) * 60_000;

async function measureMany(hands: Hands, customer: Customer, count: number): Promise<Row> {
  let next = 0;
  const byHand = await timed(async () => {
    const made: Machine[] = [];
    await Promise.all(
      Array.from({ length: HANDS }, async () => {
        while (next < count) {
          const n = next++;
          made.push(await hands.make(`many-${n}`, addressAt(10 + n)));
        }
      }),
    );
    return made;
  });
  for (const machine of byHand.value) await hands.remove(machine);
  const names = Array.from({ length: count }, (_, i) => `many-${i}`);
  const own = await timed(() => Promise.all(names.map((name) => customer.make(name))));
  for (const machine of own.value) await customer.remove(machine);
  const [ours, raw] = [perMinute(count, own.ms), perMinute(count, byHand.ms)];
  return {
    figure: `${count} machines by parallel calls ÷ raw REST with ${HANDS} clients`,
    value: (ours / raw).toFixed(2),
    target: `≥ ${LEAST_OF_RAW.toFixed(2)}`,
    met: ours / raw >= LEAST_OF_RAW,
    context: `${Math.round(ours)} ÷ ${Math.round(raw)} a minute; server, worker, PostgreSQL and engine share the machine`,
  };
}

/** Reads while the engine is paused: a read that waited for the engine would show in the figure. */
async function measureReading(daemon: TestDaemon, customer: Customer): Promise<Row> {
  const { id } = await customer.make('read');
  const read = async (): Promise<number> =>
    (await timed(() => customer.ask('GET', `/flexible-vps/v1/vms/${id}`))).ms;
  const awake: number[] = [];
  const still: number[] = [];
  for (let i = 0; i < READS; i++) await read();
  for (let block = 0; block < BLOCKS; block++) {
    for (let i = 0; i < READS / BLOCKS; i++) awake.push(await read());
    daemon.pause();
    for (let i = 0; i < READS / BLOCKS; i++) still.push(await read());
    daemon.resume();
  }
  await customer.remove({ id });
  const ratio = median(still) / median(awake);
  return {
    figure: 'read a machine, engine stopped ÷ engine running',
    value: ratio.toFixed(2),
    target: `≤ ${SAME.toFixed(2)}`,
    met: ratio <= SAME,
    context: `p50 of ${READS} each, in turns: ${median(still).toFixed(2)} ms ÷ ${median(awake).toFixed(2)} ms`,
  };
}

/**
 * Raises the limits of a new account, and makes machines small enough for all of them to fit on this host.
 */
const adapt: NonNullable<Parameters<typeof writeProvider>[1]> = ({
  plans,
  images,
  limits,
  address_pools,
}) => ({
  address_pools: address_pools
    .filter(({ slug }) => slug !== 'fra1-ipv4-subnets')
    .map((pool) => (pool.slug === 'fra1-ipv4' ? { ...pool, cidr: '203.0.113.0/24' } : pool)),
  plans: plans.map((plan) => ({ ...plan, memory_mb: 128 })),
  images: images.map((image) => ({ ...image, min_memory_mb: 64 })),
  limits: limits.map((limit) =>
    limit.id.startsWith('flexible-vps.') ? { ...limit, limit: null, maximum_on_request: null } : limit,
  ),
});

/** Writes the folder for backups into the provider's file. */
function withBackups(text: string, folder: string): string {
  const file = JSON.parse(text) as { catalogue: { locations: object[] } };
  const backups = { driver: 'folder', folder };
  file.catalogue.locations = file.catalogue.locations.map((location) => ({ ...location, backups }));
  return JSON.stringify(file);
}

export async function measureIncus(
  bundle: string,
  newFolder: () => Promise<string>,
  isQuick: boolean,
  wanted: ReadonlySet<string>,
): Promise<Row[]> {
  const reason = whyNoIncus('incus');
  if (reason !== null)
    return [{ figure: 'machines on Incus', value: 'not run', target: '', met: null, context: reason }];
  const daemon = await startDaemon('incus');
  try {
    await furnishForDemo(daemon, { gateway: '203.0.113.1/24' });
    const folder = await newFolder();
    const file = join(folder, 'provider.yaml');
    await writeFile(file, withBackups(writeProvider(daemon, adapt), join(folder, 'backups')));
    const product = await startProduct(bundle, {
      HOSTPLANE_DATA: join(folder, 'data'),
      HOSTPLANE_CONFIG: file,
    });
    try {
      const hands = new Hands(daemon);
      await hands.prepare();
      const customer = new Customer(product);
      await customer.prepare();
      const example = await customer.make('example');
      await hands.learn(example);
      await customer.remove(example);
      const rows: Row[] = [];
      if (wanted.has('incus'))
        rows.push(
          await measureOne(hands, customer),
          await measureAttaching(hands, customer),
          await measureMany(hands, customer, isQuick ? 10 : MANY),
          await measureReading(daemon, customer),
        );
      if (wanted.has('backups'))
        rows.push(...(await measureBackups({ daemon, customer, product, folder }, isQuick)));
      return rows;
    } finally {
      await product.stop();
    }
  } finally {
    await daemon.stop();
  }
}
