/** Figures of a start: the time to the first answer, and the idle memory. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../median.ts';
import { readMemory } from '../memory.ts';
import { type Contender, start } from '../processes.ts';
import { below, type Row } from './row.ts';

const IDLE_MS = 5000;

interface Way {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

interface Started {
  readonly server: Contender;
  readonly seconds: number;
  readonly key: string;
}

/** Measures the time until an authenticated call answers 200. */
async function timeStart(way: Way, folder: string, knownKey?: string): Promise<Started> {
  const began = performance.now();
  const server = await start({ ...way, env: { HOSTPLANE_DATA: folder, HOSTPLANE_PORT: '0' } });
  const key = knownKey ?? /HOSTPLANE_API_KEY=(hpk1_\w+)/.exec(server.greeting)?.[1] ?? '';
  const url = `http://127.0.0.1:${server.port}/account/v1/whoami`;
  const { status } = await fetch(url, { headers: { 'x-api-key': key } });
  const seconds = (performance.now() - began) / 1000;
  if (status === 200) return { server, seconds, key };
  await server.stop();
  throw new Error(`The first call after a start was answered with ${status}.`);
}

interface Measured {
  readonly first: number;
  readonly second: number;
  readonly memory: ReturnType<typeof readMemory> | undefined;
}

async function measureWay(way: Way, folder: string, isIdling: boolean): Promise<Measured> {
  const first = await timeStart(way, folder);
  await first.server.stop();
  const second = await timeStart(way, folder, first.key);
  try {
    if (!isIdling) return { first: first.seconds, second: second.seconds, memory: undefined };
    await sleep(IDLE_MS);
    const { pid } = second.server;
    return { first: first.seconds, second: second.seconds, memory: readMemory(pid) };
  } finally {
    await second.server.stop();
  }
}

export async function measureStart(
  root: string,
  newFolder: () => Promise<string>,
  times: number,
): Promise<Row[]> {
  const script = join(root, 'scripts', 'start.mjs');
  const node: Way = { name: 'node scripts/start.mjs', command: process.execPath, args: [script] };
  const npm: Way = { name: 'npm start', command: 'npm', args: ['start', '--prefix', root] };
  const rows: Row[] = [];
  for (const way of [node, npm]) {
    const runs: Measured[] = [];
    for (let i = 0; i < times; i++)
      runs.push(await measureWay(way, await newFolder(), way === node && i === 0));
    const context = `to the first authenticated 200; median of ${times}`;
    const first = median(runs.map((run) => run.first));
    const second = median(runs.map((run) => run.second));
    rows.push(below(`${way.name}, empty data folder`, first, 4, ' s', context));
    rows.push(below(`${way.name}, second start`, second, 2, ' s', context));
    const memory = runs[0]?.memory;
    if (memory === undefined) continue;
    rows.push(below('idle memory of our process', memory.own, 150, ' MB', `VmRSS after ${IDLE_MS / 1000} s`));
    rows.push(below('idle memory with PostgreSQL', memory.all, 250, ' MB', memory.method));
  }
  return rows;
}
