/** What people see when their session ends while they type, and when the server is away: nothing is lost, in a real browser. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PersonRow } from '../../../portal-api/people/store.ts';
import { codeAt, stepAt } from '../../../portal-api/people/totp/totp.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';
import { createPerson, createSession, joinAccount, PASSWORD } from '../../../testing/people.ts';
import { openRelay } from '../../../testing/relay.ts';
import { givePasskey } from '../../../testing/second-factors.ts';

describeInBrowser('interruptions', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;

  beforeAll(async () => {
    portal = await openPortal({ portal: true });
    seeded = await seedAccount(portal.t);
  });
  afterAll(() => portal.close());

  const db = () => portal.t.services.db;

  async function newMember(): Promise<PersonRow> {
    const person = await createPerson(db());
    await joinAccount(db(), person, seeded.account.id, 'developer');
    return person;
  }

  /** A form with something typed, whose session is over before it is sent. */
  async function typeUntilTheEnd(person: PersonRow, name: string, secondFactor = false): Promise<Tab> {
    const tab = await portal.tab({ token: await createSession(db(), person, { secondFactor }) });
    await tab.open('/portal/api/keys?create=preset%20read-only');
    await tab.page.getByLabel('Key Name').fill(name);
    await db()
      .updateTable('sessions')
      .set({ last_seen_at: sql`now() - interval '13 hours'` })
      .where('person_id', '=', person.id)
      .execute();
    await tab.page.getByRole('button', { name: 'Create Key' }).last().click();
    await tab.page.getByText('Your session ended after 12 hours without use.').waitFor();
    return tab;
  }

  const signIn = async ({ page }: Tab): Promise<void> => {
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };

  it('a session that ends in a form is begun again in place, and the form is sent', async () => {
    const tab = await typeUntilTheEnd(await newMember(), 'typed-long-ago');
    expect(await tab.page.getByLabel('Key Name').isVisible()).toBe(false);
    // This person has no passkey.
    expect(await tab.page.getByRole('button', { name: 'Use a passkey' }).count()).toBe(0);
    await tab.page.getByLabel('Password').fill('not this one, not this one');
    await tab.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await tab.page.getByRole('dialog').getByRole('alert').waitFor();
    await signIn(tab);
    await tab.page.getByText('The key typed-long-ago is ready').waitFor();
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it('with a second factor, it is asked for in place, too', async () => {
    const person = await newMember();
    const secret = randomBytes(20);
    await db()
      .updateTable('people')
      .set({ totp_secret: portal.t.services.secrets.close(secret, person.id), totp_enabled_at: new Date() })
      .where('id', '=', person.id)
      .execute();
    const tab = await typeUntilTheEnd(person, 'with-a-code', true);
    await signIn(tab);
    await tab.page.getByLabel('Code').fill(codeAt(secret, stepAt(Date.now() / 1000)));
    await tab.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await tab.page.getByText('The key with-a-code is ready').waitFor();
    await tab.close();
  });

  it('somebody with a passkey and no password is asked for the passkey alone', async () => {
    const person = await newMember();
    await givePasskey(db(), person.id);
    await db().updateTable('people').set({ password_hash: null }).where('id', '=', person.id).execute();
    const tab = await typeUntilTheEnd(person, 'with-a-passkey', true);
    await tab.page.getByRole('button', { name: 'Use your passkey' }).waitFor();
    expect(await tab.page.getByLabel('Password').count()).toBe(0);
    await tab.close();
  });

  it('somebody else is led to the sign-in page, and gets nothing of what was typed', async () => {
    const tab = await typeUntilTheEnd(await newMember(), 'of-somebody');
    await tab.page.keyboard.press('Escape');
    await tab.page.getByRole('button', { name: 'Sign in as somebody else' }).click();
    await tab.page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    const other = await newMember();
    await tab.page.getByLabel('E-mail').fill(other.email);
    await signIn(tab);
    await tab.page.getByRole('heading', { name: 'API keys' }).waitFor();
    expect(await tab.page.content()).not.toContain('of-somebody');
    await tab.close();
  });

  it('another person who signs in with a passkey in place gets a page of their own', async () => {
    const tab = await typeUntilTheEnd(await newMember(), 'not-for-you');
    const other = await newMember();
    // What a passkey of another person leads to: a session of theirs.
    const token = await createSession(db(), other);
    await tab.context.addCookies([
      { name: 'hp_session', value: token, url: portal.origin, sameSite: 'Strict', httpOnly: true },
    ]);
    await tab.page.evaluate('dispatchEvent(new Event("focus"))');
    await tab.page.waitForURL(/\/portal\/api\/keys/);
    await expect.poll(() => tab.page.getByText('Your session ended').count()).toBe(0);
    await tab.page.getByRole('button', { name: /Account and theme/ }).waitFor();
    expect(await tab.page.content()).not.toContain('not-for-you');
    await tab.close();
  });

  it('a session that is begun again in another tab goes on', async () => {
    const person = await newMember();
    const tab = await typeUntilTheEnd(person, 'two-tabs');
    const token = await createSession(db(), person);
    await tab.context.addCookies([
      { name: 'hp_session', value: token, url: portal.origin, sameSite: 'Strict', httpOnly: true },
    ]);
    await tab.page.evaluate('dispatchEvent(new Event("focus"))');
    await tab.page.getByText('The key two-tabs is ready').waitFor();
    await tab.close();
  });

  it('a page that cannot be loaded says so at its own address, and can be tried again', async () => {
    const tab = await portal.tab({ token: seeded.token });
    const { page, context } = tab;
    await tab.open('/portal/api/keys');
    await page.getByText('ci-production').first().waitFor();
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'This page did not load' }).waitFor();
    await page.getByText('The server did not answer').waitFor();
    expect(new URL(page.url()).pathname).toBe('/portal/members');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The server did not answer').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByText('The search is not loaded').waitFor();
    await context.setOffline(false);
    await page.getByText('Grace Hopper').waitFor();
    await tab.close();
  });

  it('a page that was not loaded when the server went away says what to do, and is there when it is back', async () => {
    const relay = await openRelay();
    const { port } = new URL(portal.origin);
    relay.lead(Number(port));
    const tab = await portal.tab({ token: seeded.token });
    const { page } = tab;
    await page.goto(`http://localhost:${relay.port}/portal/api/keys`);
    await page.getByText('ci-production').first().waitFor();
    relay.cut();
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'This page did not load' }).waitFor();
    const notice = page.getByRole('alert').filter({ hasText: 'The server did not answer' });
    await notice.getByText('Check your connection, then try again.').waitFor();
    await page.getByRole('status').filter({ hasText: 'The server does not answer' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/portal/members');
    // Nobody presses anything: the page hears that the server is back.
    relay.lead(Number(port));
    await page.getByText('Grace Hopper').waitFor();
    await tab.close();
    relay.close();
  });
});
