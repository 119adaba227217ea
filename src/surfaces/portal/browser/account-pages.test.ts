/** The pages of the account do what they say: budgets, webhooks, the audit log, settings, and the search. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { settled } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount, seedTopics } from '../../../testing/browser/seed.ts';

describeInBrowser('the pages of an account', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;
  let topics: Awaited<ReturnType<typeof seedTopics>>;
  let tab: Tab;

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
    topics = await seedTopics(portal.t, seeded);
    tab = await portal.tab({ token: seeded.token });
  });
  afterAll(() => portal.close());

  it('the audit log is verified in the browser, and a changed entry is found', async () => {
    const { page, open } = tab;
    await open('/portal/audit?verify=yes');
    await page.getByText(/entries verified/).waitFor();
    await page.getByText('It is the whole log, from the first entry of the account.').waitFor();
    const { db } = portal.t.services;
    const row = await db
      .selectFrom('audit_entries')
      .select(['id', 'entry'])
      .where('account_id', '=', seeded.account.id)
      .orderBy('sequence')
      .executeTakeFirstOrThrow();
    const set = (entry: typeof row.entry) =>
      db
        .updateTable('audit_entries')
        .set({ entry: JSON.stringify(entry) as never })
        .where('id', '=', row.id)
        .execute();
    await set({ ...row.entry, client_ip: '198.51.100.1' });
    await open('/portal/audit?verify=yes');
    await page.getByText('The chain is broken').waitFor();
    await page.getByText(row.id).waitFor();
    await set(row.entry);
  });

  it('an entry of the audit log opens, and leads to the work that it started', async () => {
    const { page, open } = tab;
    await open('/portal/audit?action=createVm');
    const entry = page.getByRole('listitem').filter({ hasText: 'builder' }).first();
    await entry.locator('summary').click();
    await entry.getByText('createVm', { exact: true }).waitFor();
    await entry.getByRole('link', { name: topics.operationId }).waitFor();
  });

  it('a budget is made, locked by a person, and deleted only after it was unlocked', async () => {
    const { page, open } = tab;
    await open('/portal/budgets?edit=new');
    await page.getByLabel('Name', { exact: true }).fill('team');
    await page.getByLabel(/^Amount a month/).fill('75');
    await page.getByRole('button', { name: 'Create it' }).click();
    const card = page.getByRole('article', { name: 'team' });
    await card.getByText('of €75.00 this month').waitFor();
    const act = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Acts for team' }).click();
      await page.getByRole('menuitem', { name, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
    };
    await act('Lock');
    await card.getByText('locked').waitFor();
    await page.getByRole('button', { name: 'Acts for team' }).click();
    await page.getByText('It is locked: unlock it first.').waitFor();
    await page.keyboard.press('Escape');
    await act('Unlock');
    await card.getByText('locked').waitFor({ state: 'detached' });
    await act('Delete');
    await card.waitFor({ state: 'detached' });
  });

  it('a webhook shows its secret once, and its deliveries what the receiver answered', async () => {
    const { page, open } = tab;
    await open('/portal/webhooks?create=new');
    await page.getByLabel('Name', { exact: true }).fill('deploys');
    await page.getByLabel('Address').fill('https://hooks.example.com/hostplane');
    await page.getByRole('button', { name: 'Add it' }).click();
    expect(await page.locator('[data-secret]').textContent()).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('link', { name: 'deploys' }).waitFor();
    await open(`/portal/webhooks/${topics.webhookId}?status=failed`);
    const delivery = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    await delivery.locator('summary').click();
    await delivery.getByText('What the receiver answered').waitFor();
    // The event of the seeded delivery was never written, so the server says why it cannot be sent again.
    await delivery.getByRole('button', { name: 'Send again' }).click();
    await delivery.getByRole('alert').waitFor();
  });

  it('settings are saved, and closing asks for the name and deletes nothing', async () => {
    const { page, open } = tab;
    await open('/portal/settings');
    await page.getByLabel('Security contacts').fill('sec@example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('button', { name: 'Close the account' }).click();
    const dialog = page.getByRole('dialog');
    const sure = dialog.getByRole('button', { name: 'Close the account' });
    expect(await sure.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByLabel(/^Type Acme GmbH/).fill('Acme GmbH');
    await sure.click();
    await page.getByText('about to be closed').waitFor();
    const { db } = portal.t.services;
    const account = await db
      .selectFrom('accounts')
      .select(['status', 'contacts'])
      .where('id', '=', seeded.account.id)
      .executeTakeFirstOrThrow();
    expect(account).toMatchObject({ status: 'closing', contacts: { security: ['sec@example.com'] } });
    const machines = db.selectFrom('vms').select('id').where('account_id', '=', seeded.account.id);
    expect(await machines.execute()).toHaveLength(1);
    await db.updateTable('accounts').set({ status: 'active' }).where('id', '=', seeded.account.id).execute();
  });

  it('Ctrl K finds a resource by a part of its name', async () => {
    const { page, open } = tab;
    await open('/portal/limits');
    await settled(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('begins-');
    await page.getByRole('option', { name: /begins-/ }).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  it('Ctrl K finds the pages of products, the pages that create something, and an operation by its id', async () => {
    const { page, open } = tab;
    await open('/portal/limits');
    await settled(page);
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search or jump to' });
    const first = page.getByRole('listbox', { name: 'Hits' }).getByRole('option').first();
    for (const [words, hit] of [
      ['volumes', 'Volumes'],
      ['firewalls', 'Firewalls'],
      ['create vm', 'Create machine'],
      ['machines', 'Machines'],
    ] as const) {
      await field.fill(words);
      await expect.poll(() => first.locator('span').first().textContent()).toBe(hit);
    }
    await field.fill(topics.operationId);
    await page.getByRole('option', { name: /begins-/ }).waitFor();
    expect(await page.getByRole('dialog').getByRole('status').count()).toBe(0);
    await field.press('Enter');
    await expect.poll(() => page.url()).toContain(`/operations/${topics.operationId}`);
    expect(tab.complaints).toEqual([]);
  });

  it('Ctrl K says that no operation fits only if it has found nothing else', async () => {
    const { page, open } = tab;
    await open('/portal/limits');
    await settled(page);
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search or jump to' });
    await field.fill('zzyzx qwv');
    await page.getByRole('dialog').getByRole('status').waitFor();
    await field.fill('begins-');
    await page.getByRole('option', { name: /begins-/ }).waitFor();
    expect(await page.getByRole('dialog').getByRole('status').count()).toBe(0);
  });

  it('the spinner of the running step is as wide as it is high', async () => {
    const { page, open } = tab;
    const kinds = await page.request.get(`${portal.origin}/portal/api/operation-kinds.json`);
    const { data } = (await kinds.json()) as { data: { type: string; steps: string[] }[] };
    const [step] = data.find(({ type }) => type === 'vm.create')!.steps;
    await page.route(new RegExp(`/operations/${topics.operationId}$`), async (route) => {
      if (route.request().resourceType() === 'document') return route.fallback();
      const json = await (await route.fetch()).json();
      return route.fulfill({ json: { ...json, status: 'running', step, started_at: json.created_at } });
    });
    await open(`/portal/operations/${topics.operationId}`);
    const row = page.getByRole('listitem').filter({ hasText: /running$/ });
    // Without the turning, which changes its box.
    const mark = row.locator('[aria-hidden=true]').first();
    const { width, height } = (await mark.boundingBox())!;
    expect(width).toBe(height);
    await page.unroute(/operations/);
  });
});
