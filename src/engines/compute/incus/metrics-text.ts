/**
 * Parses the engine's metrics for all machines, which are counters since each start in the Prometheus text format.
 */
import type { Ref } from '../instance.ts';
import { idOf } from './names.ts';

/** The measurements of one machine at one time; null where the engine reports no value. */
export interface Sample extends Ref {
  readonly at: Date;
  readonly cpuSeconds: number | null;
  readonly vcpus: number | null;
  readonly memoryUsed: number | null;
  readonly memoryTotal: number | null;
  readonly diskReadBytes: number | null;
  readonly diskWrittenBytes: number | null;
  readonly diskReads: number | null;
  readonly diskWrites: number | null;
  readonly diskUsed: number | null;
  readonly diskTotal: number | null;
  readonly networkInBytes: number | null;
  readonly networkOutBytes: number | null;
}

interface Line {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^(?:incus|lxd)_(\w+)\{([^}]*)\} (\S+)$/;

function parseLine(text: string): Line | null {
  const [, name, labels, value] = LINE.exec(text) ?? [];
  if (name === undefined || labels === undefined) return null;
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
}

/** CPU modes in which the machine does no work. */
const IDLE = ['idle', 'iowait', 'steal'];

function sampleOf(ref: Ref, at: Date, lines: readonly Line[]): Sample {
  const sum = (name: string, counts: (labels: Line['labels']) => boolean = () => true): number | null => {
    const found = lines.filter((line) => line.name === name && counts(line.labels));
    return found.length === 0 ? null : found.reduce((total, { value }) => total + value, 0);
  };
  const isRoot = ({ mountpoint }: Line['labels']): boolean => mountpoint === '/';
  const isReal = ({ device }: Line['labels']): boolean => device !== 'lo';
  const less = (from: number | null, what: number | null): number | null =>
    from === null || what === null ? null : Math.max(0, from - what);
  const memoryTotal = sum('memory_MemTotal_bytes');
  const diskTotal = sum('filesystem_size_bytes', isRoot);
  return {
    ...ref,
    at,
    cpuSeconds: sum('cpu_seconds_total', ({ mode = '' }) => !IDLE.includes(mode)),
    vcpus: sum('cpu_effective_total'),
    memoryUsed: less(memoryTotal, sum('memory_MemAvailable_bytes')),
    memoryTotal,
    diskReadBytes: sum('disk_read_bytes_total'),
    diskWrittenBytes: sum('disk_written_bytes_total'),
    diskReads: sum('disk_reads_completed_total'),
    diskWrites: sum('disk_writes_completed_total'),
    diskUsed: less(diskTotal, sum('filesystem_free_bytes', isRoot)),
    diskTotal,
    networkInBytes: sum('network_receive_bytes_total', isReal),
    networkOutBytes: sum('network_transmit_bytes_total', isReal),
  };
}

const isOurs = (project: string, name: string): boolean =>
  project.startsWith('acc-') && name.startsWith('vm-');

/** Samples of our running machines. */
export function samplesOf(text: string, at: Date): Sample[] {
  const machines = new Map<string, { readonly ref: Ref; readonly lines: Line[] }>();
  for (const each of text.split('\n')) {
    const line = parseLine(each);
    const { project = '', name = '' } = line?.labels ?? {};
    if (line === null || !isOurs(project, name)) continue;
    const key = `${project} ${name}`;
    const machine = machines.get(key) ?? { ref: { account: idOf(project), id: idOf(name) }, lines: [] };
    machine.lines.push(line);
    machines.set(key, machine);
  }
  return [...machines.values()].map(({ ref, lines }) => sampleOf(ref, at, lines));
}
