import { describe, expect, it } from 'vitest';
import { completed, freeName, type Offers, systemsOf } from '../../../portal/src/pages/products/vm/choose.ts';
import { chartsOf, isEmpty } from '../../../portal/src/pages/products/vm/metric-charts.ts';

const location = (slug: string, status = 'available') => ({ slug, status });
const image = (id: string, distribution: string, version: string, kind = 'public') => ({
  id,
  kind,
  name: `${distribution} ${version}`,
  architecture: 'amd64',
  os: { family: 'linux', distribution, version },
});
const plan = (slug: string, monthly: string, available = true) => ({
  slug,
  category: 'shared',
  locations: [{ available, price: { hourly: '0.01', monthly, currency: 'EUR' } }],
});

const offers: Offers = {
  locations: [location('ams1', 'full'), location('fra1')],
  images: [
    image('debian-12', 'debian', '12'),
    image('ubuntu-9.10', 'ubuntu', '9.10'),
    image('ubuntu-24.04', 'ubuntu', '24.04'),
    image('img_own', 'ubuntu', '26.04', 'custom'),
  ],
  plans: [plan('large', '30.00'), plan('gone', '1.00', false), plan('small', '3.00')],
  keys: [{ id: 'sshkey_1' }],
  names: ['web-1', 'web-3'],
};

describe('a new machine', () => {
  it('has a choice for everything that it must have: room, a known system, the lowest price, a free name, the only key', () => {
    expect(completed({}, offers)).toEqual({
      location: 'fra1',
      source: { type: 'image', image_id: 'ubuntu-24.04' },
      plan: 'small',
      name: 'web-2',
      ssh_key_ids: ['sshkey_1'],
    });
  });

  it('keeps what a person chose, also nothing', () => {
    const chosen = {
      location: 'ams1',
      source: { type: 'image', image_id: 'img_own' },
      plan: 'large',
      name: '',
      ssh_key_ids: [],
    };
    expect(completed(chosen, offers)).toBe(chosen);
    const other = { ...chosen, source: { type: 'vm' }, plan: undefined, custom_size: { vcpus: 1 } };
    expect(completed(other, offers)).toBe(other);
  });

  it('changes only what another choice made impossible, and waits for lists', () => {
    const body = { ...completed({}, offers), plan: 'gone', source: { type: 'image', image_id: 'arch' } };
    expect(completed(body, offers)).toEqual(completed({}, offers));
    const nothing = {
      locations: undefined,
      images: undefined,
      plans: undefined,
      keys: undefined,
      names: undefined,
    };
    expect(completed(body, nothing)).toBe(body);
  });

  it('shows the versions of a system together, the newest first', () => {
    expect(
      systemsOf(offers.images ?? []).map(({ title, images }) => [title, images.map(({ id }) => id)]),
    ).toEqual([
      ['ubuntu', ['ubuntu-24.04', 'ubuntu-9.10']],
      ['debian', ['debian-12']],
    ]);
    expect(freeName([], 'web')).toBe('web-1');
  });
});

describe('the charts of a machine', () => {
  const series = (metric: string, name: string, unit: string, value: number | null) => ({
    metric,
    name,
    unit,
    points: [[60, value] as const, [120, null] as const],
  });

  it('put series of one metric and unit together, in units with round numbers', () => {
    const charts = chartsOf(
      [
        series('memory', 'used', 'bytes', 1024 ** 3),
        series('disk_io', 'read_bytes', 'bytes_per_second', 3 * 1024 ** 2),
        series('disk_io', 'reads', 'operations_per_second', 7),
        series('disk_io', 'write_bytes', 'bytes_per_second', 1024 ** 2),
        series('network', 'sent', 'bytes_per_second', null),
      ],
      { memory_mb: 4096 },
    );
    expect(charts.map((chart) => [chart.title, chart.unit, chart.least, isEmpty(chart)])).toEqual([
      ['Memory', 'GB', 4, false],
      ['Disk throughput', 'MB/s', 0, false],
      ['Disk operations', '/s', 0, false],
      ['Network', 'B/s', 0, true],
    ]);
    expect(charts[1]?.series).toEqual([
      { name: 'Read', values: [3, null] },
      { name: 'Written', values: [1, null] },
    ]);
  });
});
