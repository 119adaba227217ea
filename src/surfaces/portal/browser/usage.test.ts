/** Cost by day and product, in the dates that a person chooses, also for members with the role billing. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount } from '../../../testing/accounts.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { spend } from '../../../testing/spent-money.ts';

const page = '/portal/usage?period=own&from=2026-03-01&until=2026-03-31';

describeInBrowser('the page of the usage', () => {
  let portal: BrowserPortal;
  let tab: Tab;

  beforeAll(async () => {
    portal = await openPortal();
    const { db } = portal.t.services;
    const account = await createAccount(db);
    for (const [family, amount, day, sku] of [
      ['workshop', '12.50', '02', 'no-longer-sold'],
      ['flexible-vps', '30', '02', 'vps.flex-2-4'],
      ['flexible-vps', '8', '04', 'ip.ipv4'],
    ] as const)
      await spend(db, account.id, amount, {
        family,
        sku,
        labels: family === 'workshop' ? { env: 'prod' } : {},
        at: new Date(`2026-03-${day}T00:00:00Z`),
      });
    tab = await portal.memberTab(account.id, 'billing', { name: 'Blaise Pascal' });
  });
  afterAll(() => portal.close());

  it('splits each day by product, also in its table, for somebody with the role billing', async () => {
    await tab.open(page);
    await tab.page.getByText('€50.50').first().waitFor();
    const chart = tab.page.getByRole('slider', { name: /^Cost by day and product/ });
    await chart.press('Home');
    await chart.press('ArrowRight');
    expect(await chart.getAttribute('aria-valuetext')).toBe(
      '2 March 2026: Flexible VPS €30.00, Workshop €12.50',
    );
    await tab.page.getByText('Show as table').click();
    const row = tab.page.getByRole('row', { name: /^2 March 2026/ });
    expect(await row.getByRole('cell').allTextContents()).toEqual(['€30.00', '€12.50', '€42.50']);
  });

  it('says what was used in the words of the price list, as far as it has them', async () => {
    await tab.open(page);
    const usedBy = (product: string) =>
      tab.page
        .getByRole('row', { name: new RegExp(`^${product}`) })
        .getByRole('listitem')
        .allTextContents();
    await tab.page.getByRole('table', { name: 'Cost', exact: true }).getByText('€12.50').waitFor();
    expect((await usedBy('Flexible VPS')).toSorted()).toEqual([
      'IPv4 address: 1 item',
      'Plan flex-2-4: 1 item',
    ]);
    expect(await usedBy('Workshop')).toEqual(['no-longer-sold: 1 item']);
  });

  it.each([
    ['family', ['2026-03-02,flexible-vps,vps.flex-2-4', '2026-03-02,workshop,no-longer-sold', '2026-03-04,']],
    ['label', ['2026-03-02,prod,', '2026-03-02,,', '2026-03-04,,ip.ipv4']],
  ])('saves each day of the dates in a file, also by %s', async (by, begins) => {
    await tab.open(`${page}&by=${by}&label=env`);
    const [download] = await Promise.all([
      tab.page.waitForEvent('download'),
      tab.page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`usage-2026-03-01-${by}.csv`);
    const lines = (await readFile((await download.path()) ?? '', 'utf8')).trimEnd().split('\r\n');
    expect(lines[0]).toContain('\ufeffday,');
    const days = lines.slice(1).map((line) => line.slice(0, 10));
    expect(new Set(days).size).toBe(31);
    expect(days).toEqual(days.toSorted());
    for (const begin of begins) expect(lines.map((line) => line.slice(0, begin.length))).toContain(begin);
    expect(lines).toContain('2026-03-03,,,,,,,,0,Nothing was used.');
    expect(lines.filter((line) => !line.endsWith(',Nothing was used.')).length).toBe(1 + 3);
  });

  it('keeps the dates in its address, and asks for none that the API refuses', async () => {
    await tab.open(page);
    await tab.page.getByText('€50.50').first().waitFor();
    await tab.page.getByLabel('From').fill('2026-03-03');
    await tab.page.getByText('€8.00').first().waitFor();
    expect(new URL(tab.page.url()).searchParams.get('from')).toBe('2026-03-03');
    await tab.page.getByLabel('From').fill('2024-03-03');
    await tab.page.getByText('At most 400 days can be shown at once.').waitFor();
    expect(await tab.page.getByRole('slider').count()).toBe(0);
    await tab.page.getByLabel('Period').selectOption('Last month');
    await tab.page.getByLabel('From').waitFor({ state: 'detached' });
    expect(new URL(tab.page.url()).search).toBe('?period=last');
    expect(tab.complaints.filter((each) => !each.includes('403'))).toEqual([]);
  });
});
