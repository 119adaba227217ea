/** While the database is gone, a form keeps what was typed; when it is back, the same form is sent once. */
import { afterAll, afterEach, beforeAll, expect, inject, it } from 'vitest';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';
import { administer } from '../../../testing/postgres.ts';

describeInBrowser('the portal without a database', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;
  let tab: Tab;

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
    tab = await portal.tab({ token: seeded.token });
  });
  afterEach(() => bringBack());
  afterAll(() => portal.close());

  /** As when it restarts: every connection ends, and none can be opened. */
  async function takeAway(): Promise<void> {
    const { name } = portal.t.database;
    await administer(inject('postgres'), `alter database ${name} with allow_connections false`);
    await administer(
      inject('postgres'),
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
  }
  const bringBack = (): Promise<void> =>
    administer(inject('postgres'), `alter database ${portal.t.database.name} with allow_connections true`);

  const answers = (): Promise<void> =>
    expect
      .poll(async () => (await tab.context.request.get(`${portal.origin}/portal/v1/me`)).status())
      .toBe(200);

  const keysNamed = (name: string) =>
    portal.t.services.db.selectFrom('api_keys').select('id').where('name', '=', name).execute();

  it('a new key is not created, the form keeps its input, and creates the key once afterwards', async () => {
    const { page } = tab;
    await tab.open('/portal/api/keys?create=flexible-vps:vms:delete');
    await page.getByLabel('Key Name').fill('survivor');
    await page.getByLabel('Expires In').selectOption('7d');
    const create = page.getByRole('dialog').getByRole('button', { name: 'Create Key' });
    await takeAway();
    await create.click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    const told = (await page.getByRole('dialog').getByRole('alert').textContent()) ?? '';
    expect(told).toContain('What you typed is still here.');
    expect(told).toContain('Try again in a minute.');
    const typed = {
      name: await page.getByLabel('Key Name').inputValue(),
      expires: await page.getByLabel('Expires In').inputValue(),
      chosen: await page.getByText('1 chosen').isVisible(),
    };
    expect(typed).toEqual({ name: 'survivor', expires: '7d', chosen: true });

    await bringBack();
    await answers();
    await create.click();
    await page.locator('[data-secret]').waitFor();
    expect((await keysNamed('survivor')).length).toBe(1);
  });

  it('nobody is signed out, and pages say what to do', async () => {
    const { page } = tab;
    await takeAway();
    await tab.open('/portal/members');
    await page.getByRole('heading', { name: 'The portal does not answer' }).waitFor();
    await bringBack();
    await answers();
    const members = page.getByText('Grace Hopper');
    // The page may have read again by itself.
    await page.getByRole('button', { name: 'Try again' }).or(members).first().waitFor();
    await page
      .getByRole('button', { name: 'Try again' })
      .click({ timeout: 5000 })
      .catch(() => undefined);
    await members.waitFor();
  });
});
