import { describe, expect, it } from 'vitest';
import { demoTariff, linesOf, priced, problemsOf } from '../../testing/tariff.ts';
import { formatMoney, formatRate } from './format.ts';
import { price } from './price.ts';

const { catalogue } = demoTariff;
const at = new Date('2026-03-01T10:00:00Z');
const vm = { location: 'fra1', plan: 'flex-2-4', public_ipv4: { mode: 'none' } };
const pool = { plan_id: 'flex-2-4', node_count: 2 };
const server = { product_id: 'metal-8-64', site_preferences: ['fra1'] };

describe('an unknown resource type', () => {
  it('gets a suggestion', () => {
    const result = price(demoTariff, 'vms', {}, { at });
    expect(result).toMatchObject({
      ok: false,
      problems: [{ code: 'unknown_resource_type', detail: 'Did you mean vm?' }],
    });
  });
});

describe('a configuration', () => {
  it('may contain members that have no price', () => {
    const identity = {
      name: 'web',
      labels: { a: 'b' },
      ssh_key_ids: ['x'],
      user_data: '#!',
      hostname: 'web',
    };
    expect(priced('vm', { ...vm, ...identity }).monthly).toBe(priced('vm', vm).monthly);
  });
});

describe('hours', () => {
  it('apply to running resources; extra disk and addresses cost the whole month', () => {
    const item = priced('vm', { location: 'fra1', plan: 'flex-2-4', disk_gb: 100 }, { hoursPerMonth: 100 });
    expect(linesOf(item).slice(0, 3)).toEqual(['vps.flex-2-4 1.10', 'vps.disk-extra 0.80', 'ip.ipv4 0.50']);
    expect(item.assumptions).toEqual([
      '100 hours per month',
      'Outgoing traffic within the 20000 GB included',
      'Disks above the plan and addresses are billed while the machine is stopped',
    ]);
  });

  it('do not matter for a plan that is billed while stopped', () => {
    const plans = catalogue.plans.map((plan) => ({ ...plan, billed_while_stopped: true }));
    const result = price({ ...demoTariff, catalogue: { ...catalogue, plans } }, 'vm', vm, {
      at,
      hoursPerMonth: 100,
    });
    expect(result).toMatchObject({ ok: true, item: { monthly: 7_500_000n } });
  });

  it('do not change the hourly price', () => {
    expect(priced('vm', vm, { hoursPerMonth: 1 }).hourly).toBe(priced('vm', vm).hourly);
  });
});

describe('a configuration that is not sold in its location', () => {
  it('has a price and is marked as unavailable', () => {
    const item = priced('vm', { ...vm, location: 'hel1', plan: 'flex-16-32' });
    expect(item).toMatchObject({
      available: false,
      warnings: [{ code: 'not_available', pointer: '/configuration/plan' }],
    });
    expect(item.monthly).toBeGreaterThan(0n);
  });

  it('gets the price of another location, which is named', () => {
    const item = priced('volume', { location: 'hel1', size_gb: 100, tier: 'fast' });
    expect(item.available).toBe(false);
    expect(linesOf(item)).toEqual(['volume.fast 9.50']);
    expect(item.warnings.map(({ detail }) => detail)).toContain(
      'volume.fast is not sold in hel1; the price shown is that of fra1.',
    );
  });

  it('may be marked as out of stock', () => {
    expect(priced('dedicated_server', server, { quantity: 12 }).available).toBe(true);
    expect(priced('dedicated_server', server, { quantity: 13 }).available).toBe(false);
    const anywhere = { product_id: 'metal-16-128', site_preferences: ['ams1', 'any'] };
    expect(priced('dedicated_server', anywhere, { quantity: 5 }).lines[0]?.description).toContain('fra1');
  });
});

describe('an autoscaled pool', () => {
  const scaled = { plan_id: 'flex-2-4', autoscaling: { enabled: true, min_nodes: 1, max_nodes: 5 } };

  it('is priced at its minimum size, with a range', () => {
    const item = priced('node_pool', { region: 'fra1', ...scaled }, { quantity: 2 });
    expect(formatMoney(item.monthly)).toBe('16.00');
    expect(item.range?.min.monthly).toBe(item.monthly);
    expect(formatMoney(item.range?.max.monthly ?? 0n)).toBe('80.00');
    expect(formatRate(item.range?.max.hourly ?? 0n)).toBe('0.117000');
    expect(item.assumptions).toContain('Autoscaled pools at their minimum; range gives the maximum');
  });

  it('gives its cluster a range, which a cluster of fixed size does not have', () => {
    expect(priced('kubernetes_cluster', { region: 'fra1', node_pools: [scaled, pool] }).range).not.toBeNull();
    expect(priced('kubernetes_cluster', { region: 'fra1', node_pools: [pool] }).range).toBeNull();
  });
});

describe('the time of an estimate', () => {
  const prices = catalogue.prices.flatMap((entry) =>
    entry.sku === 'vps.flex-2-4'
      ? [
          entry,
          {
            ...entry,
            valid_from: '2026-06-01',
            prices: [{ location: null, hourly: '0.012', monthly: '8.00', included_quantity: 0, tiers: [] }],
          },
        ]
      : [entry],
  );
  const announced = { ...demoTariff, catalogue: { ...catalogue, prices } };

  it.each([
    ['2026-05-31T23:59:59Z', '7.50'],
    ['2026-06-01T00:00:00Z', '8.00'],
  ])('%s decides which price applies', (time, money) => {
    const result = price(announced, 'vm', vm, { at: new Date(time) });
    expect(result.ok && formatMoney(result.item.monthly)).toBe(money);
  });

  it('before all prices makes everything unavailable', () => {
    expect(priced('vm', vm, { at: new Date('2024-01-01') })).toMatchObject({ available: false, lines: [] });
  });
});

describe('an existing resource', () => {
  it('may have a smaller disk than its plan, and keeps a larger one', () => {
    expect(problemsOf('vm', { ...vm, plan: 'flex-4-8', disk_gb: 80 })).toHaveLength(1);
    expect(
      linesOf(priced('vm', { ...vm, plan: 'flex-4-8', disk_gb: 80 }, { existing: 'unchanged' }))[0],
    ).toBe('vps.flex-4-8 14.30');
    expect(linesOf(priced('vm', { ...vm, disk_gb: 160 }, { existing: 'unchanged' }))[1]).toBe(
      'vps.disk-extra 3.20',
    );
  });

  it('has no setup price, except for new parts', () => {
    const now = priced('dedicated_server', server, { existing: 'unchanged' });
    expect(now.setup).toBe(0n);
    const faster = priced('dedicated_server', { ...server, uplink_option: '10g' }, { existing: now.lines });
    expect(formatMoney(faster.setup)).toBe('39.00');
  });
});
