import { describe, expect, it } from 'vitest';
import { demoTariff } from '../../testing/tariff.ts';
import { freeType } from './free-type.ts';
import { tariffOf } from './tariff.ts';

const { catalogue } = demoTariff;
const ticket = freeType({
  family: 'support',
  sku: 'free.ticket',
  name: 'Ticket',
  limit: 'support.open-tickets',
});

describe('the tariff', () => {
  it('prices 23 resource types', () => {
    expect([...demoTariff.types.keys()]).toHaveLength(23);
  });

  it('contains the types of every family that has some', () => {
    const { types } = tariffOf(catalogue, [
      { name: 'account' },
      { name: 'support', pricedTypes: { ticket } },
    ]);
    expect([...types]).toEqual([['ticket', ticket]]);
  });

  it('refuses two families that price the same type', () => {
    const support = { name: 'support', pricedTypes: { ticket } };
    expect(() => tariffOf(catalogue, [support, support])).toThrow('Two families price');
  });

  it('refuses a family that prices a type of another one', () => {
    const account = { name: 'account', pricedTypes: { ticket } };
    expect(() => tariffOf(catalogue, [account])).toThrow('stands in account');
  });
});
