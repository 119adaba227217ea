import type { Ref } from './instance.ts';

export const metricMeanings = {
  cpu: 'How busy the virtual processors are.',
  memory: 'How much memory the guest uses.',
  disk_io: 'Reads from the root disk and writes to it.',
  disk_usage: 'How much of the root disk is used.',
  network: 'What the interfaces send and receive.',
} as const;
export type MetricName = keyof typeof metricMeanings;
export const metricNames = Object.keys(metricMeanings) as readonly MetricName[];

export interface SeriesRange {
  readonly from: Date;
  readonly to: Date;
  readonly stepSeconds: number;
}

/** What a machine sent and received through all its interfaces. */
export interface Traffic extends Ref {
  readonly inBytes: number;
  readonly outBytes: number;
}

export interface Series {
  readonly metric: MetricName;
  /** For example `read_bytes`; unique within its metric. */
  readonly name: string;
  readonly unit: 'percent' | 'bytes' | 'bytes_per_second' | 'operations_per_second';
  /**
   * One value for each step, starting at `from` and ending before `to`. A step that was not measured is null, never
   * 0.
   */
  readonly values: readonly (number | null)[];
}
