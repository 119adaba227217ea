import { describe, expect, it } from 'vitest';
import { metricNames } from '../series.ts';
import { seriesOf } from './series.ts';
import type { Machine } from './state.ts';

const HOUR = 3_600_000;
const start = Date.UTC(2026, 2, 1);
const machine: Machine = {
  host: 'host-1',
  size: { vcpus: 2, memoryMb: 4096, diskGb: 40 },
  architecture: 'amd64',
  nics: [],
  guest: { seed: 's', hostname: 'web-1', userData: null, sshKeys: [], passwordHash: null },
  image: null,
  system: {
    distribution: 'debian',
    version: '13',
    defaultUser: 'debian',
    hasCloudInit: true,
    hasAgent: true,
  },
  disk: {},
  seeded: null,
  createdAt: start,
  madeAt: start,
  busyUntil: start,
  logSince: start,
  power: { on: true, at: start + 3 * HOUR },
  problem: null,
  rescue: null,
  boots: [
    {
      at: start + HOUR,
      upAt: start + HOUR,
      isRescue: false,
      cloudInit: null,
      end: { at: start + 2 * HOUR, how: 'cut' },
    },
    { at: start + 3 * HOUR, upAt: start + 3 * HOUR, isRescue: false, cloudInit: null, end: null },
  ],
  snapshots: [],
  once: [],
};
const range = { from: new Date(start - HOUR), to: new Date(start + 6 * HOUR), stepSeconds: 1800 };
const read = (id = 'vm_1') => seriesOf(id, machine, metricNames, range, start + 5 * HOUR);

describe('series', () => {
  it('are the same at every read, and different for another machine', () => {
    expect(read()).toEqual(read());
    expect(read('vm_2')).not.toEqual(read());
  });

  it('have gaps before the machine existed, while it was off, and in the future', () => {
    const known = read()[0]
      ?.values.map((value) => (value === null ? '.' : 'x'))
      .join('');
    expect(known).toBe('....xx..xxxxx.');
  });

  it('of the disk go on while the machine is off', () => {
    const usage = read().find(({ metric }) => metric === 'disk_usage')?.values;
    expect(usage?.map((value) => (value === null ? '.' : 'x')).join('')).toBe('..xxxxxxxxxxx.');
  });

  it('stay within the size of the machine', () => {
    for (const { metric, values } of read()) {
      const known = values.filter((value) => value !== null);
      for (const value of known) expect(value).toBeGreaterThan(0);
      if (metric === 'cpu') for (const value of known) expect(value).toBeLessThanOrEqual(100);
      if (metric === 'memory') for (const value of known) expect(value).toBeLessThan(4096 * 1024 ** 2);
    }
  });
});
