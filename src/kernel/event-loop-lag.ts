/**
 * prom-client shows how long its timer took from one tick to the next, so an idle process would show the interval of
 * the timer as lag. The lag is what exceeds the interval.
 */
import { Gauge, type Registry } from 'prom-client';

const figures = ['min', 'max', 'mean', 'p50', 'p90', 'p99'];

export function subtractInterval(registry: Registry, seconds: number): void {
  for (const figure of figures) {
    const gauge = registry.getSingleMetric(`nodejs_eventloop_lag_${figure}_seconds`);
    if (!(gauge instanceof Gauge)) continue;
    const set = gauge.set.bind(gauge) as (labels: object, value: number) => void;
    const setLag = (labels: object, value: number): void => set(labels, lagOf(value, seconds));
    gauge.set = setLag as typeof gauge.set;
  }
}

/** Without any tick since the last scrape, the smallest delay is the largest number, and the mean is not a number. */
function lagOf(delay: number, interval: number): number {
  return Number.isFinite(delay) && delay < 1e9 ? Math.max(0, delay - interval) : 0;
}
