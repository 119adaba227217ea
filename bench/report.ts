/** Formats the figures: as lines for the terminal, and as the page `RESULTS.md`. */
import { arch, cpus, platform, release, totalmem } from 'node:os';
import type { Row } from './figures/row.ts';
import type { Plan } from './rounds.ts';

export interface Circumstances {
  readonly plan: Plan;
  /** Of the small and of the large account whose pages are compared. */
  readonly sizes: readonly number[];
  /** The load average of the last minute before the run. */
  readonly busyBefore: number;
}

const WIDTHS = [62, 10, 10];

function columns(figure: string, value: string, target: string): string {
  return [figure, value, target].map((text, i) => text.padEnd(WIDTHS[i] ?? 0)).join(' ');
}

const markOf = ({ met }: Row): string => (met === null ? '?' : met ? '✓' : '✗');

export const HEADINGS = `  ${columns('figure', 'value', 'target')} context`;

export function formatRow(row: Row): string {
  return `${markOf(row)} ${columns(row.figure, row.value, row.target)} ${row.context}`;
}

function describeMachine(busyBefore: number): string {
  const [processor] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} × ${processor?.model.trim() ?? 'unknown'} (${arch()}), ${gigabytes} GB, ${platform()} ${release()}, Node ${process.versions.node}; load average before the run ${busyBefore.toFixed(1)}.`;
}

/** The lines of the table by figure. Figures that were not measured now keep their lines of an earlier report. */
function linesOf(rows: readonly Row[], earlier: string, today: string): string[] {
  const lines = new Map<string, string>();
  for (const [line, figure = ''] of earlier.matchAll(/^\| [✓✗?] \| (.*?) \| .*$/gm)) lines.set(figure, line);
  for (const row of rows) {
    const { figure, value, target, context } = row;
    lines.set(figure, `| ${markOf(row)} | ${figure} | ${value} | ${target} | ${today} | ${context} |`);
  }
  return [...lines.values()];
}

export function writeReport(rows: readonly Row[], earlier: string, circumstances: Circumstances): string {
  const { plan, busyBefore } = circumstances;
  const table = linesOf(rows, earlier, new Date().toISOString().slice(0, 10));
  const sizes = circumstances.sizes.map((size) => size.toLocaleString('en')).join(' and ');
  return `# Figures

