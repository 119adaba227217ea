/** Curves from samples: how fast counters grew from one to the next, and how full things were. */
import type { Ref } from '../instance.ts';
import type { MetricName, Series, SeriesRange } from '../series.ts';
import { IncusError, isPassing } from './failure.ts';
import { readRooms } from './hosts.ts';
import { type Sample, samplesOf } from './metrics-text.ts';
import { nameOf, projectOf } from './names.ts';
import type { Site } from './site.ts';

export interface Samples {
  add(samples: readonly Sample[]): Promise<void>;
  /** The oldest first. */
  read(ref: Ref, from: Date, to: Date): Promise<readonly Sample[]>;
  removeBefore(at: Date): Promise<void>;
}

/** Samples that are further apart have something between them that nobody measured. */
const WIDEST_GAP_MS = 150_000;
const KEPT_MS = 8 * 24 * 3_600_000;

/** How much it was from `after` to `at`, in milliseconds since 1970. */
interface Stretch {
  readonly after: number;
  readonly at: number;
  readonly value: number;
}

type Reading = (sample: Sample) => number | null;

const isNear = (before: Sample | undefined, { at }: Sample): before is Sample =>
  before !== undefined && at.getTime() - before.at.getTime() <= WIDEST_GAP_MS;

/** In the second; a counter that went back was set to nothing at a time we do not know. */
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

/** What was measured after nothing stands for its own moment only. */
function stretchesOf(samples: readonly Sample[], { stretch }: Curve): Stretch[] {
  return samples.flatMap((sample, i) => {
    const before = samples[i - 1];
    const value = stretch(before, sample);
    if (value === null) return [];
    const at = sample.at.getTime();
    return [{ after: isNear(before, sample) ? before.at.getTime() : at - 1, at, value }];
  });
}

/** Each counts for as long as it lies within the step. */
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

/** Both are in the order of time: what lies before a step lies before all later ones. */
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

/** A member of a cluster tells of its own machines only; one that is lost has none to tell of. */
async function readMetrics(site: Site, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const read = (target?: string): Promise<string> =>
    site.client.askText('/1.0/metrics', { ...(target === undefined ? {} : { target }), signal });
  if (!(await site.readServer(signal)).environment.server_clustered) return [await read()];
  const rooms = await readRooms(site);
  const told = await Promise.allSettled(rooms.map(({ name }) => read(name)));
  signal?.throwIfAborted();
  const failed = told.find((each) => each.status === 'rejected');
  if (failed !== undefined && !isPassing(failed.reason)) throw failed.reason;
  return told.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
}

/** One question for all machines; only where it does not tell how full a disk is, one more for each. */
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
    // Gone meanwhile, or a pool that does not measure.
    if (error instanceof IncusError) return {};
    throw error;
  }
}
