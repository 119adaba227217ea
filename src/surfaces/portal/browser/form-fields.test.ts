/** How people fill the fields of forms that are made from the document, in a real browser against the real server. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { inspect, openWide, pickerOf, settled } from '../../../testing/browser/inspect.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { type Seeded, seedAccount } from '../../../testing/browser/seed.ts';

/** More than a list shows without a search. */
const MANY = 32;

describeInBrowser('people filling forms', () => {
  let portal: BrowserPortal;
  let seeded: Seeded;

  const made = async (url: string, payload: object): Promise<string> => {
    const answer = await portal.server.inject({
      method: 'POST',
      url: `/flexible-vps/v1/${url}`,
      headers: { 'x-api-key': seeded.keys['assistant']!.key },
      payload,
    });
    return answer.json<{ id: string }>().id;
  };

  beforeAll(async () => {
    portal = await openPortal();
    seeded = await seedAccount(portal.t);
    for (let i = 1; i <= MANY; i += 1) await made('firewalls', { name: `wall-${i}` });
  });

  afterAll(() => portal.close());

  const withForm = async (operation: string, act: (page: Page, tab: Tab) => Promise<void>) => {
    const tab = await portal.tab({ token: seeded.token });
    try {
      await openWide(tab, `/portal/api/explorer/${operation}`);
      await act(tab.page, tab);
      expect(tab.complaints).toEqual([]);
    } finally {
      await tab.close();
    }
  };

  /** The body of the call, as the page shows it. */
  const bodyOf = async (page: Page): Promise<unknown> => {
    const code = await page
      .locator('figure', { hasText: 'The same call as curl' })
      .locator('code')
      .last()
      .textContent();
    return JSON.parse(/-d '([\s\S]*)'/.exec(code ?? '')?.[1] ?? 'null');
  };

  const dryRun = (page: Page): Promise<void> => page.getByRole('button', { name: 'Dry run' }).click();

  it('read once what is wrong with a field, until they change that field', async () => {
    await withForm('createVpsFirewall', async (page, tab) => {
      await page.getByLabel('Name').fill('Not a name');
      await page.getByRole('button', { name: 'Add to Rules' }).click();
      const rule = page.getByRole('group', { name: 'Rule 1' });
      await rule.getByRole('radio', { name: /^In/ }).check();
      await rule.getByRole('radio', { name: /^Allow/ }).check();
      await rule.getByLabel('Protocol').selectOption('tcp');
      await rule.getByRole('button', { name: 'Add to Ports' }).click();
      await rule.getByRole('textbox', { name: 'Ports 1' }).fill('443');
      await page.keyboard.press('Enter');
      await rule.getByRole('textbox', { name: 'Ports 2' }).fill('from 80 to 90');
      await rule.getByRole('button', { name: 'Add to Remote cidrs' }).click();
      await rule.getByRole('textbox', { name: 'Remote cidrs 1' }).fill('10.0.0.0/8');
      await dryRun(page);
      const wrong = page.locator('form [aria-invalid=true]');
      await expect.poll(() => wrong.count()).toBe(2);
      await page.getByText('This is not valid yet: 2 fields are marked below.').waitFor();
      await inspect(tab);
      await rule.getByRole('textbox', { name: 'Ports 2' }).fill('8443');
      await expect.poll(() => wrong.count()).toBe(1);
      await page.getByLabel('Name').fill('edge');
      await expect.poll(() => wrong.count()).toBe(0);
      expect(await page.getByText('This is not valid yet').count()).toBe(0);
      await dryRun(page);
      await page.getByText('dry run: nothing was changed').waitFor();
      expect(await bodyOf(page)).toEqual({
        name: 'edge',
        rules: [
          {
            direction: 'in',
            action: 'allow',
            protocol: 'tcp',
            ports: ['443', '8443'],
            remote_cidrs: ['10.0.0.0/8'],
          },
        ],
      });
    });
  });

  it('see what is wrong with a member that was folded', async () => {
    await withForm('createVm', async (page) => {
      const fold = page.locator('details', { hasText: 'Hostname' });
      await fold.locator('summary').first().click();
      await page.getByLabel('Hostname').fill('not a host name');
      await fold.locator('summary').first().click();
      await expect.poll(() => page.getByLabel('Hostname').isVisible()).toBe(false);
      await dryRun(page);
      await page.getByText('422 Unprocessable').waitFor();
      await expect.poll(() => page.getByLabel('Hostname').isVisible()).toBe(true);
      expect(await page.getByLabel('Hostname').getAttribute('aria-invalid')).toBe('true');
    });
  });

  it('find one of many by its words, with the keyboard alone, and take it away again', async () => {
    await withForm('createVm', async (page, tab) => {
      await page.locator('summary', { hasText: 'more' }).first().click();
      const field = page.getByRole('combobox', { name: 'Firewalls' });
      await field.waitFor();
      await field.focus();
      await page.keyboard.type('wall-17');
      const options = page.getByRole('listbox').getByRole('option');
      expect(await options.allInnerTexts()).toEqual([expect.stringMatching(/^wall-17/)]);
      await inspect(tab);
      await page.keyboard.press('Enter');
      await page.keyboard.type('wall-3');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      const chosen = page.getByRole('list', { name: 'Firewalls: chosen' }).getByRole('listitem');
      await expect.poll(() => chosen.count()).toBe(2);
      await page.keyboard.type('wall-9');
      await page.keyboard.press('Escape');
      expect(await options.count()).toBe(0);
      expect(await field.inputValue()).toBe('');
      await page.getByRole('button', { name: /^Remove wall-17/ }).press('Enter');
      await expect.poll(() => chosen.count()).toBe(1);
      await expect.poll(() => field.evaluate((e) => e === e.ownerDocument.activeElement)).toBe(true);
      expect(await bodyOf(page)).toEqual({ firewall_ids: [expect.stringMatching(/^fw_/)] });
    });
  });

  it('write labels in rows, and send null for what an update takes away', async () => {
    const id = await made('backup-policies', {
      name: 'daily',
      schedule: { frequency: 'daily', hour: 2 },
      retention: { keep_last: 3 },
    });
    await withForm('updateBackupPolicy', async (page) => {
      await pickerOf(page, 'ID').selectOption(id);
      await page.getByRole('button', { name: 'Add to Labels' }).click();
      await page.getByLabel('Name 1').fill('env');
      await page.getByLabel('Value 1').fill('prod');
      await page.getByRole('button', { name: 'Remove one that is there' }).click();
      await page.getByLabel('Name 2').fill('old');
      expect(await bodyOf(page)).toEqual({ labels: { env: 'prod', old: null } });
      await page.getByRole('button', { name: 'Remove env' }).click();
      expect(await bodyOf(page)).toEqual({ labels: { old: null } });
      await dryRun(page);
      await page.getByText('dry run: nothing was changed').waitFor();
    });
  });

  it('choose one of two alternatives, and what belongs to the other one is gone', async () => {
    await withForm('createBackupPolicy', async (page) => {
      const schedule = page.getByRole('group', { name: 'Schedule' });
      await schedule.getByRole('radio', { name: /^Weekly/ }).check();
      await pickerOf(page, /^Weekday/).selectOption('mon');
      expect(await bodyOf(page)).toEqual({ schedule: { frequency: 'weekly', weekday: 'mon' } });
      await schedule.getByRole('radio', { name: /^Daily/ }).check();
      expect(await bodyOf(page)).toEqual({ schedule: { frequency: 'daily' } });
    });
  });

  it('never lose a field while its choices are read, and can read them again', async () => {
    const tab = await portal.tab({ token: seeded.token });
    const { page } = tab;
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let isBroken = true;
    await page.route('**/placement-groups?*', async (route) => {
      await held;
      await (isBroken ? route.fulfill({ status: 500, body: '' }) : route.continue());
    });
    await tab.open('/portal/api/explorer/getPlacementGroup');
    await settled(page);
    await page.getByRole('option', { name: 'Loading…' }).waitFor({ state: 'attached' });
    expect(await pickerOf(page, 'ID').isDisabled()).toBe(true);
    answer();
    await page.getByText('The choices could not be loaded.').waitFor();
    await page.getByRole('combobox', { name: 'ID', exact: true }).fill('typed');
    isBroken = false;
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.poll(() => pickerOf(page, 'ID').count()).toBe(1);
    expect(await pickerOf(page, 'ID').inputValue()).toBe('typed');
    await tab.close();
  });

  it('give something new a name where a list has the present names', async () => {
    await withForm('setBudget', async (page) => {
      await page.getByLabel('ID', { exact: true }).fill('monthly');
      await page.getByLabel('Amount').fill('50');
      await page.getByRole('button', { name: 'Add to Thresholds' }).click();
      await page.getByLabel('Percent').fill('80');
      await dryRun(page);
      await page.getByText('dry run: nothing was changed').waitFor();
    });
  });
});
