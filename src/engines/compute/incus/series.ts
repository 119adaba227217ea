/** Computes time series from samples: the growth rate of counters, and levels such as memory and disk usage. */
import type { Ref } from '../instance.ts';
import type { MetricName, Series, SeriesRange, Traffic } from '../series.ts';
import type { Site } from './driver-context.ts';
import { IncusError, isPassing } from './failure.ts';
import { readHostTotals } from './hosts.ts';
import { type Sample, samplesOf } from './metrics-text.ts';
import { nameOf, projectOf } from './names.ts';

export interface Samples {
  add(samples: readonly Sample[]): Promise<void>;
  /** Sorted by time, oldest first. */
  read(ref: Ref, from: Date, to: Date): Promise<readonly Sample[]>;
  /** How much the network counters grew with each sample from `from` until before `to`. */
  sumTraffic(from: Date, to: Date): Promise<readonly Traffic[]>;
  removeBefore(at: Date): Promise<void>;
}

/** Between samples that are further apart, nothing was measured. */
const WIDEST_GAP_MS = 150_000;
const KEPT_MS = 8 * 24 * 3_600_000;

/** The value between `after` and `at`, in milliseconds since 1970. */
interface Stretch {
  readonly after: number;
  readonly at: number;
  readonly value: number;
}

type Reading = (sample: Sample) => number | null;

const isNear = (before: Sample | undefined, { at }: Sample): before is Sample =>
  before !== undefined && at.getTime() - before.at.getTime() <= WIDEST_GAP_MS;

/** Per second. A counter that decreased was reset at an unknown time, so there is no value. */
const rate =
  (read: Reading): Curve['stretch'] =>
  (before, sample) => {
    const [from, to] = [before && read(before), read(sample)];
    if (!isNear(before, sample) || from == null || to === null || to < from) return null;
    const seconds = (sample.at.getTime() - before.at.getTime()) / 1000;
    return seconds === 0 ? null : (to - from) / seconds;
  };

const level =
  (read: Reading): Curve['stretch'] =>
  (_before, sample) =>
    read(sample);

interface Curve extends Omit<Series, 'values'> {
  stretch(before: Sample | undefined, sample: Sample): number | null;
}

const flow = (metric: 'disk_io' | 'network', name: string, read: Reading): Curve => ({
  metric,
  name,
  unit: 'bytes_per_second',
  stretch: rate(read),
});

const curves: readonly Curve[] = [
  {
    metric: 'cpu',
    name: 'used',
    unit: 'percent',
    stretch: (before, sample) => {
      const busy = rate(({ cpuSeconds }) => cpuSeconds)(before, sample);
      return busy === null || !sample.vcpus ? null : Math.min(100, (100 * busy) / sample.vcpus);
    },
  },
  { metric: 'memory', name: 'used', unit: 'bytes', stretch: level(({ memoryUsed }) => memoryUsed) },
  flow('disk_io', 'read_bytes', ({ diskReadBytes }) => diskReadBytes),
  {
    metric: 'disk_io',
    name: 'reads',
    unit: 'operations_per_second',
    stretch: rate(({ diskReads }) => diskReads),
  },
  flow('disk_io', 'write_bytes', ({ diskWrittenBytes }) => diskWrittenBytes),
  {
    metric: 'disk_io',
    name: 'writes',
    unit: 'operations_per_second',
    stretch: rate(({ diskWrites }) => diskWrites),
  },
  { metric: 'disk_usage', name: 'used', unit: 'bytes', stretch: level(({ diskUsed }) => diskUsed) },
  flow('network', 'received', ({ networkInBytes }) => networkInBytes),
  flow('network', 'sent', ({ networkOutBytes }) => networkOutBytes),
];

/** A sample without a recent predecessor counts only for its own moment. */
function stretchesOf(samples: readonly Sample[], { stretch }: Curve): Stretch[] {
  return samples.flatMap((sample, i) => {
    const before = samples[i - 1];
    const value = stretch(before, sample);
    if (value === null) return [];
    const at = sample.at.getTime();
    return [{ after: isNear(before, sample) ? before.at.getTime() : at - 1, at, value }];
  });
}

