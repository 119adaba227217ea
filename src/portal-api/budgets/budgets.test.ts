import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evaluateBudgets } from '../../money/budgets/evaluation.ts';
import { createKey, createAccount as createTestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import {
  actorOf,
  catalogue,
  fieldsOf,
  openPortal,
  refusalOf,
  refusalsOf,
  staff,
  type TestPortal,
} from '../../testing/portal.ts';
import { spend } from '../../testing/spent-money.ts';
import { deleteBudget, listBudgets, lockBudget, setBudget, unlockBudget } from './budgets.ts';

let portal: TestPortal;
beforeAll(async () => {
  portal = await openPortal();
});
afterAll(() => portal.close());

const body = { amount: '100', thresholds: [{ percent: 80 }], action: 'block_new_cost' as const };
const set = (account_id: string, budget: string, change: object = {}, actor = staff) =>
  setBudget(portal.db, actor, { account_id, budget, ...body, ...change }, catalogue);

describe('budgets in the portal', () => {
  it('are set, locked, loosened, unlocked and deleted by people, each with an audit entry', async () => {
    const { account } = await portal.newAccount();
    const which = { account_id: account.id, budget: 'cap' };
    expect(await set(account.id, 'cap')).toMatchObject({ amount: '100.00', locked: false, status: 'ok' });
    expect(await lockBudget(portal.db, staff, which)).toMatchObject({ locked: true });
    expect(await lockBudget(portal.db, staff, which)).toMatchObject({ locked: true });
    const loosened = await set(account.id, 'cap', { amount: '500', action: 'notify' });
    expect(loosened).toMatchObject({ amount: '500.00', action: 'notify', locked: true });
    expect(await unlockBudget(portal.db, staff, { ...which, budget: loosened.id })).toMatchObject({
      locked: false,
    });
    expect(await listBudgets(portal.db, account.id)).toMatchObject([{ name: 'cap', locked: false }]);
    await deleteBudget(portal.db, staff, which);
    expect(await listBudgets(portal.db, account.id)).toEqual([]);
    const entries = (await portal.audit(account.id)).slice(1);
    expect(
      entries.map(({ action, changes }) => `${action} ${changes.map(({ pointer }) => pointer)}`),
    ).toEqual([
      'setBudget ',
      'lockBudget /locked',
      'lockBudget ',
      'setBudget /amount,/action',
      'unlockBudget /locked',
      'deleteBudget ',
    ]);
  });

  it('can be changed by owners and admins only', async () => {
    const { account, owner } = await portal.newAccount();
    const operator = actorOf(await portal.newMember(account.id, 'operator'));
    const which = { account_id: account.id, budget: 'cap' };
    await set(account.id, 'cap', {}, actorOf(owner));
    const refusals = await refusalsOf([
      set(account.id, 'cap', { amount: '1' }, operator),
      lockBudget(portal.db, operator, which),
      unlockBudget(portal.db, operator, which),
      deleteBudget(portal.db, operator, which),
    ]);
    expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['permission_denied']));
    expect(await listBudgets(portal.db, account.id)).toMatchObject([{ amount: '100.00' }]);
  });

  it('are refused with all faults, and not found in another account', async () => {
    const { account } = await portal.newAccount();
    const wrong = set(account.id, 'cap', { amount: '0', thresholds: [] });
    expect(fieldsOf(await refusalOf(wrong))).toEqual(['/thresholds too_few']);
    expect(fieldsOf(await refusalOf(set(account.id, 'cap', { amount: '0' })))).toEqual([
      '/amount out_of_range',
    ]);
    const emails = ['nobody@example.com'];
    expect(fieldsOf(await refusalOf(set(account.id, 'cap', { emails })))).toEqual([
      '/emails/0 unverified_email',
    ]);
    expect((await refusalOf(set(account.id, 'No Name'))).code).toBe('not_found');
    const { id } = await set(account.id, 'cap');
    const { account: other } = await portal.newAccount();
    const foreign = { account_id: other.id, budget: id };
    expect((await refusalOf(lockBudget(portal.db, staff, foreign))).code).toBe('not_found');
    expect((await refusalOf(set(other.id, id))).code).toBe('not_found');
  });

  it('are limited per account', async () => {
    const { account } = await portal.newAccount();
    for (let i = 0; i < 20; i++) await set(account.id, `cap-${i}`);
    expect((await refusalOf(set(account.id, 'one-more'))).code).toBe('quota_exceeded');
    expect(await set(account.id, 'cap-3', { amount: '7' })).toMatchObject({ amount: '7.00' });
  });
});

describe('budgets in the portal and in the API', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  it('a key cannot loosen a budget that a person locked, and can again after a person unlocked it', async () => {
    const { db } = app.services;
    const account = await createTestAccount(db);
    const { key } = await createKey(db, account);
    const input = { account_id: account.id, budget: 'cap' };
    await setBudget(db, staff, { ...input, ...body, amount: '10' }, app.services.provider.catalogue);
    await lockBudget(db, staff, input);
    await spend(db, account.id, '10.00');
    await evaluateBudgets(app.services);
    let names = 0;
    const create = () =>
      app.call({
        method: 'POST',
        url: '/workshop/v1/widgets',
        payload: { name: `w-${++names}`, size: 1 },
        key,
      });
    const url = '/account/v1/budgets/cap';
    const raise = () => app.call({ method: 'PUT', url, payload: { ...body, amount: '1000' }, key });
    expect((await create()).json()).toMatchObject({ code: 'budget_exceeded' });
    expect((await raise()).json()).toMatchObject({ code: 'portal_only' });
    expect((await app.call({ method: 'DELETE', url, key })).json()).toMatchObject({ code: 'portal_only' });
    await setBudget(db, staff, { ...input, ...body, amount: '1000' }, app.services.provider.catalogue);
    expect((await create()).statusCode).toBe(201);
    const events = await db
      .selectFrom('events')
      .select(['type', 'actor'])
      .where('account_id', '=', account.id)
      .where('resource_type', '=', 'budget')
      .orderBy('sequence')
      .execute();
    expect(events).toMatchObject([
      { type: 'budget.created', actor: { kind: 'provider_staff' } },
      { type: 'budget.updated', actor: { kind: 'provider_staff' } },
      { type: 'budget.threshold_crossed', actor: { kind: 'system' } },
      { type: 'budget.exceeded', actor: { kind: 'system' } },
      { type: 'budget.updated', actor: { kind: 'provider_staff' } },
      { type: 'budget.reset', actor: { kind: 'provider_staff' } },
    ]);
    await app.services.denials.flush();
    const denials = (await app.call({ url: '/account/v1/key-denials', key })).json();
    expect(denials.data).toMatchObject([{ code: 'portal_only' }, { code: 'portal_only' }]);
  });
});
