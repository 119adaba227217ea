/** What starting and stopping changes about the cost, for dry runs, budgets, approvals, restricted accounts and prices. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { outcomeOf } from '../../../laws/responses.ts';
import { createKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';

let app: TestApp;
let vps: VpsAccount;

beforeAll(async () => {
  app = await createTestApp({ works: false });
});
beforeEach(async () => {
  vps = await VpsAccount.open(app);
});
afterAll(() => app.close());

const RUNNING = { hourly: '0.011700', monthly: '8.00', currency: 'EUR' };
const STOPPED = { hourly: '0.000700', monthly: '0.50', currency: 'EUR' };

const stopped = () => vps.vm({ start: false });
const act = (id: string, type: string, query = '') => vps.send('POST', `vms/${id}/actions${query}`, { type });
const on = (id: string) => act(id, 'power_on');
const preview = async (id: string, type: string) => (await act(id, type, '?dry_run=true')).json();

const budget = (amount: string, more: object = {}) =>
  app.call({
    method: 'PUT',
    url: '/account/v1/budgets/cap',
    payload: { amount, thresholds: [{ percent: 100 }], action: 'block_new_cost', ...more },
    key: vps.key,
  });

const listed = async (id: string) =>
  (await app.call({ url: `/account/v1/resources?ids=${id}`, key: vps.key })).json().data[0];

describe('a dry run of a power action', () => {
  it('shows how much cost a start adds and a stop saves', async () => {
    const { id } = await stopped();
    expect(await preview(id, 'power_on')).toMatchObject({
      cost: { hourly: '0.011000', monthly: '7.50' },
      exceeds_budgets: [],
    });
    await on(id);
    await settle(app);
    expect(await preview(id, 'shutdown')).toMatchObject({ cost: { hourly: '-0.011000', monthly: '-7.50' } });
    expect(await preview(id, 'restart')).toMatchObject({ cost: { hourly: '0.000000', monthly: '0.00' } });
  });

  it.each([
    ['resize', { plan: 'flex-4-8', start_after: 'yes' }],
    ['rescue', { enabled: true }],
    ['redeploy', { image_id: 'debian-12' }],
    ['actions', { type: 'power_on' }],
  ])('of %s says that a stopped machine is started', async (call, body) => {
    const vm = await stopped();
    const confirm = call === 'redeploy' ? { confirm: vm.name } : {};
    const dry = await vps.send('POST', `vms/${vm.id}/${call}?dry_run=true`, { ...body, ...confirm });
    expect(dry.json().effects).toContainEqual({
      action: 'start',
      type: 'vm',
      id: vm.id,
      name: vm.name,
      loss: null,
    });
  });

  it('of a resize that leaves a stopped machine stopped does not say that it is started', async () => {
    const { id } = await stopped();
    const dry = await vps.send('POST', `vms/${id}/resize?dry_run=true`, { plan: 'flex-4-8' });
    expect(dry.json().effects).toMatchObject([{ action: 'update' }]);
  });

  it('names the budgets that would be exceeded, also if they only notify', async () => {
    const { id } = await stopped();
    const { id: budget_id } = (await budget('7.99', { action: 'notify' })).json();
    expect((await preview(id, 'power_on')).exceeds_budgets).toEqual([
      { budget_id, amount: '7.99', spent: '0.00', committed: '0.50', requested: '7.50' },
    ]);
    await budget('8.00', { action: 'notify' });
    expect((await preview(id, 'power_on')).exceeds_budgets).toEqual([]);
  });
});

describe('a blocking budget', () => {
  it('409: refuses a start that does not fit to the cent, and allows everything that saves money', async () => {
    const { id } = await stopped();
    await budget('7.99');
    const refused = await on(id);
    expect([outcomeOf(refused), refused.json()]).toMatchObject([
      '409 budget_exceeded',
      { committed: '0.50', requested: '7.50' },
    ]);
    await budget('8.00');
    expect((await on(id)).statusCode).toBe(202);
    await settle(app);
    await budget('0.01');
    expect((await act(id, 'power_off')).statusCode).toBe(202);
    await settle(app);
    expect((await vps.send('DELETE', `vms/${id}`)).statusCode).toBe(202);
  });

  it('counts a machine once, however often it was stopped and started in the month', async () => {
    const { id } = await vps.vm();
    await budget('8.01');
    for (let times = 0; times < 3; times++) {
      expect((await act(id, 'power_off')).statusCode).toBe(202);
      await settle(app);
      expect((await on(id)).statusCode).toBe(202);
      await settle(app);
    }
  });

  it('409: counts all machines of a bulk action, before and after its children have ended', async () => {
    const vm_ids = [(await stopped()).id, (await stopped()).id];
    const start = { type: 'power_on', vm_ids, max_parallel: 1 };
    await budget('15.99');
    const refused = await vps.send('POST', 'bulk-actions', start);
    expect([outcomeOf(refused), refused.json().requested]).toEqual(['409 budget_exceeded', '15.00']);
    await budget('17.00');
    expect((await vps.send('POST', 'bulk-actions', start)).statusCode).toBe(202);
    const third = { name: 'third', location: 'fra1', plan: 'flex-1-1' };
    const source = { type: 'image', image_id: 'ubuntu-24.04' };
    expect(outcomeOf(await vps.send('POST', 'vms', { ...third, source }))).toBe('409 budget_exceeded');
    await settle(app);
    expect((await budget('16.00')).json()).toMatchObject({ amount: '16.00' });
    expect((await preview(vm_ids[0] ?? '', 'power_off')).cost.monthly).toBe('-7.50');
  });

  it('409: of a key counts machines that the key created, whichever key starts them', async () => {
    const maker = await createKey(app.services.db, vps.account);
    const other = await createKey(app.services.db, vps.account);
    const body = { name: 'made', location: 'fra1', plan: 'flex-2-4', start: false };
    const payload = { ...body, source: { type: 'image', image_id: 'ubuntu-24.04' } };
    const made = await app.call({ method: 'POST', url: '/flexible-vps/v1/vms', payload, key: maker.key });
    await settle(app);
    const url = `/flexible-vps/v1/vms/${made.json().id}/actions`;
    const start = () => app.call({ method: 'POST', url, payload: { type: 'power_on' }, key: other.key });
    for (const { id } of [maker, other]) {
      await budget('7.49', { scope: { api_key_ids: [id] } });
      expect(outcomeOf(await start())).toBe('409 budget_exceeded');
    }
    await budget('7.49', { scope: { api_key_ids: [(await createKey(app.services.db, vps.account)).id] } });
    expect((await start()).statusCode).toBe(202);
  });
});

describe('approval and restriction', () => {
  it('409: a start that adds more cost than the key may add needs approval', async () => {
    const { id } = await stopped();
    const url = `/flexible-vps/v1/vms/${id}/actions`;
    const ask = async (approval_over_monthly: string) => {
      const { key } = await createKey(app.services.db, vps.account, { approval_over_monthly });
      return app.call({ method: 'POST', url, payload: { type: 'power_on' }, key });
    };
    const asked = await ask('7.49');
    expect(outcomeOf(asked)).toBe('409 approval_required');
    expect(asked.json<{ detail: string }>().detail).toContain(
      'It adds 7.50 EUR a month; the key may add 7.49 without approval.',
    );
    expect((await ask('7.50')).statusCode).toBe(202);
  });

  it('403: a restricted account can stop its machines, but not start them', async () => {
    const { id } = await vps.vm();
    const { id: still } = await stopped();
    const accounts = app.services.db.updateTable('accounts').where('id', '=', vps.account.id);
    await accounts.set({ status: 'restricted' }).execute();
    const { key } = await createKey(app.services.db, vps.account);
    const send = (vm: string, type: string) =>
      app.call({ method: 'POST', url: `/flexible-vps/v1/vms/${vm}/actions`, payload: { type }, key });
    expect((await send(id, 'power_off')).statusCode).toBe(202);
    const refused = await send(still, 'power_on');
    expect(outcomeOf(refused)).toBe('403 account_restricted');
    expect(refused.json()).toMatchObject({ denied_by: ['account_status'] });
    await app.services.denials.flush();
    const denials = (await app.call({ url: '/account/v1/key-denials', key })).json();
    expect(denials.data).toMatchObject([{ code: 'account_restricted', count: 1 }]);
  });
});

describe('the price of a machine', () => {
  it('equals the price in the inventory, running and stopped', async () => {
    const { id } = await stopped();
    for (const [type, price] of [
      ['power_on', RUNNING],
      ['power_off', STOPPED],
    ] as const) {
      await act(id, type);
      await settle(app);
      const prices = { price, price_running: RUNNING, price_stopped: STOPPED };
      expect(await vps.readVm(id)).toMatchObject(prices);
      expect(await listed(id)).toMatchObject(prices);
    }
  });

  it('does not change while an operation runs, even if its labels change', async () => {
    const { id } = await stopped();
    await on(id);
    const labels = { env: 'test' };
    const dry = await vps.send('PATCH', `vms/${id}?dry_run=true`, { labels });
    expect(dry.json().cost.monthly).toBe('0.00');
    expect((await vps.send('PATCH', `vms/${id}`, { labels })).json()).toMatchObject({ price: STOPPED });
    expect((await listed(id)).price).toEqual(STOPPED);
    await settle(app);
    expect((await listed(id)).price).toEqual(RUNNING);
  });

  it('that is stopped and being deleted is the price of a stopped machine', async () => {
    const { id } = await stopped();
    expect((await vps.send('DELETE', `vms/${id}`)).json()).toMatchObject({ price: STOPPED });
    expect((await listed(id)).price).toEqual(STOPPED);
  });
});
