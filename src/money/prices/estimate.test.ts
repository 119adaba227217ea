import { describe, expect, it } from 'vitest';
import { micro } from '../../kernel/micro.ts';
import { faultsOf } from '../../kernel/validation.ts';
import { demoTariff } from '../../testing/tariff.ts';
import type { BasketItem, Lookup } from './basket.ts';
import { type EstimateOptions, estimate } from './estimate.ts';
import { EstimateRequest } from './estimate-request.ts';
import { Estimate } from './schema.ts';

const now = new Date('2026-03-01T10:00:00Z');
const options: EstimateOptions = { currency: 'EUR', now };

function estimated(request: EstimateRequest, more: Partial<EstimateOptions> = {}): Estimate {
  expect(faultsOf(EstimateRequest, request)).toEqual([]);
  const answer = estimate(demoTariff, request, { ...options, ...more });
  if ('problems' in answer) throw new Error(JSON.stringify(answer.problems));
  expect(faultsOf(Estimate, answer)).toEqual([]);
  return answer;
}

function problems(request: EstimateRequest, more: Partial<EstimateOptions> = {}): string[] {
  const answer = estimate(demoTariff, request, { ...options, ...more });
  return 'problems' in answer ? answer.problems.map(({ pointer, code }) => `${pointer} ${code}`) : [];
}

const web = { location: 'fra1', plan: 'flex-2-4', disk_gb: 100, public_ipv4: { mode: 'ephemeral' } };
const vm = { resource_type: 'vm', configuration: web };

describe('the example of the documentation', () => {
  it('has exactly the documented prices', () => {
    const request = { items: [{ ref: 'web', ...vm, quantity: 2, usage: { traffic_out_gb: 21_000 } }] };
    expect(estimated(request, { id: 'est_01jqzabcdefghjkmnpqrstvwxy' })).toStrictEqual({
      id: 'est_01jqzabcdefghjkmnpqrstvwxy',
      currency: 'EUR',
      tax: 'excluded',
      calculated_at: '2026-03-01T10:00:00Z',
      catalogue_version: '2026-02-15',
      totals: {
        hourly: '0.025592',
        monthly: '19.60',
        monthly_fixed: '17.60',
        monthly_metered: '2.00',
        setup: '0.00',
      },
      items: [
        {
          ref: 'web',
          resource_type: 'vm',
          quantity: 2,
          available: true,
          hourly: '0.025592',
          monthly: '19.60',
          setup: '0.00',
          lines: [
            {
              sku: 'vps.flex-2-4',
              description: 'Plan flex-2-4, fra1',
              kind: 'hourly_capped',
              unit: 'hour',
              quantity: '2',
              unit_price: '0.011000',
              unit_cap: '7.50',
              hourly: '0.022000',
              monthly: '15.00',
            },
            {
              sku: 'vps.disk-extra',
              description: "20 GB above the plan's 80 GB",
              kind: 'hourly_capped',
              unit: 'gb_month',
              quantity: '40',
              unit_price: '0.040000',
              hourly: '0.002192',
              monthly: '1.60',
            },
            {
              sku: 'ip.ipv4',
              description: 'Public IPv4',
              kind: 'hourly_capped',
              unit: 'hour',
              quantity: '2',
              unit_price: '0.000700',
              unit_cap: '0.50',
              hourly: '0.001400',
              monthly: '1.00',
            },
            {
              sku: 'traffic.out',
              description: 'Outgoing traffic, 20000 GB each included',
              kind: 'metered',
              unit: 'gb',
              quantity: '42000',
              included_quantity: '40000',
              billable_quantity: '2000',
              unit_price: '0.001000',
              hourly: null,
              monthly: '2.00',
            },
          ],
        },
      ],
      assumptions: ['730 hours per month'],
      exceeds_limits: [],
      exceeds_budgets: [],
      warnings: [],
    });
  });
});

