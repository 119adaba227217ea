/** The charts of a machine's metrics: series of the same metric and unit share one. */
import { spoken } from '../../../data/words.ts';

export interface MetricSeries {
  readonly metric: string;
  readonly name: string;
  readonly unit: string;
  readonly points: readonly (readonly [seconds: number, value: number | null])[];
}

export interface MetricChart {
  readonly title: string;
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  readonly seconds: readonly number[];
  readonly unit: string;
  /** The axis reaches at least so far. */
  readonly least: number;
}

const titles: Readonly<Record<string, string>> = {
  'cpu percent': 'Processors',
  'memory bytes': 'Memory',
  'disk_io bytes_per_second': 'Disk throughput',
  'disk_io operations_per_second': 'Disk operations',
  'disk_usage bytes': 'Disk usage',
  'network bytes_per_second': 'Network',
};

const names: Readonly<Record<string, string>> = { read_bytes: 'Read', write_bytes: 'Written' };

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Bytes are divided by this power of 1,024, so that the axis has round numbers. */
function scaleOf(unit: string, highest: number): { readonly factor: number; readonly unit: string } {
  if (unit === 'percent') return { factor: 1, unit: '%' };
  if (unit === 'operations_per_second') return { factor: 1, unit: '/s' };
  if (!unit.startsWith('bytes')) return { factor: 1, unit: unit.replaceAll('_', ' ') };
  const power = highest < 1 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log2(highest) / 10));
  return { factor: 1024 ** power, unit: `${SIZES[power]}${unit === 'bytes' ? '' : '/s'}` };
}

const sizes: Readonly<Record<string, readonly [member: string, bytes: number]>> = {
  memory: ['memory_mb', 1024 ** 2],
  disk_usage: ['disk_gb', 1024 ** 3],
};

/** `size`: the machine, whose memory and disk are the most that can be used of them. */
export function chartsOf(
  all: readonly MetricSeries[],
  size: Readonly<Record<string, unknown>>,
): readonly MetricChart[] {
  const groups = new Map<string, MetricSeries[]>();
  for (const series of all) {
    const key = `${series.metric} ${series.unit}`;
    groups.set(key, [...(groups.get(key) ?? []), series]);
  }
  return [...groups].flatMap(([key, group]): MetricChart[] => {
    const [first] = group;
    if (first === undefined) return [];
    const [member, bytes] = sizes[first.metric] ?? ['', 0];
    const whole = first.unit === 'percent' ? 100 : Number(size[member] ?? 0) * bytes;
    const highest = Math.max(whole, ...group.flatMap(({ points }) => points.map(([, value]) => value ?? 0)));
    const { factor, unit } = scaleOf(first.unit, highest);
    return [
      {
        title: titles[key] ?? spoken(first.metric),
        series: group.map(({ name, points }) => ({
          name: names[name] ?? spoken(name),
          values: points.map(([, value]) => (value === null ? null : value / factor)),
        })),
        seconds: first.points.map(([seconds]) => seconds),
        unit,
        least: whole / factor,
      },
    ];
  });
}

export const isEmpty = ({ series }: MetricChart): boolean =>
  series.every(({ values }) => values.every((value) => value === null));
