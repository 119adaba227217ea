import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../../kernel/ids.ts';
import { codeAt, stepAt } from '../../../portal-api/people/totp/totp.ts';
import { createAccount } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
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

const fromBase32 = (text: string): Buffer => {
  const bits = [...text]
    .map((sign) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(sign).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
};

describeInBrowser('signing in to the portal', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;

  beforeAll(async () => {
    portal = await openPortal({ portal: true });
    seeded = await seedAccount(portal.t);
  });
  afterAll(() => portal.close());

  const db = () => portal.t.services.db;

  const withTab = (token: string | undefined, act: (tab: Tab) => Promise<void>): Promise<void> =>
    portal.withTab(token === undefined ? {} : { token }, act);

  async function invite(email: string): Promise<string> {
    const owner = new Browser(portal.t, seeded.token);
    const path = `/accounts/${seeded.account.id}/invitations`;
    expect((await owner.post(path, { email, role: 'developer' })).statusCode).toBe(201);
    return (await mailedToken(db(), email, 'invitation')) ?? '';
  }

  const signIn = async (page: Page, email: string): Promise<void> => {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  const worksFor = (page: Page, name: string): Promise<void> =>
    page.getByText(`${name}, where you are a developer`).waitFor();

  it('an invited person without a login chooses a password, and works for the account', async () => {
    const email = `${newId('person')}@example.com`;
    const token = await invite(email);
    await withTab(undefined, async ({ page, open }) => {
      await open(`/portal/join#${token}`);
      await page.getByLabel('Your name').fill('Mary Jackson');
      await page.getByLabel('Password').fill('a long pass phrase of hers');
      await page.getByRole('button', { name: 'Accept' }).click();
      await worksFor(page, 'Acme GmbH');
    });
  });

  it('an invited person with a login signs in first; the token is in no request for a page', async () => {
    const person = await createPerson(db(), { name: 'Dorothy' });
    await joinAccount(db(), person, (await createAccount(db(), { name: 'Before Ltd' })).id, 'owner');
    const token = await invite(person.email);
    await withTab(undefined, async ({ page, open }) => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url().split('#')[0] ?? ''));
      await open(`/portal/join#${token}`);
      await page.getByRole('link', { name: 'Sign in to accept' }).click();
      await signIn(page, person.email);
      await page.getByRole('button', { name: 'Accept' }).click();
      await worksFor(page, 'Acme GmbH');
      expect(asked.filter((url) => url.includes(token))).toEqual([]);
    });
  });

  it('somebody who is signed in with another address signs out on the way', async () => {
    const token = await invite(`${newId('person')}@example.com`);
    await withTab(await createSession(db(), await createPerson(db())), async ({ page, open }) => {
      await open(`/portal/join#${token}`);
      await page.getByText('You are signed in with another address').waitFor();
      await page.getByRole('button', { name: 'Sign out and go on' }).click();
      await page.getByLabel('Your name').waitFor();
    });
    const known = await createPerson(db());
    const other = await invite(known.email);
    await withTab(await createSession(db(), await createPerson(db())), async ({ page, open }) => {
      await open(`/portal/join#${other}`);
      await page.getByRole('button', { name: 'Accept' }).click();
      await page.getByRole('button', { name: 'Sign out and go on' }).click();
      await page.getByRole('link', { name: 'Sign in to accept' }).waitFor();
    });
  });

  it('an authenticator app is set up, asked for at the next sign-in, and replaced by a recovery code', async () => {
    const person = await createPerson(db(), { name: 'Joan Clarke' });
    await joinAccount(db(), person, seeded.account.id, 'developer');
    await withTab(await createSession(db(), person), async ({ page, context, open }) => {
      await open('/portal/me/security?add=totp');
      const secret = fromBase32((await page.locator('[data-totp]').textContent()) ?? '');
      const code = (later: number): string => codeAt(secret, stepAt(Date.now() / 1000) + later);
      await page.getByRole('textbox', { name: 'Code' }).fill(code(0));
      await page.getByRole('button', { name: 'Switch on' }).click();
      // Without codes, a lost phone would lock the person out: they are the next thing that is shown.
      await page.getByRole('dialog').getByText('The authenticator app is on').waitFor();
      const kept = page.getByRole('button', { name: 'I have kept them' });
      await kept.waitFor();
      const [recovery = ''] = await page.getByRole('dialog').locator('li code').allTextContents();
      await kept.click();
      await page.getByText('10 codes left').waitFor();

      await context.clearCookies();
      await open('/portal/sign-in?next=/portal/me/security');
      await signIn(page, person.email);
      await page.getByRole('textbox', { name: 'Code' }).fill('000000');
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('The code is wrong, or it was used before').waitFor();
      // A step counts once, and the one of the set-up may still run.
      await page.getByRole('textbox', { name: 'Code' }).fill(code(1));
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('10 codes left').waitFor();

      await context.clearCookies();
      await open('/portal/sign-in?next=/portal/me/security');
      await signIn(page, person.email);
      await page.getByRole('button', { name: 'Use a recovery code' }).click();
      await page.getByLabel('Recovery code').fill(recovery);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByText('9 codes left').waitFor();
    });
  });

  it('somebody whose only second factor is a passkey is asked for no code', async () => {
    const person = await createPerson(db(), { name: 'Has a phone' });
    await givePasskey(db(), person.id);
    await withTab(undefined, async ({ page, open }) => {
      await open('/portal/sign-in');
      await signIn(page, person.email);
      await page.getByRole('heading', { name: 'One more step' }).waitFor();
      await page.getByRole('button', { name: 'Use a passkey' }).waitFor();
      expect(await page.getByRole('textbox').count()).toBe(0);
    });
  });

  it('a link from a page for everybody leads through the sign-in to where it pointed', async () => {
    const person = await createPerson(db(), { name: 'Curious' });
    await joinAccount(db(), person, seeded.account.id, 'developer');
    await withTab(undefined, async ({ page, open }) => {
      await open('/portal/api/reference/getWhoami');
      // Not before the application has taken over the page.
      await page.getByRole('button', { name: 'Copy' }).first().waitFor();
      await page.getByRole('link', { name: 'Try it' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await signIn(page, person.email);
      await page.getByRole('heading', { name: 'API Explorer' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/portal/api/explorer/getWhoami');
    });
  });

  it('a person of two accounts switches between them, and sees nothing of the other one', async () => {
    const person = await createPerson(db(), { name: 'Both' });
    const other = await seedAccount(portal.t, 'Other Ltd');
    await joinAccount(db(), person, seeded.account.id, 'developer');
    await joinAccount(db(), person, other.account.id, 'developer');
    await db()
      .updateTable('api_keys')
      .set({ name: 'only-there' })
      .where('id', '=', other.keys['grafana']!.id)
      .execute();
    await withTab(await createSession(db(), person), async ({ page, open }) => {
      for (const [name, shown, hidden] of [
        ['Acme GmbH', 'grafana', 'only-there'],
        ['Other Ltd', 'only-there', 'grafana'],
      ] as const) {
        await open('/portal');
        await page.getByRole('button', { name: /Account and theme/ }).click();
        await page.getByRole('menuitemradio', { name }).click();
        await worksFor(page, name);
        await page.getByRole('link', { name: 'Keys', exact: true }).first().click();
        await page.getByRole('button', { name: shown, exact: true }).waitFor();
        expect(await page.getByText(hidden, { exact: true }).count()).toBe(0);
      }
    });
  });

  it('a session that is ended elsewhere shows nothing more, and the sign-in leads back', async () => {
    const person = await createPerson(db(), { name: 'Twice' });
    await joinAccount(db(), person, seeded.account.id, 'developer');
    const tabs = [await createSession(db(), person), await createSession(db(), person)];
    await withTab(tabs[0], async (first) => {
      await withTab(tabs[1], async (second) => {
        await second.open('/portal/members');
        await second.page.getByText('Grace Hopper').waitFor();
        await first.open('/portal/me/security');
        await first.page.getByRole('button', { name: 'End', exact: true }).click();
        await first.page.getByText('The session is ended.').waitFor();
        await second.page.getByRole('link', { name: 'Keys', exact: true }).first().click();
        await second.page.getByRole('heading', { name: 'Sign in again' }).waitFor();
        await second.page
          .getByRole('dialog')
          .getByText('Your session was ended, for example on another device')
          .waitFor();
        expect(await second.page.getByText('Grace Hopper').isVisible()).toBe(false);
        await second.page.getByLabel('Password').fill(PASSWORD);
        await second.page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await second.page.getByRole('heading', { name: 'API keys' }).waitFor();
      });
    });
  });
});
