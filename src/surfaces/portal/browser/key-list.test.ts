/** The keys of an account that has many, in a real browser: a page at a time, with filters that stand in the address. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey, createMember } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';
import { createPerson, createSession, joinAccount } from '../../../testing/people.ts';

const MANY = 60;

describeInBrowser('the list of keys', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;
  let tab: Tab;

  beforeAll(async () => {
    portal = await openPortal({ portal: true });
    seeded = await seedAccount(portal.t);
    const { db } = portal.t.services;
    const grace = await createMember(db, seeded.account.id, 'developer');
    const owner = { owner_id: grace, owner_name: 'Grace Hopper' };
    for (let i = 0; i < MANY; i++)
      await createKey(db, seeded.account, { name: `build-${100 + i}`, ...owner });
    await db.updateTable('members').set({ name: 'Grace of Builds' }).where('id', '=', grace).execute();
    tab = await portal.tab({ token: seeded.token });
  });
  afterAll(() => portal.close());

  const rows = () => tab.page.getByRole('table', { name: 'API keys' }).getByRole('row');
  /** Without the head of the table. */
  const shown = () => expect.poll(async () => (await rows().count()) - 1);

  it('shows a page at a time', async () => {
    await tab.open('/portal/api/keys?sort=name');
    await shown().toBe(25);
    await tab.page.getByRole('button', { name: 'Load more' }).click();
    await shown().toBe(50);
    await tab.page.getByRole('button', { name: 'Load more' }).click();
    await shown().toBe(MANY + 5);
    expect(await tab.page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
  });

  it('is filtered by words, owner and status, which stand in the address', async () => {
    const { page } = tab;
    await tab.open('/portal/api/keys');
    await page.getByLabel('Search keys').fill('build-10');
    await shown().toBe(10);
    await page.getByLabel('Search keys').fill('');
    await page.getByLabel('Owner').selectOption('Grace of Builds');
    await page.getByLabel('Order').selectOption('By name');
    await page.getByRole('button', { name: 'build-100', exact: true }).waitFor();
    await shown().toBe(25);
    await page.getByLabel('Owner').selectOption('My keys');
    await page.getByLabel('Status').selectOption('suspended');
    await page.getByRole('button', { name: 'old-backup', exact: true }).waitFor();
    await shown().toBe(1);
    expect(new URL(page.url()).searchParams.get('status')).toBe('suspended');
    await page.reload();
    await shown().toBe(1);
    expect(await rows().last().textContent()).toContain('Ada Lovelace (you)');
  });

  it('keeps the secret of a pasted key out of the address', async () => {
    const { page } = tab;
    await tab.open('/portal/api/keys');
    const { key, publicId } = seeded.keys['grafana']!;
    await page.getByLabel('Search keys').fill(key);
    await shown().toBe(1);
    await page.getByRole('button', { name: 'grafana', exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe(`hpk1_${publicId}`);
  });

  it('changes the name of a key; a fault stands once, at its field, and goes when it is corrected', async () => {
    const { page } = tab;
    await tab.open('/portal/api/keys?q=grafana');
    await page.getByRole('button', { name: 'Acts for grafana' }).click();
    await page.getByRole('menuitem', { name: 'Name and notes' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Key Name').fill('assistant');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Another key of this account has this name.').waitFor();
    expect(await dialog.getByRole('alert').count()).toBe(1);
    expect(await dialog.getByLabel('Key Name').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Key Name').fill('dashboards');
    expect(await dialog.getByRole('alert').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The key dashboards is changed.').waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('says on a phone why a button cannot be used', async () => {
    const person = await createPerson(portal.t.services.db, { name: 'Viewer' });
    await joinAccount(portal.t.services.db, person, seeded.account.id, 'viewer');
    const phone = await portal.tab({
      token: await createSession(portal.t.services.db, person),
      width: 390,
    });
    await phone.open('/portal/api/keys/allowlist');
    const reason = phone.page.getByRole('tooltip').filter({ visible: true });
    expect(await reason.count()).toBe(0);
    // The browser counts it as disabled, but people press it all the same.
    await phone.page.getByRole('button', { name: 'Add addresses' }).click({ force: true });
    await reason.getByText('Only owners and admins of the account may do this.').waitFor();
    await phone.close();
  });

  it('ticks for a family only what the person may give', async () => {
    const own = await portal.memberTab(seeded.account.id, 'developer', { name: 'Developer' });
    const { page } = own;
    await own.open('/portal/api/keys?create=new');
    await page.getByLabel('Choose myself').check();
    const boxes = page.getByRole('dialog').locator('fieldset fieldset, fieldset').getByRole('checkbox');
    for (const name of await page.getByRole('dialog').locator('legend').getByRole('checkbox').all())
      if (await name.isEnabled()) await name.check();
    const all = await boxes.count();
    const refused = page.getByRole('dialog').getByRole('checkbox', { disabled: true });
    expect(await refused.count()).toBeGreaterThan(0);
    expect(all).toBeGreaterThan(await refused.count());
    for (const box of await refused.all()) expect(await box.isChecked()).toBe(false);
    await page.getByLabel('Key Name').fill('all-i-may');
    const sent = page.waitForRequest(
      (request) => request.method() === 'POST' && /\/keys$/.test(request.url()),
    );
    await page.getByRole('button', { name: 'Create Key' }).last().click();
    const { permissions } = (await sent).postDataJSON() as { permissions: string[] };
    expect(permissions.length).toBeLessThanOrEqual(100);
    expect(permissions).not.toContain('flexible-vps:vms:delete-all');
    await page.getByText('The key all-i-may is ready').waitFor();
    await own.close();
  });
});