Written by \`npm run bench -- --write\`. With \`--only\`, it measures some of the figures and leaves the others as they were.

Machine of the last run: ${describeMachine(busyBefore)}

| | Figure | Value | Target | Measured on | |
|---|---|---|---|---|---|
${table.join('\n')}

## Method

Only ratios mean something; what stands behind them depends on the machine. Every contender is one esbuild bundle in a
process of its own, the load comes from another process over loopback: ${plan.connections} connections that stay open, one request
outstanding on each, bytes prepared beforehand, each answer read whole and its status checked. Contenders take turns, ${plan.rounds}
rounds of ${plan.milliseconds / 1000} s each after ${plan.warmUpMilliseconds / 1000} s of warming up; a ratio is the median of the ratios of the rounds, in
requests per second. Beside it stand the lowest and the highest round and, for both, requests per second, the processor
time of the server for one answer, and how busy one core was with making the load (near 100 %, the server could have
done more).

The product is \`hostplane admin serve\` as it is shipped: its log goes to /dev/null, its metrics are kept, its proxies are
127.0.0.0/8. Requests name 4,000 client addresses in turn, so that the limit of 200 a minute stops none but those it
should. All contenders use one embedded PostgreSQL with its default settings (fsync on).

* **Reading**: an authenticated \`GET /account/v1/api-keys/{id}\` over 1,000 keys, against a bare Fastify handler that sends
  the very statement the product sends, as a named statement through a \`pg\` pool of the same size, and answers with the
  same body; it has no keys, no limits, no log, no metrics and no response schema.
* **Refusals**: against \`node:http\` sending a recorded answer of the product: same status, headers and length. The key of
  the 401 has a right checksum and is known to be unknown; the 403 is a key without the permission; the 429 comes from one
  address that used up its limit just before.
* **Pages**: two accounts with ${sizes} entries in one table, after VACUUM ANALYZE. One connection; the first and the
  deepest page of both take turns, request by request; the ratio of the median latencies of a round.
* **Machines**: \`GET /flexible-vps/v1/vms/{id}\` over 1,000 machines with their addresses, against a bare Fastify handler
  that sends the very statement the product sends and shows what it finds with the same function; a page of 50 of them in
  the same way. Pages of two accounts with 1,000 and 1,000,000 machines in one table, all with addresses, and of
  as many volumes, like those of the audit log.
* **Money**: two accounts with 100 and 100,000 machines, each with a span of the meter that began within the last hundred
  days, and each with a budget that blocks. One connection; the same call in both takes turns, request by request; the
  ratio of the median latencies of a round. The write is a dry run of \`createVm\`. For the neighbour, a key of another
  account calls \`whoami\` without pause on one connection; beside it, the large account makes one of these calls every
  100 ms. Rounds with and without them take turns.
* **Creating**: \`hostplane admin serve\` with an empty data folder, its worker and the sandbox engine in one process; the time
  is that from the first call to the moment when no machine is being created any more.
* **Waiters**: 5,000 connections, each held on the feed of one account until an event is committed; from the commit, as its
  writer sees it, to the last byte of each answer. Two waves warm up, the median of the others' 99th percentiles counts.
  Between the waves as many are held and answered with the same bytes by \`node:http\` alone: what no server can go below.
  Then each waits for an operation of its own, and these end one after the other. Memory is that of the server, the most
  of all waves while all are held, above that before the first connection.
* **MCP**: a search runs in the process of the bench, over all phrasings with which the search is tested; the first time
  of each warms up. Memory is that of the server while 1,000 sessions wait in \`wait_operations\` for one operation, above
  that before the first of them; then the operation ends, and each must get its answer.
* **Portal**: a real Chromium, without a screen. First content is the first contentful paint of the reference page of
  \`createVm\`, the largest, with an empty cache, Chromium's preset "Slow 4G" (1.6 Mbit/s, 562 ms before each answer) and a
  processor made four times slower. Script and style are all that the page has asked for when it is shown, in bytes as
  sent with gzip. For \`whoami\`, one connection calls it without pause; ten people with sessions of their own each load the
  first page every two seconds, with all files and acts that Chromium asks for and the stream for news held open, and
  nothing cached. Rounds with and without them take turns; the ratio is the median of those of the rounds.
* **Long list**: a real Chromium, 1440 × 900, with a processor made four times slower. All machines of the account are loaded,
  page by page. Then a person selects three of them, goes from control to control and from screen to screen, opens a menu
  and the search, and types in both and in the filter. INP is by its definition: of each key press and click the longest
  event until the next frame is painted, and of these the longest, but for one in fifty.
* **Operations**: workers as shipped, in processes of their own, that know one more kind: three steps that do nothing.
  For the number per second all are accepted before the first worker starts, and the time is that from the first start
  to the last end; from accept to start is measured on workers with nothing else to do. Fair slots are compared with the
  claim that the runner had before (\`bench/first-come/\`), kept with its indexes and its 32 slots; runners with the one
  and with the other take turns on the same tables. Idle: every statement in the log of
  PostgreSQL while a server with its worker has nothing to do.
* **Incus**: a real Incus with containers of busybox on the same machine. By hand, the bench sends the requests that do the
  work, without the checks of Hostplane's driver before and after it, and both take turns. A backup counts from the call
  to \`available\`; by hand, the engine makes a snapshot and an archive, which is written to a file. Memory is that of the
  server, the most while its first backups are made, above that before them.
* **Firewalls**: from the call that adds a rule, which waits for its operation, to the answer that says \`active\`. By hand,
  the engine's own REST calls add a rule to an ACL of a network of the same size, or one transaction adds the rule of
  Hostplane to OVN's northbound database; then the same wait follows until all switches have it.
  For many machines, every statement in the log of PostgreSQL is counted, from the call to its answer; the sandbox engine
  keeps its firewalls there, too.
* **Start**: from starting the process to the first authenticated 200, with packages installed and the bundle built;
  first with an empty data folder, then again with the same one. Memory 5 s after the second start.
`;
}
