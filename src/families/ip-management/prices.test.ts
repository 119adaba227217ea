import { describe, expect, it } from 'vitest';
import { type Configuration, linesOf, type Options, priced, problemsOf } from '../../testing/tariff.ts';

describe('the price of a resource type', () => {
  it.each<[string, Configuration, Options, string[]]>([
    ['address', { location: 'fra1', family: 'ipv4' }, {}, ['ip.ipv4 0.50']],
    ['address', { location: 'fra1', family: 'ipv4', prefix_length: 29 }, {}, ['ip.ipv4-subnet 9.60']],
    ['address', { location: 'fra1', family: 'ipv6' }, {}, ['ip.ipv6 0.00']],
  ])('%s with %j and %j is %j', (type, configuration, options, expected) => {
    expect(linesOf(priced(type, configuration, options))).toEqual(expected);
  });
});

describe('an invalid configuration', () => {
  it.each<[string, Configuration, Options, string[]]>([
    [
      'address',
      { location: 'fra1', family: 'ipv4', prefix_length: 24 },
      {},
      ['/configuration/prefix_length out_of_range'],
    ],
  ])('of %s is refused with all its faults: %j %j', (type, configuration, options, expected) => {
    expect(problemsOf(type, configuration, options)).toEqual(expected);
  });
});
