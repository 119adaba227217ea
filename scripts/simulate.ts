// `npm run simulate`: simulates the operation runner with many seeds, or replays one seed and prints its
// trace.
import { parseArgs } from 'node:util';
import { openDatabase, openPool } from '../src/store/database.ts';
import { migrate } from '../src/store/migrations/migrate.ts';
import { removeLeftovers } from '../src/testing/folder.ts';
import { administer, startPostgres } from '../src/testing/postgres.ts';
import { openSimulationHome, type SimulationHome } from '../src/testing/simulation/home.ts';
import { explain, simulateMany } from '../src/testing/simulation/many.ts';
import { simulate } from '../src/testing/simulation/world.ts';

const MOST_BROKEN = 5;
/** Number of databases: while one simulation waits for its database, others run. */
const HOMES = 3;

const { values } = parseArgs({
  options: { seeds: { type: 'string' }, from: { type: 'string' }, seed: { type: 'string' } },
});

function readNumber(name: 'seeds' | 'from' | 'seed', otherwise: number): number {
  const number = Number(values[name] ?? otherwise);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  console.error(`--${name} takes a whole number.`);
  process.exit(2);
}

const from = readNumber('from', 1);
const count = readNumber('seeds', 2000);
const single = values.seed === undefined ? null : readNumber('seed', 0);
await removeLeftovers();
const { stop, ...server } = await startPostgres();

async function openHome(name: string): Promise<SimulationHome> {
  await administer(server, `create database ${name}`);
  const connection = { ...server, database: name };
  const db = openDatabase(openPool(connection));
  await migrate(db);
  await db.destroy();
  return openSimulationHome(connection);
}

async function runMany(homes: readonly SimulationHome[]): Promise<boolean> {
  const tally = await simulateMany(homes, { from, count }, MOST_BROKEN);
  for (const report of tally.broken) console.log(`${explain(report)}\n`);
  const { worlds, accepted, refused, events, broken } = tally;
  console.log(
    `${worlds} worlds from seed ${from} on: ${accepted} operations, ${refused} refused, ${events} events, ${broken.length} broken.`,
  );
  return broken.length === 0;
}

async function runOne(home: SimulationHome, seed: number): Promise<boolean> {
  const { trace, violation } = await simulate(home, seed);
  console.log(trace.join('\n'));
  console.log(`seed ${seed}: ${violation ?? 'every promise was kept'}`);
  return violation === null;
}

try {
  const homes: SimulationHome[] = [];
  for (let i = 0; i < (single === null ? HOMES : 1); i++) homes.push(await openHome(`simulation_${i}`));
  const isWhole = single === null ? await runMany(homes) : await runOne(homes[0]!, single);
  process.exitCode = isWhole ? 0 : 1;
  for (const home of homes) await home.close();
} finally {
  await stop();
}
