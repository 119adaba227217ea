import { describe, expect, it } from 'vitest';
import { faultsOf } from '../../kernel/validation.ts';
import { demoTariff } from '../../testing/tariff.ts';
import { priceList } from './list.ts';
import { price } from './price.ts';
import { Price } from './schema.ts';

const { catalogue } = demoTariff;
const at = new Date('2026-03-01T10:00:00Z');

describe('the price list', () => {
  const list = priceList(demoTariff, 'EUR', at);

  it('has the documented columns', () => {
    expect(list.flatMap((row) => faultsOf(Price, row))).toEqual([]);
    expect(list.find(({ sku }) => sku === 'vps.flex-2-4')).toEqual({
      sku: 'vps.flex-2-4',
      family: 'flexible-vps',
      resource_type: 'vm',
      name: 'Plan flex-2-4',
      billing: 'hourly_capped',
      unit: 'hour',
      currency: 'EUR',
      prices: [
        {
          location: null,
          hourly: '0.011000',
          monthly: '7.50',
          unit_price: null,
          setup: null,
          included_quantity: '0',
          tiers: [],
        },
        {
          location: 'hel1',
          hourly: '0.009900',
          monthly: '6.80',
          unit_price: null,
          setup: null,
          included_quantity: '0',
          tiers: [],
        },
      ],
      valid_from: '2025-01-01T00:00:00Z',
      valid_until: null,
      catalogue_version: '2026-02-15',
    });
  });

  it('is ordered by SKU', () => {
    expect(list.map(({ sku }) => sku)).toEqual(list.map(({ sku }) => sku).sort());
  });

  it('contains free SKUs', () => {
    const result = price(demoTariff, 'webhook', {}, { at });
    const sku = result.ok ? result.item.lines[0]?.sku : undefined;
    expect(list.find((row) => row.sku === sku)).toMatchObject({
      resource_type: 'webhook',
      family: 'account',
    });
  });

  it('shows an announced price beside the present one, and drops one that has ended', () => {
    const [entry] = catalogue.prices;
    if (!entry) throw new Error('no prices');
    const rise = { ...entry, valid_from: '2026-06-01' };
    const both = { ...demoTariff, catalogue: { ...catalogue, prices: [rise, ...catalogue.prices] } };
    const rows = (time: string) =>
      priceList(both, 'EUR', new Date(time))
        .filter(({ sku }) => sku === entry.sku)
        .map(({ valid_from, valid_until }) => [valid_from, valid_until]);
    expect(rows('2026-05-01')).toEqual([
      ['2025-01-01T00:00:00Z', '2026-06-01T00:00:00Z'],
      ['2026-06-01T00:00:00Z', null],
    ]);
    expect(rows('2026-06-01')).toEqual([['2026-06-01T00:00:00Z', null]]);
  });
});
