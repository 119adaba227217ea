/** What happens elsewhere appears on the page without reloading, in every tab, over one stream. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setAccountStatus } from '../../../portal-api/accounts/status.ts';
import { createKey, type TestKey } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { settled } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';
import { settle } from '../../../testing/operations.ts';
import { staff } from '../../../testing/portal.ts';

describeInBrowser('live updates in the portal', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;
  let tab: Tab;
  let key: TestKey;

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
    tab = await portal.tab({ token: seeded.token });
    key = await createKey(portal.t.services.db, seeded.account, { name: 'works' });
  });
  afterAll(() => portal.close());

  it('a refused call appears among the denials', async () => {
    const { page, open } = tab;
    await open('/portal/api/keys/denials');
    await page.getByText('No denials in 30 days').waitFor();
    const refused = await portal.t.call({
      method: 'GET',
      url: '/account/v1/usage',
      key: seeded.keys['ci-production']!.key,
    });
    expect(refused.json()).toMatchObject({ code: 'permission_denied' });
    await portal.t.services.denials.flush();
    await page.getByRole('link', { name: 'Roll the key with this permission' }).waitFor();
  });

  it('what the account may do is said at once, also that somebody closes it', async () => {
    const { page, open } = tab;
    const { db } = portal.t.services;
    const become = (status: 'restricted' | 'closing' | 'active') =>
      setAccountStatus(db, staff, { account_id: seeded.account.id, status });
    await open('/portal');
    await settled(page);
    const standing = page.getByText(/^The account is /);
    await become('restricted');
    await standing.filter({ hasText: 'restricted: calls that raise its cost are refused' }).waitFor();
    await become('closing');
    await standing.filter({ hasText: 'being closed' }).waitFor();
    await become('active');
    await standing.waitFor({ state: 'detached' });
  });

  it('an operation appears on the first page of both tabs, then its end, and one of them reads the stream', async () => {
    const { page, context, open } = tab;
    await open('/portal');
    await settled(page);
    const other = await context.newPage();
    let streams = 0;
    for (const each of [page, other])
      each.on('request', (request) => {
        if (request.url().includes('/account/v1/events')) streams++;
      });
    await page.reload();
    await settled(page);
    await other.goto(`${portal.origin}/portal`);
    await other.getByText('What needs you').waitFor();
    const payload = {
      name: 'seen-live',
      location: 'fra1',
      plan: 'flex-1-2',
      source: { type: 'image', image_id: 'debian-12' },
    };
    const made = await portal.t.call({ method: 'POST', url: '/flexible-vps/v1/vms', key: key.key, payload });
    expect(made.statusCode).toBe(202);
    const rows = [page, other].map((each) =>
      each.getByRole('listitem').filter({ hasText: 'Create machine seen-live' }),
    );
    await settle(portal.t);
    for (const row of rows) await row.getByText('succeeded').waitFor();
    expect(streams).toBe(1);
    expect(tab.complaints).toEqual([]);
  });

  it('a server that no longer answers is told on every page, until it answers again', async () => {
    const lone = await portal.tab({ token: seeded.token });
    const { page } = lone;
    const stream = '**/account/v1/events?*';
    await page.route(stream, (route) => route.abort());
    await lone.open('/portal');
    await settled(page);
    const told = page.getByRole('status').filter({ hasText: 'The server does not answer' });
    await told.waitFor();
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    expect(await told.count()).toBe(1);
    await page.unroute(stream);
    await told.waitFor({ state: 'detached' });
    await lone.close();
  });
});
