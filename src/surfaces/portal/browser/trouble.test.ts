/** What people see when something is not as it should be: dead links, lost factors, old sessions, other accounts. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accessProblems } from '../../../kernel/problems/access.ts';
import { createKey } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { pickerOf, settled } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';
import {
  Browser,
  createPerson,
  createSession,
  joinAccount,
  mailedToken,
  PASSWORD,
} from '../../../testing/people.ts';
import { givePasskey } from '../../../testing/second-factors.ts';

const FORGED = 'forged'.repeat(7);
const NEW_PASSWORD = 'another long pass phrase';

describeInBrowser('problems at the sign-in and in the portal', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;
  let stranger: Tab;

  beforeAll(async () => {
    portal = await openPortal({ portal: true });
    seeded = await seedAccount(portal.t);
    stranger = await portal.tab();
  });

  afterAll(() => portal.close());

  const db = () => portal.t.services.db;

  async function recoveryLink(email: string): Promise<string> {
    await new Browser(portal.t).post('/recover', { email });
    return `/portal/recover#${await mailedToken(db(), email, 'recover_password')}`;
  }

  const choosePassword = async (): Promise<void> => {
    await stranger.page.getByLabel('New password').fill(NEW_PASSWORD);
    await stranger.page.getByRole('button', { name: 'Set the password and sign in' }).click();
  };

  /** Somebody with an authenticator app, or with a passkey alone. */
  async function withFactor(factor: 'totp' | 'passkey') {
    const person = await createPerson(db(), { name: 'Forgetful' });
    if (factor === 'totp')
      await db()
        .updateTable('people')
        .set({
          totp_secret: portal.t.services.secrets.close(randomBytes(20), person.id),
          totp_enabled_at: new Date(),
        })
        .where('id', '=', person.id)
        .execute();
    else await givePasskey(db(), person.id);
    return person;
  }

  it.each(['totp', 'passkey'] as const)(
    'a person who lost the second factor (%s) chooses a password by the link after a day',
    async (factor) => {
      const { page, open } = stranger;
      const person = await withFactor(factor);
      await page.goto('about:blank');
      await open(await recoveryLink(person.email));
      await choosePassword();
      await page.getByRole('button', { name: 'I have lost my second factor' }).click();
      await page.getByRole('heading', { name: 'Come back tomorrow' }).waitFor();
      await db()
        .updateTable('one_time_tokens')
        .set({ usable_from: new Date(Date.now() - 1000) })
        .where('person_id', '=', person.id)
        .execute();
      await page.reload();
      await choosePassword();
      await page.waitForURL(`${portal.origin}/portal`);
      await stranger.context.clearCookies();
    },
  );

  it('a person without the authenticator app recovers with a recovery code', async () => {
    const person = await withFactor('totp');
    const owner = new Browser(portal.t, await createSession(db(), person, { secondFactor: true }));
    const { codes } = (await owner.post('/me/recovery-codes')).json<{ codes: string[] }>();
    const { page, open } = stranger;
    await page.goto('about:blank');
    await open(await recoveryLink(person.email));
    await choosePassword();
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code').fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await page.waitForURL(`${portal.origin}/portal`);
    await stranger.context.clearCookies();
  });

  it('a recovery link that was used, is too old or is forged leads to a new one, and offers no repetition', async () => {
    const { page, open } = stranger;
    const person = await createPerson(db());
    const used = await recoveryLink(person.email);
    await new Browser(portal.t).post('/recover/complete', {
      token: used.split('#')[1],
      password: NEW_PASSWORD,
    });
    const old = await recoveryLink(person.email);
    await db()
      .updateTable('one_time_tokens')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('person_id', '=', person.id)
      .execute();
    for (const link of [used, old, `/portal/recover#${FORGED}`]) {
      await page.goto('about:blank');
      await open(link);
      await choosePassword();
      await page.getByRole('heading', { name: 'Get a new link' }).waitFor();
      await page.getByRole('button', { name: 'Send the link' }).waitFor();
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    }
  });

  it.each([
    ['join', null, 'Ask whoever invited you'],
    ['welcome', 'Go on with a passkey', 'can make another one on the server'],
    ['verify', 'Confirm and sign in', 'Get a new link'],
  ])('a forged link to %s says who can send another one', async (name, button, words) => {
    const { page, open } = stranger;
    await page.goto('about:blank');
    await open(`/portal/${name}#${FORGED}`);
    if (button !== null) await page.getByRole('button', { name: button }).click();
    await page.getByText(words).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('a link that is pasted into the same tab is opened', async () => {
    const { page, open } = stranger;
    const person = await createPerson(db());
    await page.goto('about:blank');
    await open('/portal/recover');
    await page.getByRole('button', { name: 'Send the link' }).waitFor();
    const link = await recoveryLink(person.email);
    await page.goto(`${portal.origin}${link}`);
    await page.getByLabel('New password').waitFor();
  });

  it('a page that fails offers to try again only if that can help', async () => {
    const tab = await portal.tab({ token: seeded.token });
    await tab.open('/portal/approvals/op_unknown');
    await tab.page.getByRole('alert').waitFor();
    expect(await tab.page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await tab.page.getByRole('alert').textContent()).not.toContain('listing the resources');
    await tab.page.getByRole('link', { name: 'go to the first page' }).waitFor();
    await tab.page.getByRole('link', { name: 'See what there is' }).click();
    await tab.page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    await tab.page.route('**/portal/v1/accounts/*/members', (route) =>
      route.fulfill({ status: 502, body: '' }),
    );
    await tab.open('/portal/members');
    await tab.page.getByRole('button', { name: 'Try again' }).first().waitFor();
    await tab.page.unroute('**/portal/v1/accounts/*/members');
    await tab.page.getByRole('button', { name: 'Try again' }).first().click();
    await tab.page.getByText('Grace Hopper').waitFor();
    await tab.close();
  });

  it('a refusal gives people no advice about commands of the provider', async () => {
    const tab = await portal.tab({ token: seeded.token });
    const { next_step } = accessProblems.ip_not_allowed;
    expect(next_step).toContain('(operators: hostplane admin');
    const body = { status: 403, code: 'some_code', title: 'Not allowed', detail: 'Why.', next_step };
    await tab.page.route('**/portal/v1/accounts/*/members', (route) =>
      route.fulfill({ status: 403, json: body }),
    );
    await tab.open('/portal/members');
    const notice = tab.page.getByRole('alert').first();
    await notice.getByText('Why.').waitFor();
    expect(await notice.textContent()).toContain('add the address in client_ip to it in the portal.');
    expect(await notice.textContent()).not.toContain('hostplane');
    await tab.close();
  });

  it('the link of an approval opens the account of the key, whichever was chosen before', async () => {
    const other = await seedAccount(portal.t, 'Other Ltd');
    const person = await createPerson(db(), { name: 'Both' });
    await joinAccount(db(), person, seeded.account.id, 'owner');
    await joinAccount(db(), person, other.account.id, 'owner');
    const asks = await createKey(db(), other.account, { name: 'asks', approval: 'writes' });
    const payload = { name: 'asked-for', policy: 'spread', location: 'fra1' };
    const url = '/flexible-vps/v1/placement-groups';
    const asked = await portal.t.call({ method: 'POST', url, key: asks.key, payload });
    const { operation_id } = asked.json<{ operation_id: string }>();
    const tab = await portal.tab({ token: await createSession(db(), person) });
    await tab.open('/portal');
    await tab.page.evaluate(`localStorage.setItem('hp-account', '${seeded.account.id}')`);
    await tab.page.evaluate(`sessionStorage.setItem('hp-account', '${seeded.account.id}')`);
    await tab.open(`/portal/approvals/${operation_id}`);
    await tab.page.getByRole('button', { name: 'Approve' }).click();
    await tab.page
      .getByText(/Approved by/)
      .first()
      .waitFor();
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('the explorer asks for the password before a call that needs it, and then makes the call', async () => {
    const person = await createPerson(db(), { name: 'Later' });
    await joinAccount(db(), person, seeded.account.id, 'owner');
    const { id } = await createKey(db(), seeded.account, { name: 'to-revoke' });
    const tab = await portal.tab({ token: await createSession(db(), person, { reauthenticated: false }) });
    const { page } = tab;
    await tab.open('/portal/api/explorer/revokeApiKey');
    await settled(page);
    await pickerOf(page, /^(API key|ID|Key)/i)
      .last()
      .selectOption(id);
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('dry run: nothing was changed').waitFor();
    await page.getByText(/^200/).first().waitFor();
    await tab.close();
  });

  it('a wrong password in the dialog is reported there, and the input is kept', async () => {
    const tab = await portal.memberTab(seeded.account.id, 'owner', {
      name: 'Mistypes',
      reauthenticated: false,
    });
    const { page } = tab;
    await tab.open('/portal/api/keys?create=new');
    await page.getByLabel('Key Name').fill('after-a-typo');
    await page.getByRole('button', { name: 'Create Key' }).last().click();
    await page.getByLabel('Your password').fill('not this one, not this one');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('The key after-a-typo is ready').waitFor();
    await page.goto(`${portal.origin}/portal/me/security?add=totp`);
    await page.getByRole('textbox', { name: 'Code' }).fill('000000');
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByText('The code is wrong').waitFor();
    await tab.close();
  });

  it('an unused passkey prompt leaves a message that says what to do, and the password works', async () => {
    const person = await withFactor('passkey');
    await joinAccount(db(), person, seeded.account.id, 'owner');
    const tab = await portal.tab({ token: await createSession(db(), person, { reauthenticated: false }) });
    const { page } = tab;
    await page.addInitScript(
      'navigator.credentials.get = () => Promise.reject(new DOMException("closed", "NotAllowedError"))',
    );
    await tab.open('/portal/api/keys?create=new');
    await page.getByLabel('Key Name').fill('after-all');
    await page.getByRole('button', { name: 'Create Key' }).last().click();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('No passkey was used').waitFor();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('The key after-all is ready').waitFor();
    await tab.close();
  });

  it('somebody without a passkey is asked for the password alone', async () => {
    const tab = await portal.memberTab(seeded.account.id, 'owner', {
      name: 'Has a password',
      reauthenticated: false,
    });
    await tab.open('/portal/api/keys?create=new');
    await tab.page.getByLabel('Key Name').fill('once-more');
    await tab.page.getByRole('button', { name: 'Create Key' }).last().click();
    await tab.page.getByLabel('Your password').fill(PASSWORD);
    expect(await tab.page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
    await tab.page.getByRole('button', { name: 'Go on' }).click();
    await tab.page.getByText('The key once-more is ready').waitFor();
    await tab.close();
  });
});
