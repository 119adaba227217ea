/**
 * No schedule adds cost past the budgets: a kind that can add cost is started by a call, which the pipeline checks, by an
 * operation of such a call, or by `startScheduled`, which asks the budgets.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOperation } from '../kernel/operations/operations.ts';
import { transact } from '../store/transaction.ts';
import { createAccount, type TestAccount } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { sample } from './sample.ts';
import { shipped } from './sources.ts';
import { endpoints } from './walk.ts';

let app: TestApp;
let account: TestAccount;

beforeAll(async () => {
  app = await createTestApp({ works: false });
  account = await createAccount(app.services.db);
});
afterAll(() => app.close());

const costly = endpoints.filter(
  ({ raisesCost, operation }) => raisesCost !== undefined && operation !== undefined,
);

describe('an operation that can add cost', () => {
  it('has one of the known kinds', () => {
    expect(costly.map(({ operation }) => operation?.type)).toContain('backup.create');
  });

  it.each(sample(costly))('that $id starts is refused without a budget check', async ({ operation }) => {
    const { db, registry } = app.services;
    const start = { kind: operation!, input: {} as never, resource: { type: 'vm', id: null, name: null } };
    const begun = transact(db, (tx) => startOperation(tx, registry, start, { accountId: account.id }));
    await expect(begun).rejects.toThrow('startScheduled');
  });
});

describe('a source file', () => {
  it('marks the cost as checked only where budgets are checked, or where a repair restores what is paid for', () => {
    const claiming = shipped.filter(({ text }) => /hasCheckedCost: true/.test(text));
    expect(claiming.map(({ path }) => path)).toEqual([
      'src/families/flexible-vps/reconciliation/repairs.ts',
      'src/resources/future/scheduled-start.ts',
    ]);
  });

  it('with a schedule that adds resources starts them with a budget check', () => {
    const adding = shipped.filter(
      ({ text }) => /: Schedule = \{/.test(text) && /isNew: true|\.(add|create)\(/.test(text),
    );
    expect(adding.length).toBeGreaterThan(0);
    for (const { path, text } of adding) expect(text, path).toContain('startScheduled(');
  });
});
