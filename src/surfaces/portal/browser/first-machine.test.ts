/** From nothing to the console of a running machine: with the keyboard alone, and with few clicks. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../../kernel/ids.ts';
import { createAccount } from '../../../portal-api/accounts/creation.ts';
import { SYSTEM } from '../../../portal-api/actor.ts';
import { createWelcomeLink } from '../../../portal-api/people/welcome.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { focusedOn, tabTo, typeInto } from '../../../testing/browser/keyboard.ts';
import { type BrowserPortal, openPortal } from '../../../testing/browser/portal.ts';
import { settle } from '../../../testing/operations.ts';
import { mailedToken } from '../../../testing/people.ts';

const PHRASE = 'a long pass phrase of mine';
const MOST_CLICKS = 12;

const lineOf = (page: Page, text: RegExp): Locator =>
  page.locator('.xterm-rows > div').filter({ hasText: text });

describeInBrowser('the first machine of a person', () => {
  let portal: BrowserPortal;

  beforeAll(async () => {
    portal = await openPortal();
  });

  afterAll(() => portal.close());

  it('needs nothing but a keyboard, from the sign-up to its console', async () => {
    const { page, open, complaints, close } = await portal.tab();
    const email = `keyboard-${newId('person').slice(-8)}@example.com`;
    await open('/portal/sign-up');
    await typeInto(page, 'Your name', 'Katherine Johnson');
    await tabTo(page, 'E-mail');
    await page.keyboard.type(email);
    await tabTo(page, /^Password/);
    await page.keyboard.type(PHRASE);
    await tabTo(page, /^Account name/);
    await page.keyboard.type('Orbit Ltd');
    await tabTo(page, 'Country');
    await page.keyboard.type('Germany');
    await tabTo(page, /^I accept the terms/);
    await page.keyboard.press('Space');
    await tabTo(page, 'Create account');
    await tabTo(page, /^I accept the terms/, 'Shift+Tab');
    await tabTo(page, 'Create account');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();

    const token = await mailedToken(portal.t.services.db, email, 'verify_email');
    await open(`/portal/verify#${token}`);
    await page.getByRole('button', { name: 'Confirm and sign in' }).waitFor();
    await tabTo(page, 'Confirm and sign in');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: /Create machine/ }).waitFor();

    await tabTo(page, /Create machine/);
    await page.keyboard.press('Enter');
    await page.getByText('a month').first().waitFor();
    // The arrows choose within a group, and the page fits the rest to it.
    await tabTo(page, /^Amsterdam/);
    await page.keyboard.press('ArrowRight');
    expect(await focusedOn(page)).toMatchObject({
      name: expect.stringMatching(/^Frankfurt/),
      isMarked: true,
    });
    await tabTo(page, /^Name of the machine/);
    await page.keyboard.press('Control+a');
    await page.keyboard.type('orbit-1');
    await page.getByRole('complementary', { name: 'Summary' }).getByText('a month').waitFor();
    await tabTo(page, 'Create machine');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'I have kept it' }).waitFor();
    await tabTo(page, 'I have kept it');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'orbit-1', level: 1 }).waitFor();
    await settle(portal.t);
    await page.getByText('Running', { exact: true }).waitFor();
    await page.getByText(/^ssh ubuntu@/).waitFor();

    await tabTo(page, 'Console');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Open console' }).waitFor();
    await tabTo(page, 'Open console');
    await page.keyboard.press('Enter');
    // A link in a mail signs in, but acts that matter want the password.
    await page.getByLabel('Your password').waitFor();
    await typeInto(page, 'Your password', PHRASE);
    await page.keyboard.press('Enter');
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.keyboard.type('echo "the-machine-answers"');
    await page.keyboard.press('Enter');
    await lineOf(page, /^the-machine-answers/).waitFor();
    await page.keyboard.press('Control+Shift+ArrowUp');
    expect(await focusedOn(page)).toMatchObject({ name: 'Close console', isMarked: true });
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Open console' }).waitFor();
    const sessions = () => portal.t.services.db.selectFrom('console_sessions').select('id').execute();
    await expect.poll(sessions).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it(`is at most ${MOST_CLICKS} clicks away from the link of the first start, with its console`, async () => {
    const { db, provider } = portal.t.services;
    const { page, complaints, close } = await portal.tab();
    const email = `${newId('person')}@example.com`;
    const owner = { owner_name: 'Demo Owner', owner_email: email };
    const made = await createAccount(db, SYSTEM, { name: 'Demo', ...owner }, provider);
    const link = await createWelcomeLink(db, portal.origin, made.owner);
    let clicks = 0;
    const click = async (control: Locator): Promise<void> => {
      clicks += 1;
      await control.click();
    };
    await page.goto(link);
    await page.getByLabel('Password').waitFor();
    await page.keyboard.type(PHRASE);
    await click(page.getByRole('button', { name: 'Set the password and go on' }));
    await click(page.getByRole('link', { name: /Create machine/ }));
    await click(page.getByRole('button', { name: 'Create machine' }));
    await click(page.getByRole('button', { name: 'I have kept it' }));
    await page.getByRole('heading', { level: 1, name: 'web-1' }).waitFor();
    await settle(portal.t);
    await click(page.getByRole('link', { name: 'Console', exact: true }));
    await click(page.getByRole('button', { name: 'Open console' }));
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.keyboard.type('echo "the-machine-answers"');
    await page.keyboard.press('Enter');
    await lineOf(page, /^the-machine-answers/).waitFor();
    expect(clicks).toBeLessThanOrEqual(MOST_CLICKS);
    expect(complaints).toEqual([]);
    await close();
  });
});
