/** Lists of products change while people look at them, and nothing moves away under their pointer. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey, type TestKey } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { settled } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { seedAccount } from '../../../testing/browser/seed.ts';
import { settle } from '../../../testing/operations.ts';

const LIST = '/flexible-vps/v1/placement-groups';

describeInBrowser('lists of products', () => {
  let portal: BrowserPortal;
  let tab: Tab;
  let key: TestKey;

  beforeAll(async () => {
    portal = await openPortal();
    const seeded = await seedAccount(portal.t);
    tab = await portal.tab({ token: seeded.token });
    key = await createKey(portal.t.services.db, seeded.account, { name: 'elsewhere' });
  });
  afterAll(() => portal.close());

  const make = async (name: string): Promise<string> => {
    const payload = { name, policy: 'spread', location: 'fra1' };
    const made = await portal.t.call({ method: 'POST', url: LIST, key: key.key, payload });
    expect(made.statusCode).toBe(201);
    return made.json<{ id: string }>().id;
  };
  const remove = async (id: string): Promise<void> => {
    const gone = await portal.t.call({ method: 'DELETE', url: `${LIST}/${id}`, key: key.key });
    expect(gone.statusCode).toBe(204);
  };

  it('show what was created and deleted elsewhere, without reloading', async () => {
    const { page, open, complaints } = tab;
    await make('first');
    await open('/portal/p/flexible-vps/placement-groups');
    await settled(page);
    await page.mouse.move(5, 5);
    const second = await make('second');
    await page.getByRole('link', { name: 'second' }).waitFor();
    await remove(second);
    await page.getByRole('link', { name: 'second' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('keep their rows in place while the pointer is over them', async () => {
    const { page, complaints } = tab;
    const third = await make('third');
    const row = page.getByRole('row').filter({ hasText: 'first' });
    await page.getByRole('link', { name: 'third' }).waitFor();
    await row.hover();
    const before = await row.boundingBox();
    await make('fourth');
    await remove(third);
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'third' }).getByText('Deleted').waitFor();
    expect(await page.getByRole('link', { name: 'fourth' }).count()).toBe(0);
    expect(await row.boundingBox()).toEqual(before);
    await page.mouse.move(5, 5);
    await page.getByRole('link', { name: 'fourth' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'third' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('are read again after an event, and what is gone is not', async () => {
    const { page } = tab;
    const id = await make('goes');
    await tab.open(`/portal/p/flexible-vps/placement-groups/${id}`);
    await page.getByRole('heading', { level: 1, name: 'goes' }).waitFor();
    await remove(id);
    await page.getByRole('heading', { name: /is not there$/ }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => request.url().endsWith(id) && asked.push(request.url()));
    const beside = await tab.context.newPage();
    await beside.goto(`${portal.origin}/portal/p/flexible-vps/placement-groups`);
    // The second event is told only after both pages have followed the first.
    for (const name of ['sixth', 'seventh']) {
      await beside.getByRole('link', { name: 'first' }).waitFor();
      await make(name);
      await beside.getByRole('link', { name }).waitFor();
    }
    expect(asked).toEqual([]);
    await beside.close();
  });

  it('keep their rows and columns in place when operations begin, and when rows are selected', async () => {
    const { page, complaints } = tab;
    const call = (url: string, payload: Record<string, unknown>) =>
      portal.t.call({ method: 'POST', url, key: key.key, payload });
    const source = { type: 'image', image_id: 'debian-12' };
    const ids: string[] = [];
    for (const name of ['web-1', 'web-2']) {
      const payload = { name, location: 'fra1', plan: 'flex-1-2', source };
      ids.push((await call('/flexible-vps/v1/vms', payload)).json<{ id: string }>().id);
    }
    await settle(portal.t);
    await tab.open('/portal/p/flexible-vps/vms');
    const row = page.getByRole('row').last();
    const places = async () =>
      Promise.all((await row.getByRole('cell').all()).map((cell) => cell.boundingBox()));
    await row.hover();
    const before = await places();
    for (const id of ids)
      expect((await call(`/flexible-vps/v1/vms/${id}/actions`, { type: 'restart' })).statusCode).toBe(202);
    // No worker runs yet, so another change lets the page read its rows again.
    await make('fifth');
    await expect.poll(() => page.getByRole('progressbar').count()).toBe(2);
    expect(await places()).toEqual(before);
    await page.getByRole('checkbox').first().check();
    await page.getByRole('toolbar', { name: 'Acts on what is selected' }).waitFor();
    expect(await places()).toEqual(before);
    await settle(portal.t);
    await expect.poll(() => page.getByRole('progressbar').count()).toBe(0);
    expect(await places()).toEqual(before);
    expect(complaints).toEqual([]);
  });

  it('have filters that stay open while somebody works in them, named as the fields of forms', async () => {
    const { page, complaints } = tab;
    await tab.open('/portal/p/flexible-vps/vms');
    await page.getByText('More filters').click();
    const labels = page.getByLabel('Label selector');
    await labels.fill('env=prod');
    await page.getByText('No machines match').waitFor();
    await labels.fill('');
    await page.getByRole('link', { name: 'web-1' }).waitFor();
    expect(await labels.isVisible()).toBe(true);
    for (const name of ['Image', 'Network', 'Firewall'])
      expect(await page.getByRole('search').getByLabel(name, { exact: true }).count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('can be shown in each order that the server has, and say where a part of a name is found', async () => {
    const { page, complaints } = tab;
    const names = () => page.getByRole('row').getByRole('link').allTextContents();
    await page.getByLabel('Order').selectOption('Name, ascending');
    await expect.poll(names).toEqual(['web-1', 'web-2']);
    await page.getByLabel('Order').selectOption('Name, descending');
    await expect.poll(names).toEqual(['web-2', 'web-1']);
    await page.getByLabel('Exact name').fill('web');
    await page.getByText('Here only a whole name is found.').waitFor();
    expect(complaints).toEqual([]);
  });
});
