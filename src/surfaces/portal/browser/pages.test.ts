/** Every page in a real browser, in both themes and on a phone: no barriers, no complaints, nothing beside the screen. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../../testing/accounts.ts';
import { findBarriers } from '../../../testing/browser/axe.ts';
import { whyNoBrowser } from '../../../testing/browser/chromium.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount, seedTopics } from '../../../testing/browser/seed.ts';
import { createPerson, createSession } from '../../../testing/people.ts';
import { signedInPages } from './page-list.ts';

const title = 'every page';

const inFront = [
  '/portal/sign-in',
  '/portal/sign-up',
  '/portal/verify#token',
  '/portal/recover',
  '/portal/recover#token',
  '/portal/join#token',
  '/portal/welcome#token',
  '/portal/api/reference/listVpsLocations',
];

const PHONE = 390;
const DESKTOP = 1440;
const NARROWEST = 320;

/** Asks from outside: the page's own policy forbids the code with which Playwright would wait within it. */
async function settle(page: Page): Promise<void> {
  await expect.poll(() => page.locator('[aria-label=Loading]').count()).toBe(0);
}

/** What the page has that lies to the right of the screen. */
const beside = (page: Page): Promise<string> =>
  page.evaluate(
    'document.documentElement.scrollWidth > innerWidth ? [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 120)).slice(0, 3).join(" ") || "something" : ""',
  );

const isLong = process.env['HOSTPLANE_TEST_ALL'] === '1';

/** All four combinations cost minutes, so the short form looks at two: every theme and every width is in one of them. */
const looks: readonly { readonly width: number; readonly theme: 'light' | 'dark' }[] = [
  { width: DESKTOP, theme: 'light' },
  { width: PHONE, theme: 'dark' },
  ...(isLong
    ? ([
        { width: DESKTOP, theme: 'dark' },
        { width: PHONE, theme: 'light' },
      ] as const)
    : []),
];

async function inspect({ page, complaints }: Tab): Promise<void> {
  await settle(page);
  const found: string[] = [];
  for (const { width, theme } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    found.push(...(await findBarriers(page)).map((barrier) => `${width} ${theme} ${barrier}`));
  }
  await page.setViewportSize({ width: NARROWEST, height: 900 });
  expect({ barriers: found, beside: await beside(page), complaints }).toEqual({
    barriers: [],
    beside: '',
    complaints: [],
  });
}

describe.skipIf(whyNoBrowser !== null)(whyNoBrowser === null ? title : `${title}: ${whyNoBrowser}`, () => {
  let portal: BrowserPortal;
  let seeded: Seeded;
  let approvalId: string;
  let tab: Tab;
  let stranger: Tab;

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
    ({ approvalId } = await seedTopics(portal.t, seeded));
    tab = await portal.tab({ token: seeded.token });
    stranger = await portal.tab();
  });

  afterAll(() => portal.close());

  it.each(signedInPages)(
    '%s has no barriers, in both themes and at 1440 and 390 px, and fits into 320 px',
    async (path) => {
      await tab.page.setViewportSize({ width: DESKTOP, height: 900 });
      await tab.open(path);
      await inspect(tab);
    },
  );

  it.each(inFront)('%s has no barriers for people who are not signed in', async (path) => {
    await stranger.page.setViewportSize({ width: DESKTOP, height: 900 });
    await stranger.page.goto('about:blank');
    await stranger.open(path);
    await inspect(stranger);
  });

  it.each([
    '/portal/api/keys',
    '/portal/api/keys/allowlist',
    '/portal/api/keys/denials',
    '/portal/approvals',
  ])('%s has no barriers when there is nothing to show', async (path) => {
    const { db } = portal.t.services;
    const { ownerId } = await createAccount(db, { name: 'Empty' });
    const person = await createPerson(db, { name: 'New Person' });
    await db.updateTable('members').set({ person_id: person.id }).where('id', '=', ownerId).execute();
    const empty = await portal.tab({ token: await createSession(db, person) });
    await empty.open(path);
    await inspect(empty);
    await empty.close();
  });

  it('has no barriers when the server fails, and says what to do', async () => {
    const failing = await portal.tab({ token: seeded.token });
    await failing.page.route('**/portal/v1/accounts/**', (route) =>
      route.fulfill({ status: 503, body: 'down' }),
    );
    await failing.open('/portal/api/keys');
    await failing.page.getByText('Try again in a minute.').waitFor();
    await inspect(failing);
    await failing.close();
  });

  it('of one thing has no barriers: an approval, a key, what a key may call', async () => {
    const key = seeded.keys['ci-production']!.id;
    for (const path of [
      `/portal/approvals/${approvalId}`,
      `/portal/api/keys?key=${key}`,
      `/portal/api/mine?key=${key}`,
    ]) {
      await tab.page.setViewportSize({ width: DESKTOP, height: 900 });
      await tab.open(path);
      await inspect(tab);
    }
  });

  it('has no barriers in the dialogs that an act opens', async () => {
    const { page } = tab;
    const start = async (path: string): Promise<void> => {
      await page.setViewportSize({ width: DESKTOP, height: 900 });
      await tab.open(path);
    };
    await start(`/portal/approvals/${approvalId}`);
    await page.getByRole('button', { name: 'Deny' }).click();
    await inspect(tab);
    for (const act of ['Roll', 'Transfer', 'Revoke']) {
      await start('/portal/api/keys');
      await page.getByRole('button', { name: 'Acts for ci-production' }).click();
      await page.getByRole('menuitem', { name: act }).click();
      await inspect(tab);
    }
    for (const act of ['Change the role', 'Remove']) {
      await start('/portal/members');
      await page.getByRole('button', { name: 'Acts for Grace Hopper' }).click();
      await page.getByRole('menuitem', { name: act }).click();
      await inspect(tab);
    }
    await start('/portal/api/keys/allowlist');
    await page.getByRole('radio', { name: /Enforce/ }).click();
    await page.getByRole('dialog').waitFor();
    await inspect(tab);
  });

  it('has no barriers where the secret of a key is shown once', async () => {
    const { page } = tab;
    await page.setViewportSize({ width: DESKTOP, height: 900 });
    await tab.open('/portal/api/keys?create=new');
    await page.getByLabel('Key Name').fill('shown-once');
    await page.getByRole('button', { name: 'Create Key' }).last().click();
    await page.locator('[data-secret]').waitFor();
    await inspect(tab);
  });

  it('has no barriers in the explorer with an answer', async () => {
    const { page } = tab;
    await page.setViewportSize({ width: DESKTOP, height: 900 });
    await tab.open('/portal/api/explorer/getWhoami');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText(/^200/).waitFor();
    await inspect(tab);
  });

  it('has no barriers in its menus and in the search', async () => {
    await tab.page.setViewportSize({ width: DESKTOP, height: 900 });
    await tab.open('/portal/api/keys');
    await tab.page.getByRole('button', { name: 'Acts for ci-production' }).click();
    await inspect(tab);
    await tab.page.keyboard.press('Escape');
    await tab.page.keyboard.press('Control+k');
    await tab.page.getByRole('combobox', { name: 'Search or jump to' }).fill('snapshot');
    await inspect(tab);
  });
});
