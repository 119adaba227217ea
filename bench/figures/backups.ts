/** Figures of backups: what Hostplane adds to the calls by hand, memory while they are made, and pages of many. */
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestDaemon } from '../../src/testing/incus/daemon.ts';
import type { Customer, Machine } from '../machine-makers.ts';
import { median } from '../median.ts';
import { readMemory } from '../memory.ts';
import type { Contender } from '../processes.ts';
import { comparePages, type PagePair } from './pages.ts';
import { below, type Row, type Stage } from './row.ts';
import { timed } from './timed.ts';

const PAIRS = 5;
const SMALL_MB = 100;
const LARGE_MB = 500;
const MOST_SLOWER = 1.15;
const MOST_MEMORY_MB = 64;
const LOOK_EVERY_MS = 20;
const LEAST_OF_LARGE = 0.8;

interface Site {
  readonly daemon: TestDaemon;
  readonly customer: Customer;
  readonly product: Contender;
  readonly folder: string;
}

/** Random bytes, so that the archive is as large as what is written. */
async function write({ client }: TestDaemon, { name, project }: Machine, megabytes: number): Promise<void> {
  const text = `dd if=/dev/urandom of=/root/much bs=1024 count=${megabytes * 1024}; sync`;
  const body = { command: ['sh', '-c', text], 'wait-for-websocket': false, interactive: false };
  await client.run('POST', `/1.0/instances/${name}/exec`, { project, body });
}

const PATH = '/flexible-vps/v1/backups';

async function backUp({ customer }: Site, { id }: Machine): Promise<string> {
  const made = await customer.ask<{ id: string; status: string }>('POST', PATH, { vm_id: id }, true);
  let { status } = made;
  // A call waits for a minute at most.
  for (; status === 'creating'; )
    ({ status } = await customer.ask<{ status: string }>('GET', `${PATH}/${made.id}`));
  if (status !== 'available') throw new Error(`The backup is ${status}.`);
  return made.id;
}

async function remove({ customer }: Site, backup: string): Promise<void> {
  await customer.ask('DELETE', `${PATH}/${backup}`, undefined, true);
}

/** The calls of the engine that a backup needs, and the archive as a file. */
async function byHand({ daemon: { client }, folder }: Site, { name, project }: Machine): Promise<void> {
  const snapshot = `/1.0/instances/${name}/snapshots`;
  await client.run('POST', snapshot, { project, body: { name: 'by-hand', stateful: false } });
  const source = { type: 'snapshot', name: `${name}/by-hand` };
  const packed = await client.run('POST', '/1.0/images', {
    project,
    body: { compression_algorithm: 'gzip', source },
  });
  await client.run('DELETE', `${snapshot}/by-hand`, { project });
  const image = `/1.0/images/${String(packed?.metadata?.['fingerprint'])}`;
  const path = join(folder, 'by-hand');
  const file = await open(path, 'w');
  for await (const bytes of await client.open(`${image}/export`, { project })) await file.writeFile(bytes);
  await file.sync();
  await file.close();
  await client.run('DELETE', image, { project });
  await rm(path);
}

async function measureTime(site: Site, machine: Machine, pairs: number): Promise<Row> {
  const ours: number[] = [];
  const raw: number[] = [];
  // The first of each also sets up what later ones reuse, so it is not counted.
  for (let i = 0; i <= pairs; i++) {
    const own = await timed(() => backUp(site, machine));
    await remove(site, own.value);
    const hand = await timed(() => byHand(site, machine));
    if (i === 0) continue;
    ours.push(own.ms);
    raw.push(hand.ms);
  }
  const ratio = median(ours) / median(raw);
  return {
    figure: `backup of ${SMALL_MB} MB ÷ the same REST calls by hand`,
    value: ratio.toFixed(2),
    target: `≤ ${MOST_SLOWER}`,
    met: ratio <= MOST_SLOWER,
    context: `p50 of ${pairs} alternating: ${Math.round(median(ours))} ms ÷ ${Math.round(median(raw))} ms; Incus, a folder`,
  };
}

/** The most memory of the product during the work, above that before it. */
async function watchMemory(
  pid: number,
  work: () => Promise<void>,
): Promise<{ before: number; most: number }> {
  const before = readMemory(pid).own;
  let most = before;
  const looking = setInterval(() => {
    // Not known at the moment in which a process of PostgreSQL ends.
    const { own } = readMemory(pid);
    if (own > most) most = own;
  }, LOOK_EVERY_MS);
  await work().finally(() => clearInterval(looking));
  return { before, most };
}

/** The first backups of the product, so that everything it keeps for them counts. */
async function measureMemory(site: Site, machine: Machine): Promise<Row> {
  const memories: { before: number; most: number }[] = [];
  for (const megabytes of [SMALL_MB, LARGE_MB]) {
    await write(site.daemon, machine, megabytes);
    const work = async (): Promise<void> => remove(site, await backUp(site, machine));
    memories.push(await watchMemory(site.product.pid, work));
  }
  const [small, large] = memories as [(typeof memories)[0], (typeof memories)[0]];
  const context = `the most during one of ${SMALL_MB} MB (+${Math.round(small.most - small.before)} MB) and one of ${LARGE_MB} MB after it; VmRSS, ${Math.round(small.before)} MB before the first`;
  const most = Math.max(small.most, large.most) - small.before;
  return below(`memory of backups of up to ${LARGE_MB} MB`, most, MOST_MEMORY_MB, ' MB', context);
}

export async function measureBackups(site: Site, isQuick: boolean): Promise<Row[]> {
  const machine = await site.customer.make('backed-up');
  const memory = await measureMemory(site, machine);
  await write(site.daemon, machine, SMALL_MB);
  const time = await measureTime(site, machine, isQuick ? 1 : PAIRS);
  await site.customer.remove(machine);
  return [time, memory];
}

/** Each machine of the fleets has one backup. */
export async function measureBackupPages(stage: Stage): Promise<Row[]> {
  const [small, large] = stage.fixture.fleets;
  if (small === undefined || large === undefined) throw new Error('There must be two fleets to compare.');
  const at = (fleet: typeof small, query: string) => ({
    path: `/flexible-vps/v1/backups?limit=50${query}`,
    key: fleet.key.key,
  });
  const pair = (which: string, query: string): PagePair => ({
    which,
    small: at(small, query),
    large: at(large, query),
  });
  return comparePages(stage, {
    what: 'backups',
    unit: 'backups',
    least: LEAST_OF_LARGE,
    sizes: [small.machines, large.machines],
    pairs: [
      pair('first page', ''),
      pair('with a kind', '&kind=scheduled'),
      {
        which: 'deepest page',
        small: at(small, `&cursor=${small.deepestBackup}`),
        large: at(large, `&cursor=${large.deepestBackup}`),
        isDeepest: true,
      },
    ],
  });
}
