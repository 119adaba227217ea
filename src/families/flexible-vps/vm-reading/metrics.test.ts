import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';
import { rangeOf } from './metrics.ts';

interface Metrics {
  readonly from: string;
  readonly to: string;
  readonly step_seconds: number;
  readonly series: { metric: string; name: string; unit: string; points: [number, number | null][] }[];
  readonly data_complete_until: string;
}

let app: TestApp;
let vps: VpsAccount;
let vm: Vm;

beforeAll(async () => {
  app = await createTestApp();
  vps = await VpsAccount.open(app);
  vm = await vps.vm();
});
afterEach(() => clearFaults(app.services.db));
afterAll(() => app.close());

const ask = (query: Record<string, string> = {}) =>
  vps.send('GET', `vms/${vm.id}/metrics?${new URLSearchParams(query)}`);

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

describe('the metrics of a machine', () => {
  it('are those of the last hour, minute by minute, with gaps where nothing was measured', async () => {
    const answer = await ask();
    expect(answer.statusCode, answer.body).toBe(200);
    const { series, step_seconds, from, to } = answer.json<Metrics>();
    expect(step_seconds).toBe(60);
    expect(new Date(to).getTime() - new Date(from).getTime()).toBe(3_600_000);
    expect(new Set(series.map(({ metric }) => metric))).toEqual(
      new Set(['cpu', 'memory', 'disk_io', 'disk_usage', 'network']),
    );
    const { points } = series.find(({ metric }) => metric === 'cpu')!;
    expect(points).toHaveLength(60);
    expect(points[0]).toEqual([Math.floor(new Date(from).getTime() / 1000), null]);
    expect(points[1]![0] - points[0]![0]).toBe(60);
  });

  it('hold what was measured, of what was asked for', async () => {
    const query = { metrics: 'cpu,network', from: minutesAgo(2), to: minutesAgo(-2) };
    const { series, data_complete_until } = (await ask(query)).json<Metrics>();
    expect(series.map(({ metric, name }) => `${metric}.${name}`)).toEqual([
      'cpu.used',
      'network.received',
      'network.sent',
    ]);
    expect(new Date(data_complete_until).getTime()).toBeLessThanOrEqual(Date.now());
    const values = series[0]!.points.map(([, value]) => value);
    expect(values.at(-1)).toBeNull();
  });

  it.each([
    ['a metric nobody knows', { metrics: 'cpu,mood' }, 'validation_failed'],
    ['steps below a minute', { step_seconds: '59' }, 'validation_failed'],
    [
      'an end before its beginning',
      { from: '2026-03-02T00:00:00Z', to: '2026-03-01T00:00:00Z' },
      'validation_failed',
    ],
    ['more than 30 days', { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' }, 'validation_failed'],
    [
      'more than 1000 points',
      { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', step_seconds: '60' },
      'query_too_large',
    ],
  ])('422: %s', async (_, query, code) => {
    const answer = await ask(query);
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([422, code]);
  });

  it('says which step would do, and takes it', async () => {
    const range = { from: '2026-03-01T00:00:00Z', to: '2026-03-31T00:00:00Z' };
    const { min_step_seconds } = (await ask({ ...range, step_seconds: '60' })).json<{
      min_step_seconds: number;
    }>();
    const { series } = (await ask({ ...range, step_seconds: String(min_step_seconds) })).json<Metrics>();
    expect(series[0]!.points).toHaveLength(1000);
    expect(rangeOf(range, new Date()).stepSeconds % 60).toBe(0);
  });

  it('503: while the engine does not answer', async () => {
    await addFault(app.services.db, { target: vm.id, call: 'readSeries', effect: { kind: 'unreachable' } });
    const answer = await ask();
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('5');
  });
});
