import { describe, expect, it, vi } from 'vitest';
import { Metrics } from './metrics.ts';

const NAME = 'hostplane_request_duration_seconds';

async function linesOf(metrics: Metrics): Promise<string[]> {
  return (await metrics.render()).split('\n').filter((line) => line.startsWith('hostplane_request'));
}

describe('metrics', () => {
  it('count requests by operation and status, up to date at every scrape', async () => {
    const metrics = new Metrics();
    metrics.requests.answered('getWhoami', 200, 0.002);
    metrics.requests.answered('getWhoami', 200, 0.002);
    metrics.requests.answered('getWhoami', 401, 0.002);
    metrics.requests.aborted('listApiKeys');
    await metrics.render();
    expect((await linesOf(metrics)).filter((line) => line.includes('requests_total'))).toEqual([
      'hostplane_requests_total{operation="getWhoami",status="200"} 2',
      'hostplane_requests_total{operation="getWhoami",status="401"} 1',
      'hostplane_requests_total{operation="listApiKeys",status="aborted"} 1',
    ]);
  });

  it('count refusals by code', async () => {
    const metrics = new Metrics();
    metrics.requests.refused('rate_limited');
    metrics.requests.refused('rate_limited');
    await metrics.render();
    expect(await metrics.render()).toContain('hostplane_refusals_total{code="rate_limited"} 2');
  });

  it('show durations as a cumulative histogram', async () => {
    const metrics = new Metrics();
    for (const seconds of [0.0005, 0.001, 0.002, 0.3, 100]) metrics.requests.answered('none', 404, seconds);
    const lines = await linesOf(metrics);
    const bucket = (le: string): string => `${NAME}_bucket{le="${le}",operation="none"}`;
    expect(lines).toContain(`${bucket('0.001')} 2`);
    expect(lines).toContain(`${bucket('0.0025')} 3`);
    expect(lines).toContain(`${bucket('0.25')} 3`);
    expect(lines).toContain(`${bucket('0.5')} 4`);
    expect(lines).toContain(`${bucket('60')} 4`);
    expect(lines).toContain(`${bucket('+Inf')} 5`);
    expect(lines).toContain(`${NAME}_sum{operation="none"} 100.3035`);
    expect(lines).toContain(`${NAME}_count{operation="none"} 5`);
    expect(await metrics.render()).toContain(`# TYPE ${NAME} histogram`);
  });

  it('show no event loop lag while the process is idle', async () => {
    const metrics = new Metrics();
    // The shortest of several ticks, because this process may really be busy.
    await vi.waitFor(
      async () => {
        const text = await metrics.render();
        const read = (figure: string) =>
          Number(new RegExp(`^nodejs_eventloop_lag_${figure}_seconds (.*)$`, 'm').exec(text)?.[1]);
        expect(read('max')).toBeGreaterThan(0);
        expect(read('min')).toBeLessThan(0.05);
        expect(read('mean')).toBeLessThan(10);
      },
      { timeout: 120_000, interval: 500 },
    );
  });
});
