/** A key that needs approval for destructive calls can tighten a budget by itself, and loosen it only with approval. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { presetNames, presetPatterns, presets } from '../../../kernel/access/presets.ts';
import { contractPermissions } from '../../../kernel/access/vocabulary.ts';
import { outcomeOf } from '../../../laws/responses.ts';
import { approveRequest } from '../../../portal-api/approvals/decision.ts';
import {
  createAccount,
  createKey,
  createMember,
  type TestAccount,
  type TestKey,
} from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { staff } from '../../../testing/portal.ts';

let app: TestApp;
let account: TestAccount;
let key: TestKey;
let careful: TestKey;
let told: string;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  const { db } = app.services;
  account = await createAccount(db);
  key = await createKey(db, account);
  careful = await createKey(db, account, { approval: 'destructive' });
  told = `${await createMember(db, account.id, 'admin')}@example.com`;
});

const strict = () => ({
  amount: '40',
  thresholds: [{ percent: 80 }, { percent: 100 }],
  action: 'block_new_cost',
  emails: [told],
});

function put(payload: object, by: TestKey, headers: Record<string, string> = {}) {
  return app.call({ method: 'PUT', url: '/account/v1/budgets/cap', payload, headers, key: by.key });
}

const budgetNow = async () =>
  (await app.call({ url: '/account/v1/budgets', key: key.key })).json<{ data: object[] }>().data[0];

const loosenings: readonly (readonly [object, string])[] = [
  [{ amount: '4000' }, 'raises the budget "cap" from 40.00 to 4000.00 a month'],
  [{ action: 'notify' }, 'no longer blocks new cost and only notifies'],
  [{ blocks: 'spent' }, 'no longer looks ahead'],
  [{ thresholds: [{ percent: 100 }] }, 'no longer warns at 80 % of the cost so far'],
  [{ scope: { families: ['storage'] } }, 'covers only the product families storage'],
  [{ scope: { label_selector: 'env=prod' } }, 'covers only cost with the labels "env=prod"'],
  [{ emails: [] }, 'no longer writes to '],
];

describe('409 approval_required for a key that needs approval: loosening a budget', () => {
  beforeEach(async () => {
    expect((await put(strict(), key)).statusCode).toBe(201);
  });

  it.each(loosenings)('by %j', async (change, reason) => {
    const before = await budgetNow();
    const asked = await put({ ...strict(), ...change }, careful);
    expect(outcomeOf(asked)).toBe('409 approval_required');
    expect(asked.json().detail).toContain(reason);
    expect(await budgetNow()).toEqual(before);
  });

  it('shows the person who decides, and the dry run, what is loosened', async () => {
    const url = '/account/v1/budgets/cap?dry_run=true';
    const { amount, thresholds } = strict();
    const payload = { amount, thresholds, emails: [told] };
    const dry = await app.call({ method: 'PUT', url, payload, key: key.key });
    const { operation_id } = (await put(payload, careful)).json<{ operation_id: string }>();
    const { effects } = await app.services.db
      .selectFrom('approvals')
      .select('effects')
      .where('operation_id', '=', operation_id)
      .executeTakeFirstOrThrow();
    expect(effects).toEqual(dry.json().effects);
    const loss = { what: 'A part of the limit. It no longer blocks new cost.', recoverable: true };
    expect(effects).toMatchObject([{ action: 'update', type: 'budget', name: 'cap', loss }]);
  });

  it('shows no loss in the dry run of a tightened budget', async () => {
    const url = '/account/v1/budgets/cap?dry_run=true';
    const dry = await app.call({
      method: 'PUT',
      url,
      payload: { ...strict(), amount: '30' },
      key: key.key,
    });
    expect(dry.json().effects).toMatchObject([{ action: 'update', loss: null }]);
  });

  it('includes leaving out a member whose default is looser', async () => {
    const { action: _, ...rest } = strict();
    expect(outcomeOf(await put({ ...rest, amount: '30' }, careful))).toBe('409 approval_required');
  });

  it('succeeds with 200 once a person has approved it', async () => {
    const raised = { ...strict(), amount: '4000' };
    const { operation_id } = (await put(raised, careful)).json<{ operation_id: string }>();
    const input = { account_id: account.id, operation_id };
    await approveRequest(app.services.db, staff, input, app.registry);
    const done = await put(raised, careful, { 'approval-id': operation_id });
    expect([done.statusCode, done.json().amount]).toEqual([200, '4000.00']);
  });
});

describe('200 without approval', () => {
  it('for tightening, creating or repeating a budget with a key that needs approval', async () => {
    const loose = { ...strict(), amount: '400', action: 'notify', blocks: 'spent', emails: [] };
    expect((await put({ ...loose, scope: { families: ['storage'] } }, careful)).statusCode).toBe(201);
    for (const tighter of [
      { ...loose, scope: { families: ['storage', 'flexible-vps'] } },
      loose,
      { ...loose, blocks: 'forecast' },
      { ...loose, blocks: 'forecast', action: 'block_new_cost' },
      { ...strict(), amount: '400' },
      { ...strict(), thresholds: [...strict().thresholds, { percent: 50 }] },
      { ...strict(), thresholds: [...strict().thresholds, { percent: 50 }], description: 'Ours' },
    ]) {
      const answer = await put(tighter, careful);
      expect([tighter, answer.statusCode]).toEqual([tighter, 200]);
      expect((await put(tighter, careful)).statusCode).toBe(200);
    }
  });

  it('also when it no longer writes to somebody who has left the account', async () => {
    await put(strict(), key);
    await app.services.db
      .deleteFrom('members')
      .where('id', '=', told.split('@')[0] ?? '')
      .execute();
    expect((await put({ ...strict(), emails: [] }, careful)).statusCode).toBe(200);
  });

  it('for loosening a budget with a key that needs no approval', async () => {
    await put(strict(), key);
    expect((await put({ ...strict(), amount: '4000' }, key)).statusCode).toBe(200);
  });
});

describe('403: a preset of permissions that needs approval', () => {
  const guarded = presetNames.filter((name) => presets[name].approval !== undefined);

  it('exists', () => {
    expect(guarded).toContain('ai-agent');
  });

  it.each(guarded)('%s can read budgets, and neither raise, create nor delete one', async (name) => {
    await put(strict(), key);
    const permissions = presetPatterns(name, contractPermissions(app.registry), 'owner');
    const agent = await createKey(app.services.db, account, { permissions, approval: 'off' });
    expect(outcomeOf(await put({ ...strict(), amount: '4000' }, agent))).toBe('403 permission_denied');
    const url = '/account/v1/budgets';
    expect((await app.call({ url, key: agent.key })).statusCode).toBe(200);
    for (const request of [
      { method: 'DELETE' as const, url: `${url}/cap` },
      { method: 'PUT' as const, url: `${url}/other`, payload: strict() },
    ])
      expect(outcomeOf(await app.call({ ...request, key: agent.key }))).toBe('403 permission_denied');
  });
});
