import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount, createKey, type TestAccount } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { keyEnds } from './expiry-events.ts';

const DAY_MS = 86_400_000;
let t: TestApp;
let account: TestAccount;

beforeAll(async () => {
  t = await createTestApp({ works: false });
  account = await createAccount(t.services.db);
});
afterAll(() => t.close());

interface Life {
  /** Days relative to now. */
  readonly from: number;
  readonly to: number;
}

const newKey = ({ from, to }: Life, more: object = {}) =>
  createKey(t.services.db, account, {
    created_at: new Date(Date.now() + from * DAY_MS),
    expires_at: new Date(Date.now() + to * DAY_MS),
    ...more,
  });

async function told(): Promise<string[]> {
  const rows = await t.services.db
    .selectFrom('events')
    .select(['type', 'resource_name', 'data'])
    .where('account_id', '=', account.id)
    .orderBy('sequence')
    .execute();
  return rows.map(({ type, resource_name, data }) =>
    `${resource_name} ${type} ${data['days_left'] ?? ''}`.trim(),
  );
}

it('the events before and at the expiry of a key are each written once, and only those that fit its lifetime', async () => {
  const lives: Record<string, Life> = {
    far: { from: -10, to: 80 },
    fortnight: { from: -80, to: 13 },
    'three days': { from: -80, to: 2.5 },
    'a day': { from: -80, to: 0.5 },
    // A key that lives seven days gets events at 3 and 1 days; a key that lives one day only when it expires.
    'young week': { from: -1, to: 6 },
    'old week': { from: -5, to: 2 },
    'short day': { from: -0.4, to: 0.6 },
    'just over': { from: -30, to: -0.01 },
    'long over': { from: -30, to: -8 },
  };
  for (const [name, life] of Object.entries(lives)) await newKey(life, { name });
  await newKey({ from: -30, to: -0.1 }, { name: 'revoked', status: 'revoked' });
  await newKey({ from: -30, to: 0.5 }, { name: 'rolled', replaced_by: 'key_successor' });
  await keyEnds.run(t.services);
  const first = await told();
  expect(first.toSorted()).toEqual([
    'a day api_key.expiring 1',
    'fortnight api_key.expiring 14',
    'just over api_key.expired',
    'old week api_key.expiring 3',
    'three days api_key.expiring 3',
  ]);
  await keyEnds.run(t.services);
  expect(await told()).toEqual(first);
  await t.services.db
    .updateTable('api_keys')
    .set({ expires_at: new Date(Date.now() - 1000) })
    .where('name', '=', 'a day')
    .execute();
  await keyEnds.run(t.services);
  expect(await told()).toEqual([...first, 'a day api_key.expired']);
});
