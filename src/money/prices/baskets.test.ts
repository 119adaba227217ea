import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { micro, sum } from '../../kernel/micro.ts';
import { faultsOf } from '../../kernel/validation.ts';
import { demoTariff } from '../../testing/tariff.ts';
import { type EstimateOptions, estimate } from './estimate.ts';
import type { EstimateRequest } from './estimate-request.ts';
import { Estimate } from './schema.ts';

const options: EstimateOptions = { currency: 'EUR', now: new Date('2026-03-01T10:00:00Z') };

function estimated(request: EstimateRequest): Estimate {
  const answer = estimate(demoTariff, request, options);
  if ('problems' in answer) throw new Error(JSON.stringify(answer.problems));
  expect(faultsOf(Estimate, answer)).toEqual([]);
  return answer;
}

describe('any basket', () => {
  const plan = fc.constantFrom('flex-1-1', 'flex-2-4', 'flex-8-16', 'flex-2-4a');
  const location = fc.constantFrom('fra1', 'ams1', 'hel1');
  const machine = fc.record({
    resource_type: fc.constant('vm'),
    configuration: fc.record({ location, plan, disk_gb: fc.integer({ min: 240, max: 2000 }) }),
    usage: fc.record(
      { traffic_out_gb: fc.double({ min: 0, max: 1e9, noNaN: true }), backup_gb: fc.nat(5000) },
      { requiredKeys: [] },
    ),
  });
  const bucket = fc.record({
    resource_type: fc.constant('object_storage'),
    configuration: fc.record({ region: location }),
    usage: fc.record({ stored_gb_average: fc.nat(2_000_000), read_requests: fc.nat(1e9) }),
  });
  const server = fc.record({
    resource_type: fc.constant('dedicated_server'),
    configuration: fc.record({
      product_id: fc.constantFrom('metal-8-64', 'metal-32-256'),
      site_preferences: fc.constant(['any']),
    }),
  });
  const item = fc
    .tuple(
      fc.oneof(machine, bucket, server),
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 0, max: 730 }),
    )
    .map(([each, quantity, hours_per_month]) => ({ ...each, quantity, hours_per_month }));

  it('has a total that is the sum of the shown lines', () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 5 }), (items) => {
        const { totals, items: shown } = estimated({ items });
        const lines = shown.flatMap((each) => each.lines);
        const of = (values: readonly (string | null | undefined)[]): bigint =>
          sum(values.map((each) => micro(each ?? '0')));
        expect(micro(totals.monthly)).toBe(of(lines.map(({ monthly }) => monthly)));
        expect(micro(totals.hourly)).toBe(of(lines.map(({ hourly }) => hourly)));
        expect(micro(totals.setup)).toBe(of(lines.map(({ setup }) => setup)));
        expect(micro(totals.monthly)).toBe(micro(totals.monthly_fixed) + micro(totals.monthly_metered));
        expect(micro(totals.monthly_metered)).toBe(
          of(lines.filter(({ kind }) => kind === 'metered').map(({ monthly }) => monthly)),
        );
        for (const each of shown)
          expect(micro(each.monthly)).toBe(of(each.lines.map(({ monthly }) => monthly)));
      }),
      { numRuns: 60 },
    );
  });

  it('costs no less with more pieces or more hours', () => {
    const cost = (each: EstimateRequest['items'][number]): bigint =>
      micro(estimated({ items: [each] }).totals.monthly);
    fc.assert(
      fc.property(
        item,
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 0, max: 730 }),
        (each, quantity, hours) => {
          const more = { ...each, quantity: Math.max(each.quantity, quantity) };
          const longer = { ...each, hours_per_month: Math.max(each.hours_per_month, hours) };
          return cost(each) <= cost(more) && cost(each) <= cost(longer);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('of one item twice costs what the item costs in two lines', () => {
    fc.assert(
      fc.property(item, (each) => {
        const once = micro(estimated({ items: [each] }).totals.monthly);
        return micro(estimated({ items: [each, each] }).totals.monthly) === 2n * once;
      }),
      { numRuns: 30 },
    );
  });

  it('that is invalid is refused without an exception', () => {
    const type = fc.constantFrom(
      'vm',
      'volume',
      'kubernetes_cluster',
      'node_pool',
      'dedicated_server',
      'monitor',
      'address',
      'network',
      'object_storage',
      'remote_hands',
      'cross_connect',
    );
    const name = fc.constantFrom(
      'location',
      'region',
      'plan',
      'custom_size',
      'node_pools',
      'source',
      'probe',
      'site',
      'site_preferences',
      'size_gb',
      '__proto__',
      'constructor',
      'backup',
      'type',
    );
    const configuration = fc.dictionary(name, fc.oneof(fc.jsonValue({ maxDepth: 3 }), location, plan));
    fc.assert(
      fc.property(
        type,
        configuration,
        fc.dictionary(fc.string(), fc.double()),
        (resource_type, given, usage) => {
          const answer = estimate(
            demoTariff,
            { items: [{ resource_type, configuration: given, usage }] },
            options,
          );
          return 'problems' in answer ? answer.problems.length > 0 : answer.items.length === 1;
        },
      ),
      { numRuns: 400 },
    );
  });
});
