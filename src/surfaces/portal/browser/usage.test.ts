/** Cost by day and product, in the dates that a person chooses, also for members with the role billing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../../testing/accounts.ts';
import { whyNoBrowser } from '../../../testing/browser/chromium.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { createPerson, createSession, joinAccount } from '../../../testing/people.ts';
import { spend } from '../../../testing/spent-money.ts';

const title = 'the page of the usage';
const page = '/portal/usage?period=own&from=2026-03-01&until=2026-03-31';

describe.skipIf(whyNoBrowser !== null)(whyNoBrowser === null ? title : `${title}: ${whyNoBrowser}`, () => {
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
      await spend(db, account.id, amount, { family, sku, at: new Date(`2026-03-${day}T00:00:00Z`) });
    const person = await createPerson(db, { name: 'Blaise Pascal' });
    await joinAccount(db, person, account.id, 'billing');
    tab = await portal.tab({ token: await createSession(db, person) });
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
