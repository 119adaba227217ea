import { describe, expect, it } from 'vitest';
import { type Configuration, linesOf, type Options, priced, problemsOf } from '../../testing/tariff.ts';

describe('the price of a resource type', () => {
  it.each<[string, Configuration, Options, string[]]>([
    ['monitor', { type: 'metric' }, {}, ['monitoring.metric 0.00']],
    [
      'monitor',
      {
        type: 'uptime',
        probe: { interval_seconds: 30, regions: ['eu-central', 'eu-north', 'us-east', 'us-west'] },
      },
      {},
      ['monitoring.uptime-fast 1.00', 'monitoring.uptime-region 0.50'],
    ],
  ])('%s with %j and %j is %j', (type, configuration, options, expected) => {
    expect(linesOf(priced(type, configuration, options))).toEqual(expected);
  });
});

describe('an invalid configuration', () => {
  it.each<[string, Configuration, Options, string[]]>([
    [
      'monitor',
      { type: 'uptime', probe: { regions: ['mars'] } },
      {},
      ['/configuration/probe/regions/0 unknown_reference'],
    ],
    ['monitor', { type: 'metric', probe: {} }, {}, ['/configuration/probe incompatible']],
  ])('of %s is refused with all its faults: %j %j', (type, configuration, options, expected) => {
    expect(problemsOf(type, configuration, options)).toEqual(expected);
  });
});
