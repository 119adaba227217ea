/** Changes on the product pages when something comes between: another change, or a lost answer. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../../../laws/walk.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { settled } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { settle } from '../../../testing/operations.ts';

const FIREWALLS = '/flexible-vps/v1/firewalls';

describeInBrowser('people who change products', () => {
  let portal: BrowserPortal;
  let world: World;
  let tab: Tab;

  beforeAll(async () => {
    portal = await openPortal();
    world = await createWorld(portal.t);
    tab = await portal.memberTab(world.account.id, 'owner', { name: 'Ada Lovelace' });
  });

  afterAll(() => portal.close());

  const call = async (method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) =>
    (
      await portal.t.call({ method, url, key: world.key.key, ...(payload === undefined ? {} : { payload }) })
    ).json<{ id: string; description: string; labels: object; data: { name: string }[] }>();

  it('are told that somebody else changed it, keep what they typed, and lose nothing of the other change', async () => {
    const { page, open, complaints } = tab;
    const { id } = await call('POST', FIREWALLS, { name: 'edge' });
    await open(`/portal/p/flexible-vps/firewalls/${id}`);
    await settled(page);
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Name/).first().waitFor();
    await call('PATCH', `${FIREWALLS}/${id}`, { labels: { by: 'another' } });
    await dialog.getByLabel(/^Description/).fill('Typed here');
    await dialog.getByText('It was changed meanwhile').waitFor();
    await expect
      .poll(
        async () => {
          const again = dialog.getByRole('button', { name: 'Show how it is now' });
          if ((await again.count()) > 0) await again.click();
          return dialog.getByLabel('Value 1').count();
        },
        { timeout: 60_000 },
      )
      .toBe(1);
    expect(await dialog.getByLabel(/^Description/).inputValue()).toBe('Typed here');
    await dialog.getByText('It was changed meanwhile').waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await call('GET', `${FIREWALLS}/${id}`)).toMatchObject({
      description: 'Typed here',
      labels: { by: 'another' },
    });
    expect(complaints).toEqual([]);
  });

  it('see what is left of the tightest budget before they make or change something', async () => {
    const { page, open } = tab;
    for (const [name, amount] of [
      ['all', '5000'],
      ['team', '4000'],
    ] as const)
      await portal.t.call({
        method: 'PUT',
        url: `/account/v1/budgets/${name}`,
        key: world.key.key,
        payload: { amount, thresholds: [{ percent: 90 }] },
      });
    await open('/portal/p/flexible-vps/vms/new');
    const summary = page.getByRole('complementary', { name: 'Summary' });
    await summary.getByText(/This leaves €3,\d+\.\d\d of €4,000\.00 a month in the budget team\./).waitFor();
    // The plan card has the price of the plan alone.
    const parts = summary.getByRole('list', { name: 'What the price consists of' }).getByRole('listitem');
    expect(await parts.allTextContents()).toEqual(['Plan flex-1-1, ams1€3.00', 'Public IPv4€0.50']);
    await summary.getByText('+ €3.50').waitFor();
    const volume = { name: 'data', location: 'fra1', size_gb: 10 };
    const { id } = await call('POST', '/flexible-vps/v1/volumes', volume);
    await settle(portal.t);
    await open(`/portal/p/flexible-vps/volumes/${id}`);
    await page.getByRole('button', { name: 'Acts on Volume data' }).click();
    await page.getByRole('menuitem', { name: 'Resize', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Size/).fill('200');
    await dialog.getByText(/This leaves €3,\d+\.\d\d of €4,000\.00 a month in the budget team\./).waitFor();
  });

  it('are asked for nothing that their selection has decided', async () => {
    const { page, open, complaints } = tab;
    await call('POST', '/flexible-vps/v1/vms', {
      name: 'ticked',
      location: 'fra1',
      plan: 'flex-1-2',
      source: { type: 'image', image_id: 'debian-12' },
    });
    await settle(portal.t);
    await open('/portal/p/flexible-vps/vms');
    await settled(page);
    await page.getByRole('row').filter({ hasText: 'ticked' }).getByRole('checkbox').check();
    const toolbar = page.getByRole('toolbar', { name: 'Acts on what is selected' });
    await toolbar.getByRole('button', { name: 'Shutdown' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('[type=submit]').waitFor();
    expect(await dialog.getByText(/Label selector/).count()).toBe(0);
    await dialog.locator('[type=submit]').click();
    await dialog.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('make one thing, although the answer to the first try was lost', async () => {
    const { page, open } = tab;
    await open('/portal/p/flexible-vps/firewalls/new');
    await page.getByLabel('Name', { exact: true }).fill('once');
    let lost = 0;
    await page.route(`**${FIREWALLS}`, async (route) => {
      if (route.request().method() !== 'POST' || lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    const create = page.getByRole('button', { name: 'Create firewall' });
    await page.getByText(/a month|stays as it is/).waitFor();
    await create.click();
    await page.getByText('The server did not answer').waitFor();
    await create.click();
    await page.getByRole('heading', { level: 1, name: 'once' }).waitFor();
    await page.unroute(`**${FIREWALLS}`);
    const { data } = await call('GET', `${FIREWALLS}?name=once`);
    expect([lost, data.length]).toEqual([1, 1]);
  });
});
