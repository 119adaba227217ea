import { describe, expect, it } from 'vitest';
import { type Configuration, linesOf, type Options, priced } from '../../testing/tariff.ts';

describe('the price of a resource type', () => {
  it.each<[string, Configuration, Options, string[]]>([['ticket', {}, {}, ['free.ticket 0.00']]])(
    '%s with %j and %j is %j',
    (type, configuration, options, expected) => {
      expect(linesOf(priced(type, configuration, options))).toEqual(expected);
    },
  );
});
