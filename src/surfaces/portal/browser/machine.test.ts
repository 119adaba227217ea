/** A machine in a real browser: made with the keyboard alone, its console, its log and its metrics. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { whyNoBrowser } from '../../../testing/browser/chromium.ts';
import { inspect, openWide } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';
import { settle } from '../../../testing/operations.ts';
import { PASSWORD } from '../../../testing/people.ts';

const title = 'a machine in the portal';
const MACHINES = '/portal/p/flexible-vps/vms';

/** Presses Tab until the element with the name has the focus: everything must be reachable. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 150; presses++) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate<string>(
      '(document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent ?? "").trim()',
    );
    if (focused === name) return;
  }
  throw new Error(`Tab does not reach ${name}.`);
}

/** Presses the button that has the focus, and gives the password if it is asked for. */
async function pressAsMyself(page: Page, done: string): Promise<void> {
  await page.keyboard.press('Enter');
  const password = page.getByLabel('Your password');
  await page.getByText(done, { exact: true }).or(password).first().waitFor();
  if ((await password.count()) === 0) return;
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText(done, { exact: true }).waitFor();
}

describe.skipIf(whyNoBrowser !== null)(whyNoBrowser === null ? title : `${title}: ${whyNoBrowser}`, () => {
  let portal: BrowserPortal;
  let seeded: Seeded;
  let tab: Tab;

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
    tab = await portal.tab({ token: seeded.token });
  });

  afterAll(() => portal.close());

  const openConsoles = async (): Promise<number> =>
    (
      await portal.t.services.db
        .selectFrom('console_sessions')
        .select('id')
        .where('account_id', '=', seeded.account.id)
        .execute()
    ).length;

  const line = (page: Page, text: RegExp) => page.locator('.xterm-rows > div').filter({ hasText: text });

  it('is made, watched until it runs and used through its console, with the keyboard alone', async () => {
    const { page, open } = tab;
    await open(MACHINES);
    await page.getByRole('link', { name: 'Create VM' }).first().waitFor();
    await tabTo(page, 'Create VM');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of the machine').and(page.locator('[value="web-1"]')).waitFor();
    // The price is known only when everything that must be chosen has been chosen.
    await page.getByText('a month').waitFor();
    await tabTo(page, 'Create VM');
    await page.keyboard.press('Enter');
    await page.getByText('This is the only time that it is shown.').waitFor();
    await tabTo(page, 'I have kept it');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'web-1', level: 1 }).waitFor();
    await settle(portal.t);
    await page.getByText('Running', { exact: true }).waitFor();
    await page.getByText(/^ssh ubuntu@/).waitFor();

    await tabTo(page, 'Console');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Open console' }).waitFor();
    expect(await openConsoles()).toBe(0);
    await tabTo(page, 'Open console');
    await pressAsMyself(page, 'Connected');
    await page.keyboard.type('echo "the-machine-answers"');
    await page.keyboard.press('Enter');
    await line(page, /^the-machine-answers/).waitFor();
    // Tab is for the machine; this is the way out.
    await page.keyboard.press('Control+Shift+ArrowUp');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Close console');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Open console' }).waitFor();
    await expect.poll(openConsoles).toBe(0);
    expect(tab.complaints).toEqual([]);
  });

  it('has a console that says how it ended, and connects again', async () => {
    const { page } = tab;
    await page.getByRole('button', { name: 'Open console' }).click();
    await page.getByText('Connected', { exact: true }).waitFor();
    await page.keyboard.type('exit');
    await page.keyboard.press('Enter');
    await page.getByText('The machine ended the console.').waitFor();
    await page.getByRole('button', { name: 'Connect again' }).click();
    await page.getByText('Connected', { exact: true }).waitFor();
    await inspect(tab);
    await page.getByRole('link', { name: 'Overview' }).click();
    await expect.poll(openConsoles).toBe(0);
  });

  it('shows and downloads what it printed', async () => {
    const { page } = tab;
    await page.getByRole('link', { name: 'Console' }).first().click();
    await page.getByRole('button', { name: 'Show the log' }).click();
    await page
      .getByText(/Cloud-init v\./)
      .first()
      .waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('web-1-console.log');
    await inspect(tab);
  });

  it('shows its metrics as charts with tables, and keeps the range in the address', async () => {
    const { page } = tab;
    // A machine of this second has not been measured yet.
    await page.route('**/metrics?*', async (route) => {
      const answer = await route.fetch();
      const json = (await answer.json()) as { series: { points: [number, number | null][] }[] };
      const series = json.series.map((each) => ({
        ...each,
        points: each.points.map(([at], i) => [at, i % 50]),
      }));
      await route.fulfill({ json: { ...json, series } });
    });
    await page.getByRole('link', { name: 'Metrics' }).click();
    await page.getByRole('heading', { name: 'Processors' }).waitFor();
    await page.getByRole('link', { name: '7 days' }).click();
    await expect.poll(() => page.url()).toContain('range=7d');
    await page.getByText('Show as table').first().click();
    await page.getByRole('columnheader', { name: 'Time' }).first().waitFor();
    expect(await page.getByRole('slider').count()).toBeGreaterThanOrEqual(5);
    await inspect(tab);
  });

  it('has a page to create it without barriers, also with an own size and a copy of a machine', async () => {
    const { page } = tab;
    await openWide(tab, `${MACHINES}/new`);
    await page.getByText('a month').waitFor();
    await inspect(tab);
    await page.getByText('Own size').click();
    await page.getByLabel('Virtual processors').waitFor();
    await page.getByText('Copy of a machine').click();
    await inspect(tab);
  });
});