/** The average of the values between `from` and `to`, each weighted by how long it holds within that time. */
function average(stretches: readonly Stretch[], from: number, to: number): number | null {
  let [sum, length] = [0, 0];
  for (const { after, at, value } of stretches) {
    const part = Math.min(at, to) - Math.max(after, from);
    if (part <= 0) continue;
    sum += value * part;
    length += part;
  }
  return length === 0 ? null : Math.round((100 * sum) / length) / 100;
}

export function seriesOf(
  samples: readonly Sample[],
  metrics: readonly MetricName[],
  { from, to, stepSeconds }: SeriesRange,
): Series[] {
  const step = stepSeconds * 1000;
  const count = Math.max(0, Math.ceil((to.getTime() - from.getTime()) / step));
  const starts = Array.from({ length: count }, (_, i) => from.getTime() + i * step);
  return curves
    .filter(({ metric }) => metrics.includes(metric))
    .map((curve) => {
      const stretches = stretchesOf(samples, curve);
      const { metric, name, unit } = curve;
      return { metric, name, unit, values: valuesOf(stretches, starts, step) };
    });
}

/** Both lists are sorted by time, so a stretch that ends before one step is skipped for all later steps. */
function valuesOf(stretches: readonly Stretch[], starts: readonly number[], step: number): (number | null)[] {
  let first = 0;
  return starts.map((start) => {
    while ((stretches[first]?.at ?? Number.POSITIVE_INFINITY) <= start) first++;
    let last = first;
    while ((stretches[last]?.after ?? Number.POSITIVE_INFINITY) < start + step) last++;
    return average(stretches.slice(first, last), start, start + step);
  });
}

export async function readSeries(
  samples: Samples,
  ref: Ref,
  metrics: readonly MetricName[],
  range: SeriesRange,
): Promise<readonly Series[]> {
  const from = new Date(range.from.getTime() - WIDEST_GAP_MS);
  const to = new Date(range.to.getTime() + WIDEST_GAP_MS);
  return seriesOf(await samples.read(ref, from, to), metrics, range);
}

/** Each cluster member reports only its own machines; a lost member reports none. */
async function readMetrics(site: Site, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const read = (target?: string): Promise<string> =>
    site.client.askText('/1.0/metrics', { ...(target === undefined ? {} : { target }), signal });
  if (!(await site.readServer(signal)).environment.server_clustered) return [await read()];
  const totals = await readHostTotals(site);
  const told = await Promise.allSettled(totals.map(({ name }) => read(name)));
  signal?.throwIfAborted();
  const failed = told.find((each) => each.status === 'rejected');
  if (failed !== undefined && !isPassing(failed.reason)) throw failed.reason;
  return told.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

/** One request for all machines, and one more for each machine whose disk usage it does not include. */
export async function takeSamples(site: Site, samples: Samples, signal?: AbortSignal): Promise<void> {
  const texts = await readMetrics(site, signal);
  const at = new Date();
  const measured = texts.flatMap((text) => samplesOf(text, at));
  const whole: Sample[] = [];
  for (const sample of measured)
    whole.push(sample.diskUsed === null ? { ...sample, ...(await readDisk(site, sample, signal)) } : sample);
  await samples.add(whole);
  await samples.removeBefore(new Date(at.getTime() - KEPT_MS));
}

async function readDisk(
  { client, settings }: Site,
  ref: Ref,
  signal: AbortSignal | undefined,
): Promise<Partial<Sample>> {
  const type = settings.instanceType;
  const path = `/1.0/storage-pools/${settings.storagePool}/volumes/${type}/${nameOf(ref.id)}/state`;
  try {
    const { usage } = await client.ask<{ usage?: { used?: number; total?: number } }>('GET', path, {
      project: projectOf(ref),
      signal,
    });
    return { diskUsed: usage?.used ?? null, diskTotal: usage?.total || null };
  } catch (error) {
    signal?.throwIfAborted();
    // The machine was deleted in the meantime, or the pool does not measure usage.
    if (error instanceof IncusError) return {};
    throw error;
  }
}
