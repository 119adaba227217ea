import { describe, expect, it } from 'vitest';
import { type Configuration, linesOf, type Options, priced, problemsOf } from '../../testing/tariff.ts';

describe('the price of a resource type', () => {
  it.each<[string, Configuration, Options, string[]]>([
    [
      'cross_connect',
      { site: 'fra1', media: 'single_mode' },
      {},
      ['xc.single-mode 60.00', 'xc.single-mode 0.00'],
    ],
    [
      'cross_connect',
      { site: 'fra1', media: 'cat6a', strands: 4, term_months: 24 },
      {},
      ['xc.cat6a-12m 80.00'],
    ],
    [
      'remote_hands',
      { site: 'fra1', priority: 'emergency' },
      { usage: { minutes: 16 } },
      ['hands.emergency 87.00'],
    ],
  ])('%s with %j and %j is %j', (type, configuration, options, expected) => {
    expect(linesOf(priced(type, configuration, options))).toEqual(expected);
  });
});

describe('an invalid configuration', () => {
  it.each<[string, Configuration, Options, string[]]>([
    ['cross_connect', { site: 'ams1', media: 'coax' }, {}, ['/configuration/media incompatible']],
  ])('of %s is refused with all its faults: %j %j', (type, configuration, options, expected) => {
    expect(problemsOf(type, configuration, options)).toEqual(expected);
  });
});