describe('an estimate', () => {
  it('reports the faults of all items at once, each with its pointer', () => {
    const request: EstimateRequest = {
      currency: 'USD',
      compare_locations: ['fra1', 'nowhere'],
      items: [
        { ref: 'a', resource_type: 'vm', configuration: { location: 'fra1', plan: 'x' } },
        { ref: 'a', resource_type: 'spaceship', configuration: {} },
        { resource_type: 'vm' },
        { resource_type: 'vm', configuration: web, change: { resource_id: 'vm_1', configuration: null } },
        { resource_type: 'vm', change: { resource_id: 'vm_1', configuration: null }, quantity: 2 },
      ],
    };
    expect(problems(request)).toEqual([
      '/items/1/ref not_unique',
      '/items/0/configuration/plan unknown_reference',
      '/items/1/resource_type unknown_resource_type',
      '/items/2/configuration required',
      '/items/3/change mutually_exclusive',
      '/items/4/change/resource_id unknown_reference',
      '/items/4/quantity incompatible',
      '/currency unknown_reference',
      '/compare_locations/1 unknown_reference',
    ]);
  });

  it('is refused beyond 5000 pieces', () => {
    const items = Array.from({ length: 6 }, () => ({ ...vm, quantity: 1000 }));
    expect(problems({ items })).toEqual(['/items too_many']);
    expect(problems({ items: items.slice(1) })).toEqual([]);
  });

  it('lists its assumptions with the items that they apply to', () => {
    const { assumptions } = estimated({
      items: [
        { ref: 'web', ...vm },
        { resource_type: 'volume', configuration: { location: 'fra1', size_gb: 10 }, hours_per_month: 10 },
      ],
    });
    expect(assumptions).toEqual([
      'web: 730 hours per month',
      'web: Outgoing traffic within the 20000 GB included',
      'items/1: 10 hours per month',
    ]);
  });

  it('marks unavailable items, with their pointer', () => {
    const { items, warnings } = estimated({
      items: [{ resource_type: 'vm', configuration: { location: 'hel1', plan: 'flex-16-32' } }],
    });
    expect(items[0]?.available).toBe(false);
    expect(warnings[0]).toMatchObject({ code: 'not_available', pointer: '/items/0/configuration/plan' });
  });

  it('compares locations by the whole basket', () => {
    const request: EstimateRequest = {
      items: [
        vm,
        { resource_type: 'volume', configuration: { location: 'fra1', size_gb: 100, tier: 'fast' } },
      ],
      compare_locations: ['fra1', 'ams1', 'hel1'],
    };
    const { comparison, totals } = estimated(request);
    expect(comparison?.map(({ location, available }) => [location, available])).toEqual([
      ['fra1', true],
      ['ams1', true],
      ['hel1', false],
    ]);
    expect(comparison?.[0]).toMatchObject({ monthly: totals.monthly, hourly: totals.hourly });
    expect(comparison?.[1]?.monthly).toBe('18.70');
  });

  it('compares sites by their location', () => {
    const items = [
      {
        resource_type: 'dedicated_server',
        configuration: { product_id: 'metal-8-64', site_preferences: ['fra1'] },
      },
      { resource_type: 'cross_connect', configuration: { site: 'fra1', media: 'cat6a' } },
      { resource_type: 'webhook', configuration: {} },
    ];
    const { comparison } = estimated({ items, compare_locations: ['hel1', 'ams1'] });
    expect(comparison).toEqual([
      { location: 'hel1', available: true, monthly: '120.00', hourly: '0.164384' },
      { location: 'ams1', available: false, monthly: '124.00', hourly: '0.169863' },
    ]);
  });
});

