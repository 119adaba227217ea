/** A machine in a real browser: its console, its log and its metrics. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setBudget } from '../../../portal-api/budgets/budgets.ts';
import { createKey } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { inspect, openWide } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';
import { settle } from '../../../testing/operations.ts';

const MACHINES = '/portal/p/flexible-vps/vms';

describeInBrowser('a machine in the portal', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;
  let tab: Tab;
  let id: string;

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
    const key = await createKey(portal.t.services.db, seeded.account);
    const source = { type: 'image', image_id: 'ubuntu-24.04' };
    const payload = { name: 'web-1', location: 'fra1', plan: 'flex-1-2', source };
    const url = '/flexible-vps/v1/vms';
    const made = await portal.t.call({ method: 'POST', url, key: key.key, payload });
    id = made.json<{ id: string }>().id;
    await settle(portal.t);
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

  it('has a console that says how it ended, and connects again', async () => {
    const { page } = tab;
    await tab.open(`${MACHINES}/${id}?tab=console`);
    await page.getByRole('button', { name: 'Open console' }).waitFor();
    expect(await openConsoles()).toBe(0);
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

  it('is written as a call in several languages, and as a module of Terraform with its import', async () => {
    const { page } = tab;
    await tab.open(`${MACHINES}/${id}?tab=api`);
    await page.getByText('Read it by program, or manage it with Terraform').click();
    const code = page.locator('details code').first();
    await code.getByText(`/flexible-vps/v1/vms/${id}`).first().waitFor();
    await page.getByLabel('Language').selectOption('Terraform');
    const written = page.locator('details').filter({ hasText: 'Terraform' });
    await written.getByText('import_as').first().waitFor();
    const text = await written.textContent();
    expect(text).toContain(`format(module.vm.import_as, "${id}")`);
    expect(text).toMatch(/vm_source += \{ type = "image", image_id = "ubuntu-24.04" \}/);
    expect(text).toMatch(/plan += "flex-1-2"/);
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

  it('says once to a viewer why nothing of it can be changed, and offers no form for another one', async () => {
    const viewer = await portal.memberTab(seeded.account.id, 'viewer', { name: 'Vera Rubin' });
    const { page } = viewer;
    await viewer.open(`${MACHINES}/${id}`);
    await page.getByRole('button', { name: /^Acts on / }).click();
    const menu = page.getByRole('menu', { name: /^Acts on / });
    await menu.getByText('Your role (viewer) may not do this.').waitFor();
    const items = menu.getByRole('menuitem');
    expect((await menu.textContent())?.split('Your role').length).toBe(2);
    expect(await items.count()).toBeGreaterThan(5);
    for (const item of await items.all()) {
      const reason = page.locator(`[id="${await item.getAttribute('aria-describedby')}"]`);
      expect(await reason.textContent()).toContain('An owner or admin of the account');
    }
    await viewer.open(`${MACHINES}/new`);
    await page.getByText('Your role (viewer) may not do this.').waitFor();
    expect(await page.getByRole('button', { name: /^Create/ }).count()).toBe(0);
    await viewer.close();
  });

  it('fills a budget that is hardly spent, which the page of the budgets and that of a new machine say', async () => {
    const { db, provider } = portal.t.services;
    const staff = { kind: 'provider_staff', name: 'test' } as const;
    const about = { account_id: seeded.account.id, amount: '1', thresholds: [{ percent: 80 }] };
    const set = (budget: string, action: 'notify' | 'block_new_cost') =>
      setBudget(db, staff, { ...about, budget, action }, provider.catalogue);
    for (const name of ['first-full', 'second-full']) await set(name, 'notify');
    const { page } = tab;
    await tab.open(`${MACHINES}/new`);
    const summary = page.getByRole('complementary', { name: 'Summary' });
    const box = summary.getByRole('status');
    await box.getByText('It warns only.').first().waitFor();
    expect(await box.count()).toBe(1);
    const links = box.getByRole('link');
    expect(await links.allTextContents()).toEqual(['first-full', 'second-full']);
    await set('third-full', 'block_new_cost');
    await links.first().click();
    const card = (name: string) => page.getByRole('article', { name });
    await card('third-full').getByText('no room, refuses', { exact: true }).waitFor();
    await card('first-full').getByText('no room', { exact: true }).waitFor();
    expect(await card('third-full').textContent()).toMatch(
      /takes €[1-9][\d.]+ in a whole month: nothing is left/,
    );
    expect(await card('third-full').textContent()).toContain('0 % spent');
  });
});
