/** `hostplane login` by browser: what a person allows, and what the command line gets for it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { allowLogin, challengeFor } from '../../testing/cli-login.ts';
import { Browser, createOwnedAccount } from '../../testing/people.ts';

let t: TestApp;
let account: TestAccount;
let owner: Browser;
beforeAll(async () => {
  t = await createTestApp({ portal: true });
  ({ account, owner } = await createOwnedAccount(t));
});
afterAll(() => t.close());

const complete = (grant: object, browser = new Browser(t)) => browser.post('/cli-logins/complete', grant);
const VERIFIER = 'v'.repeat(43);
const keyCount = async (accountId: string): Promise<number> =>
  (await t.services.db.selectFrom('api_keys').select('id').where('account_id', '=', accountId).execute())
    .length;

describe('a login that a person has allowed', () => {
  it('returns the chosen key, which works', async () => {
    const grant = await allowLogin(owner, account.id, {
      name: 'cli-laptop',
      preset: 'read-only',
      expires_in: '7d',
      approval: 'writes',
    });
    expect(await keyCount(account.id)).toBe(0);
    const answer = await complete(grant);
    expect([answer.statusCode, answer.json().key]).toEqual([
      201,
      expect.objectContaining({
        name: 'cli-laptop',
        preset: 'read-only',
        expires_in: '7d',
        approval: 'writes',
        notes: 'Made by hostplane login on laptop',
      }),
    ]);
    const who = await t.call({ url: '/account/v1/whoami', key: answer.json().secret });
    expect([who.statusCode, who.json().account.id]).toEqual([200, account.id]);
  });

  it('is in the audit log of the account: who allowed it, and that a command line made the key', async () => {
    const grant = await allowLogin(owner, account.id, { name: 'audited' });
    await complete(grant, new Browser(t));
    await t.services.audit.flush();
    const rows = await t.services.db
      .selectFrom('audit_entries')
      .select(['action', 'outcome', 'entry'])
      .where('account_id', '=', account.id)
      .orderBy('sequence', 'desc')
      .limit(2)
      .execute();
    expect(rows.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'createApiKey succeeded',
      'allowCliLogin succeeded',
    ]);
    expect(JSON.stringify(rows[0])).toContain('Made by hostplane login on laptop');
    for (const row of rows) expect(JSON.stringify(row)).not.toContain(grant.code);
  });

  it('writes the event of a new key', async () => {
    const answer = await complete(await allowLogin(owner, account.id));
    const events = await t.services.db
      .selectFrom('events')
      .selectAll()
      .where('account_id', '=', account.id)
      .execute();
    expect(JSON.stringify(events)).toContain(answer.json().key.id);
  });

  it('accepts the code as people type it', async () => {
    const { code, verifier } = await allowLogin(owner, account.id);
    expect(code).toMatch(/^([a-z0-9]{5}-){3}[a-z0-9]{5}$/);
    const typed = code.toUpperCase().replaceAll('-', ' ');
    expect((await complete({ code: typed, verifier })).statusCode).toBe(201);
  });
});

describe('a key is refused', () => {
  it('410: with another verifier, and the code is used up', async () => {
    const before = await keyCount(account.id);
    const grant = await allowLogin(owner, account.id);
    expect((await complete({ ...grant, verifier: VERIFIER })).json().code).toBe('link_not_valid');
    expect((await complete(grant)).json().code).toBe('link_not_valid');
    expect(await keyCount(account.id)).toBe(before);
  });

  it('410: for a code that was used', async () => {
    const grant = await allowLogin(owner, account.id);
    expect((await complete(grant)).statusCode).toBe(201);
    expect((await complete(grant)).json().code).toBe('link_not_valid');
  });

  it('410: with the code as verifier, with the challenge as verifier, with an unknown code', async () => {
    const { code, verifier } = await allowLogin(owner, account.id);
    const wrong = [
      { code: 'aaaaa-aaaaa-aaaaa-aaaaa', verifier },
      { code, verifier: challengeFor(verifier) },
    ];
    for (const grant of wrong) expect((await complete(grant)).json().code).toBe('link_not_valid');
  });

  it('404: for an account to which the person does not belong', async () => {
    const other = await createAccount(t.services.db);
    await expect(allowLogin(owner, other.id)).rejects.toThrow(/^404 /);
    expect(await keyCount(other.id)).toBe(0);
  });

  it('429: after too many wrong codes from one address', async () => {
    const browser = new Browser(t);
    const outcomes: string[] = [];
    for (let n = 0; n < 101; n += 1)
      outcomes.push((await complete({ code: `wrong-${n}`, verifier: VERIFIER }, browser)).json().code);
    expect(new Set(outcomes.slice(0, 100))).toEqual(new Set(['link_not_valid']));
    expect(outcomes.at(-1)).toBe('too_many_attempts');
  });
});

describe('a key that cannot be created', () => {
  it('409: a name that another key has is refused before the code is given', async () => {
    await complete(await allowLogin(owner, account.id, { name: 'taken' }));
    await expect(allowLogin(owner, account.id, { name: 'taken' })).rejects.toThrow(/^409 .*name_taken/);
  });

  it('409: a name that was taken meanwhile is refused when the key is fetched', async () => {
    const grants = [
      await allowLogin(owner, account.id, { name: 'meanwhile' }),
      await allowLogin(owner, account.id, { name: 'meanwhile' }),
    ];
    const codes: number[] = [];
    for (const grant of grants) codes.push((await complete(grant)).statusCode);
    expect(codes).toEqual([201, 409]);
  });

  it('422: a longer lifetime than the account allows', async () => {
    const set = (key_max_lifetime_days: number | null) =>
      t.services.db
        .updateTable('accounts')
        .set({ key_max_lifetime_days })
        .where('id', '=', account.id)
        .execute();
    const grant = await allowLogin(owner, account.id, { expires_in: '30d' });
    await set(7);
    expect((await complete(grant)).statusCode).toBe(422);
    await expect(allowLogin(owner, account.id, { expires_in: '30d' })).rejects.toThrow(/^422 /);
    await set(null);
  });

  it.each([
    ['challenge', 'short'],
    ['computer', 'two\nlines'],
    ['computer', 'x'.repeat(65)],
  ])('422: %s %j', async (member, value) => {
    await expect(allowLogin(owner, account.id, { [member]: value })).rejects.toThrow(
      new RegExp(`^422 .*"/${member}"`),
    );
  });

  it('422: an API key as the name of the computer', async () => {
    const computer = 'hpk1_EXAMPLEkey00_EXAMPLEONLYdoNOTuse00000000000001bUagA';
    await expect(allowLogin(owner, account.id, { computer })).rejects.toThrow(/secret_in_text.*"\/computer"/);
  });
});
