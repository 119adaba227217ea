/** Members with the role billing see what is spent, and each other page says who can show them more. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { settled } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { seedAccount, seedTopics } from '../../../testing/browser/seed.ts';
import { pagesOfOneThing, signedInPages } from './page-list.ts';

const WHO = /owner or admin of the account/;

/** Pages that show nothing of the account to the role. */
const REFUSING = [
  '/portal/api/keys',
  '/portal/api/keys/allowlist',
  '/portal/api/keys/denials',
  '/portal/approvals',
  '/portal/audit',
  '/portal/limits',
  '/portal/settings',
  '/portal/webhooks',
  '/portal/p/flexible-vps',
  '/portal/p/flexible-vps/vms',
  '/portal/p/flexible-vps/vms/new',
];

describeInBrowser('the portal of a member with the role billing', () => {
  let portal: BrowserPortal;
  let tab: Tab;
  let topics: Awaited<ReturnType<typeof seedTopics>>;

  beforeAll(async () => {
    portal = await openPortal({ portal: true });
    const seeded = await seedAccount(portal.t);
    topics = await seedTopics(portal.t, seeded);
    tab = await portal.memberTab(seeded.account.id, 'billing', { name: 'Blaise Pascal' });
  });
  afterAll(() => portal.close());

  it('shows what was spent on its first page, and the usage', async () => {
    await tab.open('/portal');
    const cost = tab.page.getByRole('link', { name: /^This month so far/ });
    await cost.waitFor();
    expect(await cost.textContent()).toContain('€19.81');
    await cost.click();
    await tab.page.getByRole('heading', { name: 'Usage' }).waitFor();
    await tab.page.getByText('€19.81').first().waitFor();
  });

  it('shows the budgets, and says why none can be changed and who can give the right', async () => {
    await tab.open('/portal/budgets');
    await tab.page.getByText('€19.81').first().waitFor();
    const create = tab.page.getByRole('button', { name: 'Create a budget' });
    await expect.poll(() => create.getAttribute('title')).toMatch(WHO);
    await create.click({ force: true });
    await tab.page.getByRole('tooltip').filter({ hasText: WHO }).waitFor();
    await tab.page.getByRole('button', { name: /^Acts for everything/ }).click();
    const menu = tab.page.getByRole('menu', { name: /^Acts for everything/ });
    await menu.getByRole('menuitem', { name: /^Change/ }).waitFor();
    expect(await menu.textContent()).toMatch(WHO);
    await tab.open('/portal/budgets?edit=new');
    await expect.poll(() => create.getAttribute('title')).toMatch(WHO);
    expect(await tab.page.getByRole('dialog').count()).toBe(0);
  });

  it('lists under My APIs what the role may do in the portal', async () => {
    await tab.open('/portal/api/mine?q=usage');
    const usage = tab.page.getByRole('listitem').filter({ hasText: 'Get usage and cost to date' }).last();
    await usage.getByText('yes', { exact: true }).waitFor();
  });

  it('says on each page that shows nothing who can give another role, once, and loads nothing for ever', async () => {
    const { approvalId, webhookId, operationId } = topics;
    const ofOneThing = pagesOfOneThing(approvalId, 'key_none', webhookId, operationId);
    const refusing = [...REFUSING, ...ofOneThing.filter((page) => /approvals|webhooks|mine/.test(page))];
    const pages = new Set([...refusing, ...signedInPages.filter((page) => !page.includes('?'))]);
    const wrong: unknown[] = [];
    for (const page of pages) {
      await tab.open(page);
      await settled(tab.page);
      const notices = tab.page.getByRole('alert').or(tab.page.getByRole('status'));
      const said = (await notices.allInnerTexts()).filter((text) => WHO.test(text));
      const isWell = said.every((text) => text.split(WHO).length === 2 && !text.includes('hostplane admin'));
      if (!isWell || said.length !== (refusing.includes(page) ? 1 : 0)) wrong.push({ page, said });
    }
    expect(wrong).toEqual([]);
    expect(tab.complaints).toEqual([]);
  });
});
