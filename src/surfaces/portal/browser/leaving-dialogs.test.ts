/** Dialogs lose nothing by accident: a secret is acknowledged, a filled form asks, an untouched one closes at once. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { openWide } from '../../../testing/browser/inspect.ts';
import { stretchNames } from '../../../testing/browser/long-names.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { seedAccount } from '../../../testing/browser/seed.ts';

const INVITE = '/portal/members?invite=yes';

describeInBrowser('leaving a dialog', () => {
  let portal: BrowserPortal;
  let tab: Tab;

  beforeAll(async () => {
    portal = await openPortal();
    const seeded = await seedAccount(portal.t);
    await stretchNames(portal.t, seeded);
    tab = await portal.tab({ token: seeded.token });
  });

  afterAll(() => portal.close());

  const button = (name: string) => tab.page.getByRole('button', { name, exact: true });
  const dialogs = (): Promise<number> => tab.page.locator('dialog[open]').count();
  const question = () => tab.page.getByRole('alertdialog', { name: 'Discard what you typed?' });
  const focused = (): Promise<string> => tab.page.evaluate('document.activeElement?.textContent ?? ""');

  const ways: Readonly<Record<string, () => Promise<void>>> = {
    Escape: () => tab.page.keyboard.press('Escape'),
    'a click beside it': () => tab.page.mouse.click(5, 5),
    'its Close button': () => button('Close').click(),
    'its Cancel button': () => button('Cancel').click(),
  };
  const { Escape: press, 'a click beside it': beside } = ways as Record<string, () => Promise<void>>;

  const secrets: Readonly<Record<string, () => Promise<string>>> = {
    'the secret of a new key': async () => {
      await openWide(tab, '/portal/api/keys?create=new');
      await tab.page.getByLabel('Key Name').fill('W'.repeat(64));
      await button('Create Key').last().click();
      await tab.page.locator('[data-secret]').waitFor();
      return 'I have kept it';
    },
    'recovery codes': async () => {
      await openWide(tab, '/portal/me/security?add=codes');
      await button('Make ten codes').press('Enter');
      await button('Copy all').waitFor();
      return 'I have kept them';
    },
  };

  it.each(Object.entries(secrets))(
    '%s stays until its own button is pressed, to which Escape and clicks beside it point',
    async (_, show) => {
      const kept = await show();
      const shown = await tab.page.locator('dialog[open] code').first().textContent();
      expect(await focused()).not.toBe(kept);
      expect(await button('Close').count()).toBe(0);
      for (const way of [press!, press!, beside!, press!]) {
        await way();
        await tab.page.getByRole('alert').filter({ hasText: 'Save it first' }).waitFor();
        await expect.poll(focused).toBe(kept);
        expect(await tab.page.locator('dialog[open] code').first().textContent()).toBe(shown);
      }
      await tab.page.keyboard.press('Enter');
      await expect.poll(dialogs).toBe(0);
    },
  );

  it.each(Object.entries(ways))('a filled form asks at %s, and is kept or discarded', async (_, leave) => {
    await openWide(tab, INVITE);
    const field = tab.page.getByLabel('E-mail');
    await field.fill('new@example.com');
    await leave();
    await question().waitFor();
    expect(await focused()).toBe('Keep editing');
    await tab.page.keyboard.press('Enter');
    await expect.poll(() => question().count()).toBe(0);
    expect(await field.inputValue()).toBe('new@example.com');
    expect(await tab.page.evaluate('document.activeElement.closest("dialog[open]") !== null')).toBe(true);
    await leave();
    await question().waitFor();
    await press!();
    await expect.poll(() => question().count()).toBe(0);
    expect(await dialogs()).toBe(1);
    await leave();
    await button('Discard').click();
    await expect.poll(dialogs).toBe(0);
  });

  it.each(Object.entries(ways))('an untouched form closes at once at %s', async (_, leave) => {
    await openWide(tab, INVITE);
    await tab.page.getByLabel('E-mail').fill('typed and deleted');
    await tab.page.getByLabel('E-mail').fill('');
    await leave();
    await expect.poll(dialogs).toBe(0);
  });

  it('a form asks after a choice without typing, also in one that appeared later', async () => {
    await openWide(tab, '/portal/api/keys?create=flexible-vps:vms:delete');
    await tab.page.getByLabel('networks read').first().click();
    await press!();
    await question().waitFor();
    await button('Discard').click();
    await expect.poll(dialogs).toBe(0);
    expect(tab.complaints).toEqual([]);
  });
});
