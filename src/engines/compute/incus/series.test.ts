import { describe, expect, it } from 'vitest';
import { metricNames, type SeriesRange } from '../series.ts';
import { type Sample, samplesOf } from './metrics-text.ts';
import { seriesOf } from './series.ts';

const MINUTE = 60_000;
const start = Date.UTC(2026, 2, 1);

const sample = (minutes: number, told: Partial<Sample> = {}): Sample => ({
  account: 'acc_1',
  id: 'vm_1',
  at: new Date(start + minutes * MINUTE),
  cpuSeconds: null,
  vcpus: 2,
  memoryUsed: null,
  memoryTotal: null,
  diskReadBytes: null,
  diskWrittenBytes: null,
  diskReads: null,
  diskWrites: null,
  diskUsed: null,
  diskTotal: null,
  networkInBytes: null,
  networkOutBytes: null,
  ...told,
});

const range = (minutes: number, stepSeconds = 60): SeriesRange => ({
  from: new Date(start),
  to: new Date(start + minutes * MINUTE),
  stepSeconds,
});

const received = (samples: readonly Sample[], minutes: number, stepSeconds?: number) =>
  seriesOf(samples, ['network'], range(minutes, stepSeconds)).find(({ name }) => name === 'received')?.values;

const cpu = (samples: readonly Sample[], minutes: number) =>
  seriesOf(samples, ['cpu'], range(minutes))[0]?.values;

describe('series', () => {
  it('have the names and units of all engines, and null where nothing was measured', () => {
    const series = seriesOf([], metricNames, range(3));
    expect(series.map(({ metric, name, unit }) => `${metric} ${name} ${unit}`)).toEqual([
      'cpu used percent',
      'memory used bytes',
      'disk_io read_bytes bytes_per_second',
      'disk_io reads operations_per_second',
      'disk_io write_bytes bytes_per_second',
      'disk_io writes operations_per_second',
      'disk_usage used bytes',
      'network received bytes_per_second',
      'network sent bytes_per_second',
    ]);
    for (const { values } of series) expect(values).toEqual([null, null, null]);
  });

  it('of a counter show its rate in each step', () => {
    const samples = [0, 1, 2, 3].map((n) => sample(n, { networkInBytes: 600 * n * n }));
    expect(received(samples, 4)).toEqual([10, 30, 50, null]);
  });

  it('of a counter weight each sample by its share of a step', () => {
    const samples = [0, 0.5, 2].map((n) => sample(n, { networkInBytes: n === 0.5 ? 600 : n * 1200 }));
    // 600 bytes in the first 30 seconds and 1800 in the next 90: always 20 per second.
    expect(received(samples, 2)).toEqual([20, 20]);
    const uneven = [sample(0, { networkInBytes: 0 }), sample(0.5, { networkInBytes: 3000 })];
    expect(received([...uneven, sample(1, { networkInBytes: 3000 })], 1)).toEqual([50]);
    expect(received(samples, 2, 120)).toEqual([20]);
  });

  it('of a counter are null across a gap, and when the counter was reset', () => {
    const counters = [0, 600, null, 1800, 60, 660];
    const samples = counters.map((networkInBytes, n) => sample(n, { networkInBytes }));
    expect(received(samples, 5)).toEqual([10, null, null, null, 10]);
    expect(received([sample(0, { networkInBytes: 0 }), sample(9, { networkInBytes: 600 })], 10)).toEqual(
      Array(10).fill(null),
    );
  });

  it('of a level show the last sample, from the first sample on', () => {
    const samples = [1.5, 2.5].map((n) => sample(n, { memoryUsed: n * 100 }));
    const [memory] = seriesOf(samples, ['memory'], range(4));
    expect(memory?.values).toEqual([null, 250, 250, null]);
  });

  it('of the CPU show the use of all processors together', () => {
    const samples = [0, 1, 2].map((n) => sample(n, { cpuSeconds: [0, 30, 500][n] ?? null }));
    expect(cpu(samples, 2)).toEqual([25, 100]);
    expect(
      cpu(
        samples.map((each) => ({ ...each, vcpus: null })),
        2,
      ),
    ).toEqual([null, null]);
  });
});

describe('samples', () => {
  const labels = 'name="vm-1",project="acc-1",type="container"';
  const text = [
    '# HELP incus_cpu_seconds_total The total number of CPU time used in seconds.',
    `incus_cpu_seconds_total{cpu="0",mode="user",${labels}} 1.5`,
    `incus_cpu_seconds_total{cpu="1",mode="system",${labels}} 0.25`,
    `incus_cpu_seconds_total{cpu="1",mode="idle",${labels}} 99`,
    `incus_cpu_effective_total{${labels}} 2`,
    `incus_memory_MemTotal_bytes{${labels}} 2.5e+03`,
    `incus_memory_MemAvailable_bytes{${labels}} 500`,
    `incus_network_receive_bytes_total{device="lo",${labels}} 7`,
    `incus_network_receive_bytes_total{device="eth0",${labels}} 10`,
    `incus_network_receive_bytes_total{device="eth1",${labels}} 20`,
    'incus_network_receive_bytes_total{device="eth0",name="first",project="default",type="container"} 10',
    'incus_uptime_seconds 12',
  ].join('\n');

  it('are read from the metrics of our machines, and values that are missing are null', () => {
    const at = new Date(start);
    const told = { cpuSeconds: 1.75, memoryUsed: 2000, memoryTotal: 2500, networkInBytes: 30 };
    expect(samplesOf(text, at)).toEqual([{ ...sample(0), ...told, at }]);
    expect(samplesOf(text.replaceAll('incus_', 'lxd_'), at)).toEqual(samplesOf(text, at));
  });
});
