/** Acts on several resources at once, acts that want a name typed, and work that fails after it was accepted. */
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { inspect, openWide } from '../../../testing/browser/inspect.ts';
import { focusedOn } from '../../../testing/browser/keyboard.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';

const MACHINES = '/portal/p/flexible-vps/vms';
const refusal = { kind: 'fail', code: 'engine_failed', detail: 'Not today.' } as const;

describeInBrowser('acts of people on machines', () => {
  let portal: BrowserPortal;
  let customer: VpsAccount;
  let tab: Tab;

  beforeAll(async () => {
    portal = await openPortal();
    customer = await VpsAccount.open(portal.t);
    tab = await portal.memberTab(customer.account.id, 'owner', { name: 'Ada Lovelace' });
  });
  afterAll(() => portal.close());

  const select = async (...names: readonly string[]): Promise<Locator> => {
    await openWide(tab, MACHINES);
    for (const name of names) await tab.page.getByRole('checkbox', { name: `Select ${name}` }).check();
    const toolbar = tab.page.getByRole('toolbar', { name: 'Acts on what is selected' });
    await toolbar.getByText(`${names.length} selected`).waitFor();
    return toolbar;
  };
  const statusOf = async (id: string) => (await customer.readVm(id)).status;

  it('that one of several machines cannot take are done on the others, and the page names the one', async () => {
    const { page, complaints } = tab;
    const runs = await customer.vm({ name: 'runs' });
    const stops = await customer.vm({ name: 'stops' });
    await customer.send('POST', `vms/${stops.id}/actions`, { type: 'power_off' });
    await settle(portal.t);
    const toolbar = await select('runs', 'stops');
    await toolbar.getByRole('button', { name: 'Restart', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Restart 2 machines' });
    await dialog.getByRole('button', { name: 'Restart', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await focusedOn(page)).name).toBe('Restart');
    await settle(portal.t);
    expect([await statusOf(runs.id), await statusOf(stops.id)]).toEqual(['running', 'stopped']);
    const said = page.getByRole('status').filter({ hasText: 'Restart 2 machines: 1 of 2 failed' });
    await said.waitFor();
    await inspect(tab);
    await said.getByRole('link', { name: 'See why, and what to do' }).click();
    const parts = page.getByRole('list', { name: 'Parts' });
    await parts.getByRole('listitem').filter({ hasText: 'stops' }).getByText('failed').waitFor();
    await parts.getByRole('listitem').filter({ hasText: 'runs' }).getByText('succeeded').waitFor();
    expect(complaints).toEqual([]);
  });

  it('that delete several keep those selected that are refused, and say why', async () => {
    const { page } = tab;
    await customer.vm({ name: 'goes' });
    const stays = await customer.vm({ name: 'stays' });
    await customer.send('PATCH', `vms/${stays.id}`, { protection: { delete: true } });
    const toolbar = await select('goes', 'stays');
    await toolbar.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 2 machines' });
    await dialog.getByLabel('Type 2 to confirm').fill('2');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByText('stays is still there').waitFor();
    expect(await dialog.getByText('goes is still there').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await toolbar.getByText('1 selected').waitFor();
    await settle(portal.t);
    await page.getByRole('link', { name: 'goes', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Select stays', checked: true }).waitFor();
  });

  it('that cannot be undone wait for the name of the machine, and give the focus back', async () => {
    const { page } = tab;
    const { id } = await customer.vm({ name: 'named' });
    await openWide(tab, `${MACHINES}/${id}`);
    const menu = page.getByRole('button', { name: 'Acts on Machine named' });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Redeploy', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Redeploy named' });
    const act = dialog.getByRole('button', { name: 'Redeploy', exact: true });
    const typed = dialog.getByLabel('Type named to confirm');
    await typed.fill('name');
    await dialog.getByRole('region', { name: 'What this does' }).waitFor();
    await expect.poll(() => act.getAttribute('aria-disabled')).toBe('true');
    await act.click({ force: true });
    expect(await statusOf(id)).toBe('running');
    await typed.fill('named');
    await expect.poll(() => act.getAttribute('aria-disabled')).not.toBe('true');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect((await focusedOn(page)).name).toBe('Acts on Machine named');
  });

  it('that delete a row leave the focus in the page', async () => {
    const { page } = tab;
    const made = await customer.send('POST', 'firewalls', { name: 'short-lived' });
    expect(made.statusCode).toBe(201);
    await openWide(tab, '/portal/p/flexible-vps/firewalls');
    await page.getByRole('button', { name: 'Acts on Firewall short-lived' }).click();
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete short-lived' });
    const typed = dialog.getByLabel('Type short-lived to confirm');
    await dialog.getByRole('region', { name: 'What this does' }).waitFor();
    if ((await typed.count()) > 0) await typed.fill('short-lived');
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await settle(portal.t);
    const row = page.getByRole('row').filter({ hasText: 'short-lived' });
    await row.getByText('Deleted').or(page.getByText('No firewalls yet')).waitFor();
    expect(await page.evaluate('document.activeElement === document.body')).toBe(false);
  });

  it('that fail after they were accepted are told on any page, with a way to do them again', async () => {
    const { page } = tab;
    const { db } = portal.t.services;
    const { id } = await customer.vm({ name: 'fails' });
    await openWide(tab, `${MACHINES}/${id}`);
    await page.getByRole('button', { name: 'Acts on Machine fails' }).click();
    await page.getByRole('menuitem', { name: 'Power off', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Power off fails' });
    await addFault(db, { call: 'ensureStopped', times: 1, effect: refusal });
    await dialog.getByRole('button', { name: 'Power off', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Members' }).click();
    await settle(portal.t);
    await clearFaults(db);
    const said = page.getByRole('status').filter({ hasText: 'Power off machine fails failed' });
    await said.getByRole('link', { name: 'See why, and what to do' }).click();
    await page.getByText('Not today.').waitFor();
    await page.getByRole('button', { name: 'Do it again' }).click();
    await page.getByRole('dialog', { name: 'Power off fails' }).waitFor();
    await said.waitFor({ state: 'detached' });
  });
});
