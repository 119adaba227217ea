import {
  EngineRefused,
  metricMeanings,
  metricNames,
  type Series,
  type SeriesRange,
} from '../../../engines/compute/port.ts';
import { ask, requireCapability } from '../../../engines/engine-call.ts';
import { invalid, Problem } from '../../../kernel/problems/problem.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import {
  byProvider,
  Named,
  Nullable,
  OneOf,
  Shape,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import { refOf } from '../vms/guest.ts';
import { machineRefusals } from '../vms/refusal-problems.ts';
import { exampleVm, VmId } from '../vms/schema.ts';
import { findVm } from '../vms/store.ts';

const MINUTE_SECONDS = 60;
const HOUR_MS = 3_600_000;
const LONGEST_MS = 30 * 24 * HOUR_MS;
const MOST_POINTS = 1000;

const Metric = Named('VmMetric', OneOf(metricMeanings, { description: 'What is measured.' }));

const VmMetrics = Named(
  'VmMetrics',
  Shape({
    from: { ...Time, description: 'The start of the range.' },
    to: { ...Time, description: 'The end of the range, not included.' },
    step_seconds: Type.Integer({ 'x-unit': 'seconds', description: 'The time between two points.' }),
    series: Type.Array(
      Shape({
        metric: Metric,
        name: Type.String({
          ...byProvider,
          description: 'The series within the metric, for example `read_bytes`.',
        }),
        unit: OneOf(
          {
            percent: 'Percent of what the machine has.',
            bytes: 'Bytes that are in use.',
            bytes_per_second: 'Bytes that were transferred in each second.',
            operations_per_second: 'Reads or writes in each second.',
          },
          { description: 'The unit of the values.' },
        ),
        points: Type.Array(Type.Array(Nullable(Type.Number()), { minItems: 2, maxItems: 2 }), {
          description: 'Pairs of Unix seconds and value. The value is null, not 0, if nothing was measured.',
        }),
      }),
      { description: 'The measured series, several for some metrics.' },
    ),
    data_complete_until: { ...Time, description: 'Points from then on may still change.' },
  }),
);

const Query = Shape({
  metrics: Type.Optional(
    Type.Array(Metric, {
      minItems: 1,
      maxItems: metricNames.length,
      description: 'Only these metrics, separated by commas. Default: all.',
    }),
  ),
  from: Type.Optional({ ...Time, description: 'Start of the range. Default: an hour before `to`.' }),
  to: Type.Optional({ ...Time, description: 'End of the range, exclusive. Default: now.' }),
  step_seconds: Type.Optional(
    Type.Integer({
      minimum: MINUTE_SECONDS,
      maximum: LONGEST_MS / 1000,
      'x-unit': 'seconds',
      description:
        'Seconds between two points. Default: the smallest number of whole minutes that gives at most 1000 points.',
    }),
  ),
});

function refuse(name: string, detail: string): never {
  throw invalid([{ pointer: `query/${name}`, code: 'out_of_range', detail }]);
}

const smallestStep = (milliseconds: number): number =>
  Math.max(MINUTE_SECONDS, Math.ceil(milliseconds / 1000 / MOST_POINTS));

export function rangeOf(query: Static<typeof Query>, now: Date): SeriesRange {
  const to = query.to === undefined ? now : new Date(query.to);
  const from = query.from === undefined ? new Date(to.getTime() - HOUR_MS) : new Date(query.from);
  if (from.getTime() < 0) refuse('from', '`from` has to be in 1970 or later.');
  const length = to.getTime() - from.getTime();
  if (length <= 0) refuse('to', '`to` has to be after `from`.');
  if (length > LONGEST_MS) refuse('from', 'You can read at most 30 days at once.');
  const smallest = smallestStep(length);
  const wholeMinutes = Math.ceil(smallest / MINUTE_SECONDS) * MINUTE_SECONDS;
  const stepSeconds = query.step_seconds ?? wholeMinutes;
  if (stepSeconds < smallest)
    throw new Problem('query_too_large', {
      detail: `A series has at most ${MOST_POINTS} points.`,
      extra: { min_step_seconds: smallest },
    });
  return { from, to, stepSeconds };
}

function presentSeries({ metric, name, unit, values }: Series, { from, stepSeconds }: SeriesRange) {
  const start = Math.floor(from.getTime() / 1000);
  return { metric, name, unit, points: values.map((value, i) => [start + i * stepSeconds, value]) };
}

export const getVmMetrics = endpoint({
  id: 'getVmMetrics',
  method: 'GET',
  path: '/flexible-vps/v1/vms/{id}/metrics',
  summary: 'Read the metrics of a machine',
  description: 'Returns at most 30 days, with at most 1000 points in each series.',
  permission: 'flexible-vps:vms:read',
  access: 'read',
  resource: { name: 'vm_metrics', role: 'read' },
  params: VmId,
  query: Query,
  answers: { 200: VmMetrics },
  problems: ['capability_missing', 'query_too_large'],
  example: {
    params: { id: exampleVm.id },
    query: { metrics: ['cpu'] },
    answer: {
      status: 200,
      body: {
        from: '2026-03-01T10:00:00.000Z',
        to: '2026-03-01T10:03:00.000Z',
        step_seconds: 60,
        series: [
          {
            metric: 'cpu',
            name: 'used',
            unit: 'percent',
            points: [
              [1772359200, 12.5],
              [1772359260, null],
              [1772359320, 14.02],
            ],
          },
        ],
        data_complete_until: '2026-03-01T10:03:00.000Z',
      },
    },
  },
  async handle({ db, caller, params, query, services, now }) {
    const row = await findVm(db, caller.account.id, params.id);
    requireCapability(services.compute, row.location, 'series');
    const range = rangeOf(query, now);
    const metrics = query.metrics ?? metricNames;
    const series = await ask(services.compute, row.location, machineRefusals, (engine, signal) =>
      engine.readSeries(refOf(row), metrics, range, signal).catch((error: unknown) => {
        // The instance is not created yet, so there are no measurements.
        if (error instanceof EngineRefused && error.code === 'not_found') return [];
        throw error;
      }),
    );
    return ok({
      from: range.from.toISOString(),
      to: range.to.toISOString(),
      step_seconds: range.stepSeconds,
      series: series.map((each) => presentSeries(each, range)),
      data_complete_until: new Date(Math.min(range.to.getTime(), now.getTime())).toISOString(),
    });
  },
});
