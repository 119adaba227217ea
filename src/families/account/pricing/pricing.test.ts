import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { spend } from '../../../testing/spent-money.ts';
import { exampleEstimate, exampleRequest } from './example.ts';

let t: TestApp;
let key: string;

beforeAll(async () => {
  t = await createTestApp();
  key = (await createKey(t.services.db, await createAccount(t.services.db))).key;
});
afterAll(() => t.close());

const post = (payload: object) =>
  t.call({ method: 'POST', url: '/account/v1/pricing/estimate', key, payload });

describe('estimatePrice', () => {
  it('200: the example of the documentation has exactly the documented prices', async () => {
    const response = await post(exampleRequest);
    const { id, calculated_at, catalogue_version, ...figures } = response.json();
    expect(response.statusCode).toBe(200);
    const { id: _, calculated_at: __, catalogue_version: ___, ...expected } = exampleEstimate;
    expect(figures).toEqual(expected);
    expect(id).toMatch(/^est_/);
    expect([calculated_at, catalogue_version]).toEqual([expect.any(String), expect.any(String)]);
  });

  it('422: names both an unknown resource type and a resource of another account', async () => {
    const response = await post({
      items: [
        { resource_type: 'castle', configuration: {} },
        {
          resource_type: 'vm',
          change: { resource_id: 'vm_01jqzvbw8fh0xtq5a2k7r9t1mz', configuration: null },
        },
      ],
    });
    expect([
      response.statusCode,
      response
        .json()
        .errors.map((e: { code: string }) => e.code)
        .sort(),
    ]).toEqual([422, ['unknown_reference', 'unknown_resource_type']]);
  });

  it('200: names the budgets that have less left than the estimate', async () => {
    const { db } = t.services;
    const account = await createAccount(db);
    const own = await createKey(db, account);
    const other = await createKey(db, account);
    const thresholds = [{ percent: 80 }];
    const declare = async (name: string, amount: string, scope: object) => {
      const url = `/account/v1/budgets/${name}`;
      const payload = { amount, thresholds, scope };
      return (await t.call({ method: 'PUT', url, payload, key: own.key })).json().id;
    };
    await spend(db, account.id, '3.00', {
      family: 'flexible-vps',
      labels: { env: 'prod' },
      apiKeyId: own.id,
    });
    const all = await declare('all', '10.00', {});
    await declare('roomy', '100.00', {});
    await declare('elsewhere', '1.00', { families: ['storage'] });
    const labelled = await declare('labelled', '10.00', { label_selector: 'env=prod' });
    await declare('of-another', '1.00', { api_key_ids: [other.id] });
    const estimateOf = (labels: object) =>
      t.call({
        method: 'POST',
        url: '/account/v1/pricing/estimate',
        key: own.key,
        payload: {
          items: [
            {
              resource_type: 'vm',
              configuration: { location: 'fra1', plan: 'flex-2-4', disk_gb: 80, labels },
            },
          ],
        },
      });
    const shown = {
      amount: '10.00',
      spent: '3.00',
      committed: '3.00',
      requested: expect.stringMatching(/^[78]\.\d\d$/),
    };
    expect((await estimateOf({ env: 'test' })).json().exceeds_budgets).toEqual([
      { budget_id: all, ...shown },
    ]);
    expect((await estimateOf({ env: 'prod' })).json().exceeds_budgets).toEqual([
      { budget_id: all, ...shown },
      { budget_id: labelled, ...shown },
    ]);
  });

  it('200: a change of an existing resource has before, after and difference', async () => {
    const { json } = await t.call({
      method: 'POST',
      url: '/workshop/v1/widgets',
      key,
      payload: { name: 'v', size: 5 },
    });
    const response = await post({
      items: [
        { resource_type: 'volume', change: { resource_id: json().id, configuration: { size_gb: 60 } } },
      ],
    });
    expect(response.json().items?.[0]).toMatchObject({ before: {}, after: {}, difference: {} });
    expect(Number(response.json().items[0].difference.monthly)).toBeGreaterThan(0);
  });
});

describe('listPrices', () => {
  it('200: lists every SKU that an estimate uses', async () => {
    const skus = exampleEstimate.items[0]?.lines.map(({ sku }) => sku) ?? [];
    for (const sku of skus) {
      const response = await t.call({ url: `/account/v1/pricing/catalogue?sku=${sku}&location=fra1`, key });
      expect([sku, response.json().data.length]).toEqual([sku, 1]);
    }
  });
});
