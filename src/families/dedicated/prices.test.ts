import { describe, expect, it } from 'vitest';
import { type Configuration, linesOf, type Options, priced, problemsOf } from '../../testing/tariff.ts';

const server = { product_id: 'metal-8-64', site_preferences: ['fra1'] };

describe('the price of a resource type', () => {
  it.each<[string, Configuration, Options, string[]]>([
    [
      'dedicated_server',
      server,
      {},
      ['dedicated.metal-8-64 79.00', 'dedicated.metal-8-64 0.00', 'dedicated.traffic-out 0.00'],
    ],
    [
      'dedicated_server',
      { ...server, os_id: 'windows-server-2025', uplink_option: '10g', extra_ipv4: 2 },
      { contractMonths: 12, usage: { percentile_95_mbps: 300 } },
      [
        'dedicated.metal-8-64-12m 73.00',
        'dedicated.uplink-10g 39.00',
        'dedicated.uplink-10g 0.00',
        'dedicated.licence-windows 29.00',
        'dedicated.ipv4 3.40',
        'dedicated.traffic-p95 90.00',
      ],
    ],
  ])('%s with %j and %j is %j', (type, configuration, options, expected) => {
    expect(linesOf(priced(type, configuration, options))).toEqual(expected);
  });
});

describe('an invalid configuration', () => {
  it.each<[string, Configuration, Options, string[]]>([
    [
      'dedicated_server',
      { ...server, site_preferences: ['x'], uplink_option: '5g', os_id: 'dos' },
      {},
      [
        '/configuration/site_preferences/0 unknown_reference',
        '/configuration/uplink_option unknown_reference',
        '/configuration/os_id unknown_reference',
      ],
    ],
    [
      'dedicated_server',
      server,
      { usage: { traffic_out_gb: 1, percentile_95_mbps: 1 } },
      ['/usage/percentile_95_mbps mutually_exclusive'],
    ],
  ])('of %s is refused with all its faults: %j %j', (type, configuration, options, expected) => {
    expect(problemsOf(type, configuration, options)).toEqual(expected);
  });
});
