/** What /proc tells of a process and of those below it; NaN on systems without it. */
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

export function readMemory(pid: number, family: readonly number[]): Memory {
  const sum = (read: (member: number) => number): number =>
    family.reduce((total, member) => total + read(member), 0);
  try {
    const own = readMegabytes(pid, 'status', 'VmRSS');
    const others = family.filter((member) => member !== pid);
    try {
      const all = sum((member) => readMegabytes(member, 'smaps_rollup', 'Pss'));
      return { own, all, method: `PSS of ${family.length} processes` };
    } catch {
      // Root in a container may not look into the pages of another user's process.
      const most = (name: string): number =>
        Math.max(0, ...others.map((member) => readMegabytes(member, 'status', name)));
      const all =
        own +
        others.reduce((total, member) => total + readMegabytes(member, 'status', 'RssAnon'), 0) +
        most('RssFile') +
        most('RssShmem');
      const method = `VmRSS of ours, RssAnon of ${others.length} PostgreSQL processes, and what these share (RssFile, RssShmem) once`;
      return { own, all, method };
    }
  } catch {
    return { own: Number.NaN, all: Number.NaN, method: 'needs /proc' };
  }
}

function parentOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);
  } catch {
    return Number.NaN;
  }
}

/** The process and all below it. */
export function familyOf(pid: number): number[] {
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
