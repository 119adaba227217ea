import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import {
  Browser,
  createOwnedAccount,
  createPerson,
  createSession,
  joinAccount,
  mailedToken,
  PASSWORD,
} from '../../testing/people.ts';

let t: TestApp;
let account: TestAccount;
let owner: Browser;

beforeAll(async () => {
  t = await createTestApp({ portal: true });
  ({ account, owner } = await createOwnedAccount(t));
});
afterAll(() => t.close());

let serial = 0;
async function invite(email = `invited-${++serial}@example.com`, role = 'developer') {
  const answer = await owner.post(`/accounts/${account.id}/invitations`, { email, role });
  expect(answer.statusCode).toBe(201);
  const token = await mailedToken(t.services.db, email, 'invitation');
  return { email, token, invitation: answer.json() };
}

const eventTypes = async (): Promise<string[]> => {
  const rows = await t.services.db
    .selectFrom('events')
    .select('type')
    .where('account_id', '=', account.id)
    .orderBy('sequence')
    .execute();
  return rows.map(({ type }) => type);
};

describe('an invitation', () => {
  it('of a new person leads to a sign-up and to the account', async () => {
    const { email, token } = await invite();
    const browser = new Browser(t);
    expect((await browser.post('/invitations/look', { token })).json()).toMatchObject({
      email,
      role: 'developer',
      person_exists: false,
    });
    const accept = (more: object) => browser.post('/invitations/accept', { token, ...more });
    expect((await accept({})).json().errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/name',
      '/password',
    ]);
    const joined = (await accept({ name: 'Grace', password: PASSWORD })).json();
    expect(joined).toEqual({ status: 'signed_in', account_id: account.id });
    expect((await browser.get('/me')).json().accounts).toMatchObject([{ id: account.id, role: 'developer' }]);
    expect((await accept({ name: 'Eve', password: PASSWORD })).json().code).toBe('link_not_valid');
    expect((await eventTypes()).slice(-2)).toEqual(['member.invited', 'member.joined']);
  });

  it('of a person with a login is accepted after the sign-in, and adds the account', async () => {
    const { db } = t.services;
    const person = await createPerson(db);
    const own = await createAccount(db);
    await joinAccount(db, person, own.id, 'owner');
    const { token } = await invite(person.email);
    const browser = new Browser(t);
    const accept = (by: Browser) => by.post('/invitations/accept', { token });
    expect((await accept(browser)).json()).toMatchObject({ status: 401, code: 'not_signed_in' });
    expect((await accept(owner)).json()).toMatchObject({ status: 409, code: 'invalid_state' });
    await browser.post('/sign-in', { email: person.email, password: PASSWORD });
    expect((await accept(browser)).json()).toEqual({ status: 'joined', account_id: account.id });
    const { accounts } = (await browser.get('/me')).json();
    expect(accounts.map(({ id }: { id: string }) => id).sort()).toEqual([own.id, account.id].sort());
  });

  it('can be sent again, withdrawn and declined, and the old links end', async () => {
    const { email, token, invitation } = await invite();
    const path = `/accounts/${account.id}/invitations/${invitation.id}`;
    expect((await owner.post(`${path}/send-again`)).statusCode).toBe(200);
    const look = async (link: string | null) =>
      (await new Browser(t).post('/invitations/look', { token: link })).statusCode;
    expect(await look(token)).toBe(410);
    const second = await mailedToken(t.services.db, email, 'invitation');
    expect(await look(second)).toBe(200);
    expect((await owner.send('DELETE', path)).statusCode).toBe(200);
    expect(await look(second)).toBe(410);
    const other = await invite();
    expect((await new Browser(t).post('/invitations/decline', { token: other.token })).json()).toEqual({
      status: 'declined',
    });
    const { data } = (await owner.get(`/accounts/${account.id}/members`)).json();
    const addresses = data.map((member: { email: string }) => member.email);
    expect([addresses.includes(email), addresses.includes(other.email)]).toEqual([false, false]);
  });

  it('creates no member until it is accepted, so it can be neither suspended nor reinstated', async () => {
    const { invitation } = await invite();
    for (const act of ['suspend', 'reinstate']) {
      const answer = await owner.post(`/accounts/${account.id}/members/${invitation.member_id}/${act}`);
      expect(answer.json()).toMatchObject({ status: 409, code: 'invalid_state' });
    }
  });

  it('of an owner can be sent by owners only', async () => {
    const { db } = t.services;
    const person = await createPerson(db);
    await joinAccount(db, person, account.id, 'admin');
    const admin = new Browser(t, await createSession(db, person));
    const input = { email: 'next-owner@example.com', role: 'owner' };
    const answer = await admin.post(`/accounts/${account.id}/invitations`, input);
    expect(answer.json()).toMatchObject({ status: 403, code: 'permission_denied' });
  });
});
