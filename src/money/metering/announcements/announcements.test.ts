import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../kernel/ids.ts';
import type { Catalogue } from '../../../provider/catalogue.ts';
import { forgetResource, noteResource } from '../../../resources/inventory/store.ts';
import { createAccount, createKey, type TestAccount } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { announcePrices } from './announcements.ts';

let t: TestApp;

beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t.close());

const now = new Date();
const day = new Date(now.getTime() + 40 * 86_400_000).toISOString();

function changing(sku: string): Catalogue {
  const { catalogue } = t.services.provider;
  const again = catalogue.prices
    .filter((entry) => entry.sku === sku)
    .map((entry) => ({ ...entry, valid_from: day }));
  return { ...catalogue, prices: [...catalogue.prices, ...again] };
}

async function addVolume(account: TestAccount): Promise<string> {
  const id = newId('request').replace(/^req/, 'vol');
  const note = { id, account_id: account.id, family: 'flexible-vps', type: 'volume', name: 'v', labels: {} };
  const configuration = { location: 'fra1', size_gb: 100 };
  const rest = { status: 'ready', location: 'fra1', parent_id: null, api_key_id: null, configuration };
  const { tariff } = t.services;
  await t.services.db
    .transaction()
    .execute((tx) => noteResource(tx, { ...note, ...rest }, { at: now, tariff }));
  return id;
}

async function toldTo(account: TestAccount): Promise<unknown[]> {
  const { key } = await createKey(t.services.db, account, { permissions: ['account:*:read'] });
  const response = await t.call({ url: '/account/v1/events?types=price.*', key });
  return response.json<{ data: { data: unknown }[] }>().data.map(({ data }) => data);
}

describe('an announced price change', () => {
  it('writes one event for each affected account, even if several processes notice it', async () => {
    const [owner, former, other] = [
      await createAccount(t.services.db),
      await createAccount(t.services.db),
      await createAccount(t.services.db),
    ];
    await addVolume(owner);
    await addVolume(owner);
    const gone = await addVolume(former);
    await t.services.db.transaction().execute((tx) => forgetResource(tx, gone, { at: now }));
    const notice = (at = now) => announcePrices(t.services, changing('volume.standard'), at);
    await Promise.all([notice(), notice(), notice()]);
    await notice();
    expect(await toldTo(owner)).toEqual([{ valid_from: day, skus: ['volume.standard'] }]);
    expect([await toldTo(former), await toldTo(other)]).toEqual([[], []]);
  });

  it('writes no event if the account has no such resource, or the price is already in force', async () => {
    const owner = await createAccount(t.services.db);
    await addVolume(owner);
    await announcePrices(t.services, changing('s3.egress'), now);
    await announcePrices(t.services, changing('volume.standard'), new Date(day));
    expect(await toldTo(owner)).toEqual([]);
  });
});
