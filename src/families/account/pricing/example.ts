/**
 * The example of `estimatePrice` in the API description: two machines with extra disk, one address each, and
 * more traffic than is included.
 */
import type { EstimateRequest } from '../../../money/prices/estimate-request.ts';
import type { Estimate } from '../../../money/prices/schema.ts';

export const exampleRequest: EstimateRequest = {
  items: [
    {
      ref: 'web',
      resource_type: 'vm',
      quantity: 2,
      configuration: { location: 'fra1', plan: 'flex-2-4', disk_gb: 100, public_ipv4: { mode: 'ephemeral' } },
      usage: { traffic_out_gb: 21000 },
    },
  ],
};

export const exampleEstimate: Estimate = {
  id: 'est_01jqzvdy9gj1ysr6b3m8t0v2nz',
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
};
