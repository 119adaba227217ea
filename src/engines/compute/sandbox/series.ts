/** Simulated metrics. The values depend only on the machine and the time, so repeated reads return the same values. */
import { createHash } from 'node:crypto';
import type { MetricName, Series, SeriesRange, Traffic } from '../series.ts';
import type { Machine, Moment } from './state.ts';
import type { ComputeStateStore } from './store.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const seedOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE(0);

/** Returns a pseudo-random number from 0 to 1 for each step. */
function scatter(seed: number, step: number): number {
  let x = (seed ^ Math.imul(step | 0, 0x9e3779b1)) >>> 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b) >>> 0;
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35) >>> 0;
  return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
}

/** Noise from 0 to 1 that changes smoothly, without jumps. */
function drift(seed: number, at: Moment, period: number): number {
  const step = Math.floor(at / period);
  const part = at / period - step;
  const smooth = part * part * (3 - 2 * part);
  return scatter(seed, step) * (1 - smooth) + scatter(seed, step + 1) * smooth;
}

/**
 * The load of the machine, from 0 to 1: low at night, high by day, with short peaks, and higher for two minutes after a
 * start.
 */
function loadOf(id: string, at: Moment, upSince: Moment): number {
  const seed = seedOf(id);
  const day = 0.5 - 0.5 * Math.cos((2 * Math.PI * (at + (seed % 4) * 60 * MINUTE)) / DAY);
  const base = 0.04 + 0.2 * (seed / 2 ** 32);
  const haste = drift(seed, at, 7 * MINUTE) ** 4;
  const start = at - upSince < 2 * MINUTE ? 0.4 : 0;
  return Math.min(1, base + 0.3 * day * drift(seed + 1, at, 47 * MINUTE) + 0.45 * haste + start);
}

type Reading = (at: Moment, upSince: Moment) => number;

interface Curve extends Omit<Series, 'values'> {
  readonly read: Reading;
  /** The metric also has values while the machine is stopped. */
  readonly survivesStop?: true;
}

function curvesOf(id: string, { size, createdAt, disk }: Machine): Curve[] {
  const load: Reading = (at, upSince) => loadOf(id, at, upSince);
  const memory = size.memoryMb * 1024 ** 2;
  const flow = (name: string, most: number): Reading => {
    const seed = seedOf(`${id} ${name}`);
    return (at, upSince) => Math.round(most * load(at, upSince) * (0.3 + 0.7 * drift(seed, at, 3 * MINUTE)));
  };
  const used = 2.1 * 1024 ** 3 + Object.values(disk).join('').length;
  return [
    { metric: 'cpu', name: 'used', unit: 'percent', read: (at, up) => round(100 * load(at, up)) },
    {
      metric: 'memory',
      name: 'used',
      unit: 'bytes',
      read: (at, up) =>
        Math.round(memory * (0.18 + 0.5 * drift(seedOf(id), at, 180 * MINUTE) * load(at, up))),
    },
    ...(['read', 'write'] as const).flatMap((way): Curve[] => [
      { metric: 'disk_io', name: `${way}_bytes`, unit: 'bytes_per_second', read: flow(way, 40e6) },
      { metric: 'disk_io', name: `${way}s`, unit: 'operations_per_second', read: flow(way, 900) },
    ]),
    {
      metric: 'disk_usage',
      name: 'used',
      unit: 'bytes',
      survivesStop: true,
      read: (at) => Math.round(Math.min(size.diskGb * 1024 ** 3, used + ((at - createdAt) / DAY) * 40e6)),
    },
    { metric: 'network', name: 'received', unit: 'bytes_per_second', read: flow('received', 12e6) },
    { metric: 'network', name: 'sent', unit: 'bytes_per_second', read: flow('sent', 20e6) },
  ];
}

const round = (value: number): number => Math.round(value * 100) / 100;

const bootAt = ({ boots }: Machine, at: Moment): Moment | null =>
  boots.find((boot) => boot.at <= at && (boot.end === null || at < boot.end.at))?.at ?? null;

export function seriesOf(
  id: string,
  machine: Machine,
  metrics: readonly MetricName[],
  { from, to, stepSeconds }: SeriesRange,
  now: Moment,
): Series[] {
  const step = stepSeconds * 1000;
  const count = Math.max(0, Math.ceil((to.getTime() - from.getTime()) / step));
  const moments = Array.from({ length: count }, (_, i) => from.getTime() + i * step);
  return curvesOf(id, machine)
    .filter(({ metric }) => metrics.includes(metric))
    .map(({ metric, name, unit, read, survivesStop }) => ({
      metric,
      name,
      unit,
      values: moments.map((at) => {
        if (at < machine.createdAt || at > now) return null;
        const upSince = bootAt(machine, at);
        if (upSince === null && survivesStop !== true) return null;
        return read(at, upSince ?? at);
      }),
    }));
}

const MOST_STEPS = 100;

/** The sum of the network curves. A long time is summed up in larger steps, because there may be many machines. */
function trafficOf(id: string, machine: Machine, from: Date, to: Date, now: Moment) {
  const seconds = Math.max(0, to.getTime() - from.getTime()) / 1000;
  const stepSeconds = Math.max(60, Math.ceil(seconds / MOST_STEPS));
  const series = seriesOf(id, machine, ['network'], { from, to, stepSeconds }, now);
  const sum = (wanted: string): number =>
    Math.round(
      (series.find(({ name }) => name === wanted)?.values ?? []).reduce(
        (total: number, value, i) => total + (value ?? 0) * Math.min(stepSeconds, seconds - i * stepSeconds),
        0,
      ),
    );
  return { inBytes: sum('received'), outBytes: sum('sent') };
}

export async function readTraffic(store: ComputeStateStore, from: Date, to: Date): Promise<Traffic[]> {
  const now = await store.now();
  return (await store.list('machine')).map(({ project: account, id, state }) => ({
    account,
    id,
    ...trafficOf(id, state, from, to, now),
  }));
}
