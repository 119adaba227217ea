import type { Ref } from '../instance.ts';
import type { MetricName, Series, SeriesRange } from '../series.ts';

export type Samples = Record<string, never>;

export async function readSeries(
  _samples: Samples,
  _location: string,
  _ref: Ref,
  _metrics: readonly MetricName[],
  _range: SeriesRange,
): Promise<readonly Series[]> {
  throw new Error('not written yet');
}
