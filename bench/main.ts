/**
 * `npm run bench`: prints a report and is not a test. Missed targets are marked, but the exit code stays 0.
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureAccepting } from './figures/accepting.ts';
import { measureBackupPages } from './figures/backups.ts';
import { measureCreating } from './figures/creation.ts';
import { measureFirewalls } from './figures/firewalls.ts';
import { measureIncus } from './figures/incus.ts';
import { measureReading } from './figures/key-reads.ts';
import { measureLongList } from './figures/long-list.ts';
import { measureFleets, measureMachine } from './figures/machines.ts';
import { measureMcp } from './figures/mcp.ts';
import { measureMoney } from './figures/money.ts';
import { measureOperations } from './figures/operations.ts';
import { measurePages } from './figures/pages.ts';
import { measurePortal } from './figures/portal.ts';
import { measureRefusals } from './figures/refusals.ts';
import type { Row, Stage } from './figures/row.ts';
import { measureStart } from './figures/start.ts';
import { measureWaiters } from './figures/waiters.ts';
import { openFixture, type Sizes } from './fixture.ts';
import { Load, startProduct } from './processes.ts';
import { formatRow, HEADINGS, writeReport } from './report.ts';
import type { Plan } from './rounds.ts';

const figures = [
  'reading',
  'refusals',
  'machines',
  'waiters',
  'mcp',
  'portal',
  'long-list',
  'money',
  'pages',
  'fleets',
  'operations',
  'accepting',
  'creating',
  'incus',
  'backups',
  'firewalls',
  'start',
];
const { values: flags } = parseArgs({
  options: {
    /** Fewer and shorter rounds: enough to see that the bench works, but not to quote. */
    quick: { type: 'boolean', default: false },
    /** Writes the measured figures to bench/RESULTS.md; the others stay there as they were. */
    write: { type: 'boolean', default: false },
    /** The bundle of an earlier version, to measure its accepting beside that of this version. */
    before: { type: 'string' },
    /** Runs only these figures, comma-separated. */
    only: { type: 'string', default: figures.join(',') },
  },
});
const wanted = new Set(flags.only.split(','));
const root = process.env['BENCH_ROOT'] ?? process.cwd();
const bundle = process.env['BENCH_PRODUCT'] ?? '';
const plan: Plan = flags.quick
  ? { rounds: 3, milliseconds: 250, warmUpMilliseconds: 500, connections: 32 }
  : { rounds: 51, milliseconds: 150, warmUpMilliseconds: 4000, connections: 32 };
const few = 1000;
const many = flags.quick ? 20_000 : 1_000_000;
const logSizes = wanted.has('pages') ? [few, many] : [];
const fleetSizes = wanted.has('fleets') ? [few, many] : [];

const undo: (() => Promise<unknown>)[] = [];
async function cleanUp(): Promise<void> {
  for (const step of undo.splice(0).reverse()) await step();
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hostplane-bench-'));
  // Started by root, PostgreSQL runs as another user, which must be able to reach its own folder below this
  // one.
  await chmod(folder, 0o711);
  undo.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Callers pass `--no-worker` if the fixture contains made-up machines: a worker would find that no engine has
 * them.
 */
async function openStage(sizes: Sizes, options: readonly string[]): Promise<Stage> {
  const fixture = await openFixture(await newFolder(), sizes);
  undo.push(() => fixture.close());
  const load = new Load();
  undo.push(() => load.stop());
  const product = await startProduct(bundle, { HOSTPLANE_DATA: fixture.folder }, options);
  undo.push(() => product.stop());
  return { load, product, fixture, plan };
}

const rows: Row[] = [];
function tell(measured: readonly Row[]): void {
  rows.push(...measured);
  for (const row of measured) console.log(formatRow(row));
}

const began = performance.now();
const busyBefore = loadavg()[0] ?? 0;
try {
  console.log(HEADINGS);
  // Uses a fresh server, because its baseline is a fresh process too.
  if (wanted.has('refusals')) {
    tell(await measureRefusals(await openStage({ logs: [], fleets: [] }, ['--no-worker'])));
    await cleanUp();
  }
  if (['reading', 'machines', 'waiters'].some((figure) => wanted.has(figure))) {
    const stage = await openStage({ logs: [], fleets: wanted.has('machines') ? [few] : [] }, ['--no-worker']);
    if (wanted.has('reading')) tell(await measureReading(stage));
    if (wanted.has('machines')) tell(await measureMachine(stage));
    if (wanted.has('waiters')) tell(await measureWaiters(stage, flags.quick ? 2 : 7));
    await cleanUp();
  }
  // Uses a server without any other work behind it, because memory is measured.
  if (wanted.has('mcp')) {
    tell(await measureMcp(await openStage({ logs: [], fleets: [] }, ['--no-worker']), root));
    await cleanUp();
  }
  if (wanted.has('portal')) {
    const turns = flags.quick
      ? { loads: 3, rounds: 2, roundMs: 2000 }
      : { loads: 9, rounds: 11, roundMs: 4000 };
    tell(await measurePortal(await openStage({ logs: [], fleets: [] }, ['--no-worker']), turns));
    await cleanUp();
  }
  if (wanted.has('long-list')) {
    const fleets = [flags.quick ? few : 10_000];
    tell(await measureLongList(await openStage({ logs: [], fleets }, ['--no-worker'])));
    await cleanUp();
  }
  if (wanted.has('money')) {
    const fleets = [100, flags.quick ? 10_000 : 100_000];
    tell(await measureMoney(await openStage({ logs: [], fleets }, ['--no-worker'])));
    await cleanUp();
  }
  // Tables of a million rows keep PostgreSQL busy long after they are filled, so figures that would suffer
  // run before them.
  if (wanted.has('pages') || wanted.has('fleets')) {
    const stage = await openStage({ logs: logSizes, fleets: fleetSizes }, ['--no-worker']);
    if (wanted.has('pages')) tell(await measurePages(stage));
    if (wanted.has('fleets')) tell([...(await measureFleets(stage)), ...(await measureBackupPages(stage))]);
    await cleanUp();
  }
  if (wanted.has('operations')) {
    const stage = await openStage({ logs: [], fleets: [] }, []);
    tell(await measureOperations(stage, root, flags.quick));
    await cleanUp();
  }
  if (wanted.has('accepting')) {
    const bundles = { now: bundle, before: flags.before };
    tell(await measureAccepting(bundles, root, newFolder, flags.quick ? 3 : 16));
  }
  if (wanted.has('creating')) tell(await measureCreating(bundle, root, newFolder, flags.quick ? 50 : 1000));
  if (wanted.has('incus') || wanted.has('backups'))
    tell(await measureIncus(bundle, newFolder, flags.quick, wanted));
  if (wanted.has('firewalls')) tell(await measureFirewalls(bundle, root, newFolder, flags.quick));
  if (wanted.has('start')) tell(await measureStart(root, newFolder, flags.quick ? 1 : 3));
  const seconds = Math.round((performance.now() - began) / 1000);
  const missed = rows.filter(({ met }) => met === false).length;
  console.log(`\n${rows.length - missed} of ${rows.length} as wanted, after ${seconds} s.`);
  if (busyBefore > 0.5) {
    console.log(`The machine was busy before (load ${busyBefore.toFixed(1)}): repeat it when it is quiet.`);
  }
  if (flags.write) {
    const file = join(root, 'bench', 'RESULTS.md');
    const sizes = [few, many];
    const report = writeReport(rows, await readFile(file, 'utf8'), { plan, sizes, busyBefore });
    await writeFile(file, report);
  }
} finally {
  await cleanUp();
}
