/**
 * Measured series cost a model thousands of tokens, and it cannot add them up. It gets the average, the 95th percentile
 * and the maximum of each; the points only if it chooses their distance (`step_seconds`).
 */
import type { CallRequest, Outcome } from './inner-call.ts';

type Point = readonly [time: number, value: number | null];

const isSeries = (value: unknown): value is { readonly points: readonly Point[] } =>
  value !== null && typeof value === 'object' && Array.isArray((value as { points?: unknown }).points);

const rounded = (value: number): number => Number(value.toPrecision(4));

function summaryOf(points: readonly Point[]): object {
  const values = points.flatMap(([, value]) => value ?? []).toSorted((a, b) => a - b);
  if (values.length === 0) return { avg: null, p95: null, max: null, measured_points: 0 };
  const sum = values.reduce((all, each) => all + each, 0);
  const p95 = values[Math.ceil(values.length * 0.95) - 1] ?? 0;
  return {
    avg: rounded(sum / values.length),
    p95: rounded(p95),
    max: rounded(values.at(-1) ?? 0),
    measured_points: values.length,
  };
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortened);
  if (isSeries(value)) {
    const { points, ...rest } = value;
    return { ...rest, ...summaryOf(points) };
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}

export const summarised = (outcome: Outcome, { query = {} }: CallRequest): Outcome =>
  'step_seconds' in query ? outcome : { ...outcome, body: shortened(outcome.body) };
