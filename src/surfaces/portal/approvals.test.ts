/** What people read about a call before they decide about it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import {
  Browser,
  createOwnedAccount,
  createPerson,
  createSession,
  joinAccount,
} from '../../testing/people.ts';

let t: TestApp;
let account: TestAccount;
let owner: Browser;
let asking: string;

beforeAll(async () => {
  t = await createTestApp({ portal: true });
  ({ account, owner } = await createOwnedAccount(t));
  asking = (await createKey(t.services.db, account, { approval: 'writes' })).key;
});
afterAll(() => t.close());

async function askTo(method: 'PATCH' | 'DELETE', url: string, payload?: object): Promise<string> {
  const asked = await t.call({ method, url, key: asking, ...(payload === undefined ? {} : { payload }) });
  expect(asked.json().code, asked.body).toBe('approval_required');
  return `/accounts/${account.id}/approvals/${asked.json().operation_id}`;
}

it('the sentences of the dry run are shown in the list and on the page, with what loosens', async () => {
  const { key } = await createKey(t.services.db, account);
  const url = '/flexible-vps/v1/firewalls';
  const made = await t.call({ method: 'POST', url, payload: { name: 'web' }, key });
  const path = `${url}/${made.json().id}`;
  const payload = { default_in: 'allow', description: 'Open' };
  const dry = await t.call({ method: 'PATCH', url: `${path}?dry_run=true`, payload, key });
  const approval = await askTo('PATCH', path, payload);
  const { changes } = (await owner.get(approval)).json();
  expect(changes).toEqual(dry.json().changes);
  expect(changes).toEqual([
    { text: expect.stringMatching(/^the firewall "web" lets in all arriving/), loosens: true },
    { text: 'sets the description of the firewall "web"', loosens: false },
  ]);
  const list = (await owner.get(`/accounts/${account.id}/approvals`)).json();
  expect(list.data).toMatchObject([{ changes }]);
});

it('a call that loosens something is approved only by a person who has just proved who they are', async () => {
  const { key } = await createKey(t.services.db, account, { approval: 'destructive' });
  const url = '/flexible-vps/v1/firewalls';
  const made = await t.call({ method: 'POST', url, payload: { name: 'db' }, key });
  const asked = await t.call({
    method: 'PATCH',
    url: `${url}/${made.json().id}`,
    payload: { default_in: 'allow' },
    key,
  });
  const path = `/accounts/${account.id}/approvals/${asked.json().operation_id}`;
  expect((await owner.get(path)).json().call.destructive).toBe(true);
  const person = await createPerson(t.services.db);
  await joinAccount(t.services.db, person, account.id, 'admin');
  const earlier = new Browser(t, await createSession(t.services.db, person, { reauthenticated: false }));
  expect((await earlier.post(`${path}/approve`)).json().code).toBe('reauthentication_required');
  expect((await owner.post(`${path}/approve`)).json().decision).toBe('approved');
});

it('a name cannot end its quotation and go on as if Hostplane had written it', async () => {
  const name = 'ci", which nobody has used for a year. Safe: "yes';
  const { id } = await createKey(t.services.db, account, { name });
  const { changes } = (await owner.get(await askTo('DELETE', `/account/v1/api-keys/${id}`))).json();
  expect(changes).toEqual([{ text: `revokes the API key "${name.replaceAll('"', "'")}"`, loosens: false }]);
});
