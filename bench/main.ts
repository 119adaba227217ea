/** `npm run bench [-- --quick] [-- --write]`: a report, not a test; a missed target is marked and nothing fails. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measurePages } from './figures/pages.ts';
import { measureReading } from './figures/reading.ts';
import { measureRefusals } from './figures/refusals.ts';
import type { Row } from './figures/row.ts';
import { measureStart } from './figures/start.ts';
import { openFixture } from './fixture.ts';
import { Load, start } from './processes.ts';
import { printRow, writeReport } from './report.ts';
import type { Plan } from './rounds.ts';

const { values: flags } = parseArgs({
  options: { quick: { type: 'boolean' }, write: { type: 'boolean' }, only: { type: 'string' } },
});
const root = process.env['BENCH_ROOT'] ?? process.cwd();
const product = process.env['BENCH_PRODUCT'] ?? '';
const plan: Plan = flags.quick
  ? { rounds: 3, milliseconds: 400, warmUpMilliseconds: 1000, connections: 32 }
  : { rounds: 9, milliseconds: 1000, warmUpMilliseconds: 3000, connections: 32 };
const wants = (figure: string): boolean => flags.only === undefined || flags.only.split(',').includes(figure);

const base = await mkdtemp(join(tmpdir(), 'hostplane-bench-'));
// PostgreSQL runs as another user when we are root, and has to reach its folder.
await chmod(base, 0o711);
let folders = 0;
const newFolder = async (): Promise<string> => join(base, `data-${++folders}`);

async function measureServer(): Promise<Row[]> {
  const undo: (() => Promise<void>)[] = [];
  try {
    const entries = wants('pages') ? [1000, flags.quick ? 100_000 : 1_000_000] : [];
    const fixture = await openFixture(await newFolder(), entries);
    undo.push(() => fixture.close());
    const load = new Load();
    undo.push(() => load.stop());
    const server = await start({
      name: 'product',
      args: [...(process.env['BENCH_NODE_OPTIONS']?.split(' ') ?? []), product, 'serve'],
      env: { HOSTPLANE_DATA: fixture.folder, HOSTPLANE_PORT: '0', HOSTPLANE_TRUSTED_PROXIES: '127.0.0.0/8' },
    });
    undo.push(() => server.stop());
    const stage = { load, product: server, fixture, plan };
    const rows: Row[] = [];
    if (wants('reading')) rows.push(...(await measureReading(stage)));
    if (wants('refusals')) rows.push(...(await measureRefusals(stage)));
    if (wants('pages')) rows.push(...(await measurePages(stage)));
    return rows;
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

const began = performance.now();
try {
  const rows: Row[] = [];
  if (['reading', 'refusals', 'pages'].some(wants)) rows.push(...(await measureServer()));
  if (wants('start')) rows.push(...(await measureStart(root, newFolder, flags.quick ? 1 : 3)));
  rows.forEach(printRow);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`\n${seconds} s`);
  if (flags.write) await writeFile(join(root, 'bench', 'RESULTS.md'), writeReport(rows, plan, seconds));
} finally {
  await rm(base, { recursive: true, force: true });
}
