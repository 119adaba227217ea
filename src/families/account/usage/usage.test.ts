import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';

let t: TestApp;
let key: string;

beforeAll(async () => {
  t = await createTestApp();
  key = (await createKey(t.services.db, await createAccount(t.services.db))).key;
});
afterAll(() => t.close());

const usage = (query = '') => t.call({ url: `/account/v1/usage${query}`, key });

describe('getUsage', () => {
  it('200: the current month of UTC by default, and never an invoice', async () => {
    const { period, is_invoice, accrued } = (await usage()).json();
    const from = new Date(period.from);
    expect([from.getUTCDate(), from.getUTCHours(), new Date(period.to).getUTCDate()]).toEqual([1, 0, 1]);
    expect([period.is_billing_period, is_invoice, accrued.total]).toEqual([true, false, '0.00']);
  });

  it.each([
    ['?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', 'query/to', 'out_of_range'],
    ['?from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'query/to', 'out_of_range'],
    ['?group_by=label', 'query/label_key', 'required'],
    ['?label_key=env', 'query/label_key', 'incompatible'],
    ['?from=2026-02-30T00:00:00Z', 'query/from', 'invalid_format'],
  ])('422: %s', async (query, pointer, code) => {
    const response = await usage(query);
    expect([response.statusCode, response.json().errors]).toEqual([
      422,
      [expect.objectContaining({ pointer, code })],
    ]);
  });

  it('200: a period of its own is not the billing period', async () => {
    const { period } = (await usage('?from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z')).json();
    expect(period).toEqual({
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-03-02T00:00:00.000Z',
      is_billing_period: false,
    });
  });
});
