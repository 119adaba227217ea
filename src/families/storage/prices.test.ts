import { describe, expect, it } from 'vitest';
import { type Configuration, linesOf, type Options, priced } from '../../testing/tariff.ts';

describe('the price of a resource type', () => {
  it.each<[string, Configuration, Options, string[]]>([
    [
      'object_storage',
      { region: 'fra1' },
      {
        usage: {
          stored_gb_average: 60_000,
          egress_gb: 2000,
          read_requests: 1_500_000,
          write_requests: 250_000,
        },
      },
      [
        's3.storage 300.00',
        's3.storage 55.00',
        's3.egress 1.00',
        's3.requests-read 0.60',
        's3.requests-write 1.00',
      ],
    ],
  ])('%s with %j and %j is %j', (type, configuration, options, expected) => {
    expect(linesOf(priced(type, configuration, options))).toEqual(expected);
  });
});
