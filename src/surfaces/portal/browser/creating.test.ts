/** The pages that create something: what they show while they are filled, and what they keep. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey, type TestKey } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { buttonOf, inspect, openWide } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';
import { freshPublicKey } from '../../../testing/ssh-keys.ts';

const PRODUCTS = '/portal/p/flexible-vps';
/** More than are listed without a search. */
const KEYS = 9;
const LONGEST_NAME = 63;

describeInBrowser('people who create something', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;
  let key: TestKey;

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
    key = await createKey(portal.t.services.db, seeded.account, { name: 'works' });
    for (let i = 1; i <= KEYS; i += 1)
      await call('ssh-keys', {
        name: `key-${i}-`.padEnd(LONGEST_NAME, 'w'),
        public_key: freshPublicKey(),
      });
  });

  afterAll(() => portal.close());

  async function call(path: string, payload: object): Promise<void> {
    const url = `/flexible-vps/v1/${path}`;
    const answer = await portal.t.call({ method: 'POST', url, key: key.key, payload });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
  }

  const onPage = (path: string, act: (page: Page, tab: Tab) => Promise<void>): Promise<void> =>
    portal.withTab({ token: seeded.token }, async (tab) => {
      await openWide(tab, path);
      await act(tab.page, tab);
      expect(tab.refused).toEqual([]);
    });

  it('see a few of their SSH keys, with the longest names, and find the others by typing', async () => {
    await onPage(`${PRODUCTS}/vms/new`, async (page, tab) => {
      await page.getByText('a month').waitFor();
      const keys = page.getByRole('checkbox', { name: /^key-\d/ });
      expect(await keys.count()).toBeLessThan(KEYS);
      const last = page.getByRole('checkbox', { name: new RegExp(`^key-${KEYS}-`) });
      const first = page.getByRole('checkbox', { name: /^key-1-/ });
      const hidden = (await last.count()) === 0 ? last : first;
      const name = hidden === last ? `key-${KEYS}-` : 'key-1-';
      await page.getByLabel('Find another SSH key').fill(name);
      await page.getByRole('option', { name: new RegExp(`^${name}`) }).click();
      await expect.poll(() => hidden.isChecked()).toBe(true);
      await hidden.uncheck();
      expect(await hidden.count()).toBe(1);
      await inspect(tab);
    });
  });

  it('see the price and the button on a phone, wherever in the form they are', async () => {
    await onPage(`${PRODUCTS}/vms/new`, async (page) => {
      await page.setViewportSize({ width: 390, height: 844 });
      const price = page.getByRole('region', { name: 'Price' });
      await price.getByText('a month').waitFor();
      for (const place of ['Location', 'Access', 'Name']) {
        await page.getByRole('group', { name: place, exact: true }).scrollIntoViewIfNeeded();
        const { y, height } = (await price.boundingBox())!;
        expect({ place, isIn: y >= 0 && y + height <= 844 }).toEqual({ place, isIn: true });
      }
      expect(await buttonOf(page, 'Create machine').count()).toBe(1);
    });
  });

  const ways: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
    'a link': (page) => page.getByRole('link', { name: 'Audit log' }).first().click(),
    Back: (page) => page.evaluate('history.back()'),
  };
  const forms = [
    [`${PRODUCTS}/firewalls`, '/new', /^Name/, 'Leave without creating the firewall?', 'a link'],
    [`${PRODUCTS}/networks`, '/new', /^Name/, 'Leave without creating the network?', 'Back'],
    [`${PRODUCTS}/vms`, '/new', 'Name of the machine', 'Leave without creating the machine?', 'a link'],
    ['/portal', '/settings', 'Name of the account', 'Leave without saving?', 'Back'],
  ] as const;

  it.each(forms)(
    'are asked before what they filled in is lost: %s%s',
    async (from, to, label, asked, way) => {
      const leave = ways[way]!;
      const path = `${from}${to}`;
      await onPage(from, async (page) => {
        await page.locator(`a[href="${path}"]`).first().click();
        const field = page.getByLabel(label).first();
        await field.fill('typed-here');
        const question = page.getByRole('dialog', { name: asked });
        await leave(page);
        await question.getByRole('button', { name: 'Keep editing' }).click();
        await question.waitFor({ state: 'detached' });
        expect(await field.inputValue()).toBe('typed-here');
        expect(new URL(page.url()).pathname).toBe(path);
        await leave(page);
        await question.getByRole('button', { name: 'Leave' }).click();
        await expect.poll(() => new URL(page.url()).pathname).not.toBe(path);
      });
    },
  );

  it('are asked nothing if the page has filled in everything by itself, or if all is as it was', async () => {
    await onPage(`${PRODUCTS}/vms/new`, async (page) => {
      await page.getByText('a month').waitFor();
      await page.getByRole('link', { name: 'Audit log' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
      await page.evaluate('history.back()');
      const field = page.getByLabel('Name of the machine');
      await page.getByText('a month').waitFor();
      const name = await field.inputValue();
      await field.fill('typed-here');
      await field.fill(name);
      await page.getByRole('link', { name: 'Audit log' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    });
  });

  it('are asked by the browser before the tab is closed', async () => {
    await onPage(`${PRODUCTS}/firewalls/new`, async (page) => {
      const asked: string[] = [];
      page.on('dialog', (dialog) => {
        asked.push(dialog.type());
        void dialog.accept();
      });
      await page.getByLabel(/^Name/).first().fill('typed-here');
      await page.close({ runBeforeUnload: true });
      await expect.poll(() => asked).toEqual(['beforeunload']);
    });
  });

  it('add a network to a machine, and read of no fault and of no calls before they have chosen one', async () => {
    await onPage(`${PRODUCTS}/vms/new`, async (page) => {
      const summary = page.getByRole('complementary', { name: 'Summary' });
      await summary.getByText('a month').waitFor();
      await buttonOf(page, 'Add to Private networks').click();
      await page.getByRole('group', { name: /^Private network 1/ }).waitFor();
      await summary.getByText('The last price that was looked up:').waitFor();
      await summary.getByText('a month').waitFor();
      expect(await buttonOf(page, 'Create machine').getAttribute('title')).toBe(
        'Fill in the required fields first.',
      );
      const text = await page.locator('main').textContent();
      expect(text).not.toMatch(/This is required|lists the valid values|Not possible/);
      await buttonOf(page, 'Remove private network 1').click();
      await summary.getByText('The last price that was looked up:').waitFor({ state: 'detached' });
      await summary.getByText('a month').waitFor();
    });
  });

  it('see the last price while the server does not answer, and nothing that says that it is impossible', async () => {
    await onPage(`${PRODUCTS}/vms/new`, async (page, { complaints }) => {
      const summary = page.getByRole('complementary', { name: 'Summary' });
      await summary.getByText('a month').waitFor();
      await page.route(/dry_run/, (route) => route.abort());
      await page.getByLabel('Name of the machine').fill('another-name');
      await summary.getByText('The server did not answer').waitFor();
      await summary.getByText('The last price that was looked up:').waitFor();
      await summary.getByText('a month').waitFor();
      // The browser logs that the calls were lost.
      expect(complaints).toContain('Failed to load resource: net::ERR_FAILED');
      complaints.length = 0;
    });
  });
});
