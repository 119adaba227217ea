/** Reads from /proc the memory of a process and its descendants; NaN on systems without /proc. */
import { readdirSync, readFileSync } from 'node:fs';

function readMegabytes(pid: number, file: 'status' | 'smaps_rollup', name: string): number {
  const text = readFileSync(`/proc/${pid}/${file}`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN) / 1024;
}

export interface Memory {
  readonly own: number;
  readonly all: number;
  readonly method: string;
}

/** The memory of a server and of the database processes below it. */
export function readMemory(pid: number): Memory {
  try {
    const own = readMegabytes(pid, 'status', 'VmRSS');
    const database = readShared(familyOf(pid).filter((member) => member !== pid));
    return { own, all: own + database.megabytes, method: `VmRSS of ours, ${database.method}` };
  } catch {
    return { own: Number.NaN, all: Number.NaN, method: 'needs /proc' };
  }
}

/** PostgreSQL's processes share most of their pages, which must count only once. */
function readShared(pids: readonly number[]): { megabytes: number; method: string } {
  const sum = (file: 'status' | 'smaps_rollup', name: string): number =>
    pids.reduce((total, pid) => total + readMegabytes(pid, file, name), 0);
  try {
    return { megabytes: sum('smaps_rollup', 'Pss'), method: `PSS of ${pids.length} PostgreSQL processes` };
  } catch {
    // Root in a container may not read the page statistics of another user's process.
    const most = (name: string): number =>
      Math.max(0, ...pids.map((pid) => readMegabytes(pid, 'status', name)));
    return {
      megabytes: sum('status', 'RssAnon') + most('RssFile') + most('RssShmem'),
      method: `RssAnon of ${pids.length} PostgreSQL processes, RssFile and RssShmem of the largest`,
    };
  }
}

function parentOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
  } catch {
    return Number.NaN;
  }
}

/** The process and all its descendants. */
function familyOf(pid: number): number[] {
  let parents: (readonly [child: number, parent: number])[] = [];
  try {
    const pids = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
    parents = pids.map((child) => [child, parentOf(child)] as const);
  } catch {
    return [pid];
  }
  const found = [pid];
  for (const member of found) {
    found.push(...parents.filter(([, parent]) => parent === member).map(([child]) => child));
  }
  return found;
}
