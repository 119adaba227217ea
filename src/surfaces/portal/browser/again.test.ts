/** Work that failed can be done again from its page, with what is still known about it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { describeInBrowser } from '../../../testing/browser/describe.ts';
import { type BrowserPortal, openPortal, type Tab } from '../../../testing/browser/portal.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';

const refusal = { kind: 'fail', code: 'engine_failed', detail: 'Not today.' } as const;

describeInBrowser('a failed operation', () => {
  let portal: BrowserPortal;
  let customer: VpsAccount;
  let tab: Tab;

  beforeAll(async () => {
    portal = await openPortal();
    customer = await VpsAccount.open(portal.t);
    tab = await portal.memberTab(customer.account.id, 'owner', { name: 'Ada Lovelace' });
  });
  afterAll(() => portal.close());

  type Answer = { id: string; operation?: { id: string } | null };

  /** Makes the call, whose operation the engine refuses once. */
  async function failing(call: 'ensureRunning' | 'ensureSize' | 'ensureStopped', path: string, body: object) {
    const { db } = portal.t.services;
    await addFault(db, { call, times: 1, effect: refusal });
    const answer = await customer.send('POST', path, body);
    if (answer.statusCode !== 202) throw new Error(answer.body);
    await settle(portal.t);
    await clearFaults(db);
    const { id, operation } = answer.json<Answer>();
    return { id, operation: operation?.id ?? id };
  }

  const order = {
    name: 'again-1',
    location: 'hel1',
    plan: 'flex-2-4',
    labels: { env: 'prod' },
    source: { type: 'image', image_id: 'ubuntu-24.04' },
  };

  it('to create something opens the form with what is left of it, and offers what helps in its state', async () => {
    const { page, open, complaints } = tab;
    const { operation } = await failing('ensureRunning', 'vms', order);
    await open(`/portal/operations/${operation}`);
    await page.getByRole('button', { name: 'Redeploy', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Do it again' }).click();
    await page.getByRole('link', { name: 'again-1', exact: true }).waitFor();
    await page.getByRole('radio', { name: /^Helsinki 1 \(hel1\)/, checked: true }).waitFor();
    await page.getByRole('radio', { name: /Flex 2-4/, checked: true }).waitFor();
    const name = page.getByLabel('Name of the machine');
    expect(await name.inputValue()).toBe('again-1');
    await page.getByText('Name already used').waitFor();
    await name.fill('again-2');
    await page.getByText(/a month · /).waitFor();
    await page.getByRole('button', { name: 'Create machine' }).click();
    // Somebody who has no key gets a password.
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('heading', { level: 1, name: 'again-2' }).waitFor();
    // The page, the list and its filter call the location as the form does.
    await page.getByText('Helsinki 1 (hel1)', { exact: true }).waitFor();
    await tab.go('/portal/p/flexible-vps/vms');
    await page.getByRole('cell', { name: 'Helsinki 1 (hel1)' }).first().waitFor();
    await page.getByRole('option', { name: 'Helsinki 1 (hel1)' }).waitFor({ state: 'attached' });
    const { data } = (await customer.send('GET', 'vms?name=again-2')).json<{ data: object[] }>();
    expect(data).toMatchObject([
      { location: 'hel1', plan: 'flex-2-4', labels: order.labels, source: { id: 'ubuntu-24.04' } },
    ]);
    expect(complaints.filter((each) => !each.includes('409'))).toEqual([]);
  });

  it('of a resource that is there opens its act with what it wanted', async () => {
    const { page, open } = tab;
    const { id } = await customer.vm({ name: 'again-3' });
    const { operation } = await failing('ensureSize', `vms/${id}/resize`, { plan: 'flex-4-8' });
    await open(`/portal/operations/${operation}`);
    await page.getByRole('button', { name: 'Do it again' }).click();
    const dialog = page.getByRole('dialog', { name: 'Resize again-3' });
    await dialog.getByRole('region', { name: 'What this does' }).waitFor();
    expect(await dialog.getByLabel(/^Plan/).inputValue()).toBe('flex-4-8');
    await dialog.getByRole('button', { name: 'Resize', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await settle(portal.t);
    expect(await customer.readVm(id)).toMatchObject({ plan: 'flex-4-8' });
  });

  it('that shares its call with others opens the one that failed', async () => {
    const { page, open } = tab;
    const { id } = await customer.vm({ name: 'again-4' });
    const { operation } = await failing('ensureStopped', `vms/${id}/actions`, { type: 'power_off' });
    await open(`/portal/operations/${operation}`);
    await page.getByRole('button', { name: 'Do it again' }).click();
    await page.getByRole('dialog', { name: 'Power off again-4' }).waitFor();
  });
});