describe('an estimate of a change', () => {
  const lookup: Lookup = {
    resource: (id) => (id === 'vm_1' ? { resource_type: 'vm', configuration: web } : null),
    backupPolicy: () => null,
    cluster: () => null,
    image: () => null,
  };
  const change = (configuration: Record<string, unknown> | null): EstimateRequest => ({
    items: [{ resource_type: 'vm', change: { resource_id: 'vm_1', configuration } }],
  });

  it('shows before, after and difference', () => {
    const [item] = estimated(change({ plan: 'flex-4-8' }), { lookup }).items;
    expect(item).toMatchObject({
      before: { hourly: '0.012796', monthly: '8.80' },
      after: { hourly: '0.021700', monthly: '14.80' },
      difference: { hourly: '0.008904', monthly: '6.00' },
      monthly: '14.80',
    });
  });

  it('from a plan to a custom size drops the plan', () => {
    const custom_size = { vcpus: 2, memory_mb: 4096, disk_gb: 100 };
    const [item] = estimated(change({ custom_size }), { lookup }).items;
    expect(item?.lines.map(({ sku }) => sku)).not.toContain('vps.flex-2-4');
  });

  it('with a null configuration is a deletion', () => {
    const [item] = estimated(change(null), { lookup }).items;
    expect(item).toMatchObject({
      lines: [],
      monthly: '0.00',
      difference: { hourly: '-0.012796', monthly: '-8.80' },
    });
  });

  it('reports faults with their pointers', () => {
    expect(problems(change({ plan: 'nope' }), { lookup })).toEqual([
      '/items/0/change/configuration/plan unknown_reference',
    ]);
    const volume = { items: [{ ...change({}).items[0]!, resource_type: 'volume' }] };
    expect(problems(volume, { lookup })).toEqual(['/items/0/resource_type incompatible']);
  });
});

describe('limits and budgets in an estimate', () => {
  it('that would be exceeded are named, and prices are still returned', () => {
    const answer = estimated({
      items: [
        { ...vm, quantity: 20 },
        { ...vm, quantity: 6 },
      ],
    });
    expect(answer.exceeds_limits).toEqual([
      { limit_id: 'flexible-vps.vms', location: null, limit: 25, used: 0, requested: 26 },
    ]);
    expect(answer.totals.monthly).toBe('228.80');
  });

  it('count present use, per location if the limit is per location', () => {
    const address = (location: string, quantity: number) => ({
      resource_type: 'address',
      configuration: { location, family: 'ipv4' },
      quantity,
    });
    const limits = (_id: string, location: string | null) => ({
      limit: 20,
      used: location === 'fra1' ? 19 : 0,
    });
    const { exceeds_limits } = estimated({ items: [address('fra1', 2), address('ams1', 20)] }, { limits });
    expect(exceeds_limits).toEqual([
      { limit_id: 'ip-management.ipv4-addresses', location: 'fra1', limit: 20, used: 19, requested: 2 },
    ]);
  });

  it('of a cluster are counted for each cluster', () => {
    const node_pools = Array.from({ length: 4 }, () => ({ plan_id: 'flex-2-4', node_count: 100 }));
    const clusters = { resource_type: 'kubernetes_cluster', configuration: { region: 'fra1', node_pools } };
    const small = {
      resource_type: 'kubernetes_cluster',
      configuration: { region: 'fra1', node_pools: node_pools.slice(2) },
    };
    expect(estimated({ items: [clusters] }).exceeds_limits.map(({ limit_id }) => limit_id)).toEqual([
      'kubernetes.nodes-per-cluster',
    ]);
    expect(estimated({ items: [small, small] }).exceeds_limits).toEqual([]);
    expect(estimated({ items: [{ ...small, quantity: 2 }] }).exceeds_limits).toEqual([]);
  });

  it('count only the items that they cover', () => {
    const budget = (id: string, families: string[] | null, blocks: 'spent' | 'forecast' = 'spent') => ({
      id,
      covers: ({ priced }: BasketItem) => families?.includes(priced.family) ?? true,
      amount: micro('20'),
      spent: micro('15'),
      committed: micro('19'),
      blocks,
    });
    const [a, b, c] = ['a', 'b', 'c'].map((end) => `bud_01jqzv5k2ge9rs5d3k8w4t6y0${end}`) as [
      string,
      string,
      string,
    ];
    const budgets = [budget(a, null), budget(b, ['storage']), budget(c, ['flexible-vps'])];
    const { exceeds_budgets } = estimated({ items: [vm] }, { budgets });
    expect(exceeds_budgets).toEqual([
      { budget_id: a, amount: '20.00', spent: '15.00', committed: '19.00', requested: '8.80' },
      { budget_id: c, amount: '20.00', spent: '15.00', committed: '19.00', requested: '8.80' },
    ]);
    const exceeded = (blocks: 'spent' | 'forecast') =>
      estimated({ items: [vm] }, { budgets: [{ ...budget(a, null, blocks), spent: 0n }] }).exceeds_budgets;
    expect([exceeded('spent').length, exceeded('forecast').length]).toEqual([0, 1]);
  });
});
