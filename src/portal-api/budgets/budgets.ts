/** Budget changes that only people may make: lock budgets, and loosen or delete locked ones. */
import { referenceOf } from '../../kernel/named/named.ts';
import { lockDeclarations } from '../../kernel/named/store.ts';
import { ResourceName, Shape, type Static, Type } from '../../kernel/schema.ts';
import { isValid } from '../../kernel/validation.ts';
import { periodOf } from '../../money/budgets/budget.ts';
import { tellChange } from '../../money/budgets/change-events.ts';
import { declare, refuseFaults } from '../../money/budgets/declaration.ts';
import { figuresOf } from '../../money/budgets/figures.ts';
import { SetBudget as Declared } from '../../money/budgets/schema.ts';
import {
  type BudgetWithCrossings,
  countBudgets,
  findBudgets,
  lockBudget as holdBudget,
  lockInPortal,
  removeBudget,
} from '../../money/budgets/store.ts';
import { type BudgetView, viewBudget } from '../../money/budgets/view.ts';
import { storedDeclaration, type Target, writeBudget } from '../../money/budgets/write-budget.ts';
import type { Db, Tx } from '../../store/database.ts';
import type { Actor } from '../actor.ts';
import { authorise } from '../authority.ts';
import { check } from '../input.ts';
import { type Limits, requireRoom } from '../limits.ts';
import { type Changed, change, notFound } from '../portal-write.ts';

const NOTHING = { spent: 0n, forecast: 0n, committed: 0n };

/** Oldest first. */
export async function listBudgets(db: Db, accountId: string, now = new Date()): Promise<BudgetView[]> {
  const rows = await findBudgets(db, accountId, periodOf(now));
  const figures = await figuresOf(db, accountId, rows, now);
  return rows.map((row, i) => viewBudget(row, figures[i] ?? NOTHING));
}

const ChooseBudget = Shape({
  account_id: Type.String(),
  budget: Type.String({ description: 'Name or id.' }),
});
export type ChooseBudget = Static<typeof ChooseBudget>;

/** Takes the lock that API calls take when they declare budgets, so that they wait for this change. */
async function hold(tx: Tx, { account_id, budget }: ChooseBudget): Promise<BudgetWithCrossings | undefined> {
  await lockDeclarations(tx, account_id, 'budget');
  return holdBudget(tx, account_id, referenceOf(budget), periodOf(new Date()));
}

async function budgetToChange(tx: Tx, actor: Actor, input: ChooseBudget): Promise<BudgetWithCrossings> {
  check(ChooseBudget, input);
  await authorise(tx, actor, input.account_id, 'admin');
  const budget = await hold(tx, input);
  if (budget === undefined) throw notFound('budget', input.budget);
  return budget;
}

const SetBudget = Shape({ ...ChooseBudget.properties, ...Declared.properties });
export type SetBudget = Static<typeof SetBudget>;

/** Creates the budget if the name is new. The lock of an existing budget does not change. */
export async function setBudget(
  db: Db,
  actor: Actor,
  input: SetBudget,
  catalogue: Limits,
): Promise<BudgetView> {
  return change(db, actor, 'setBudget', input.account_id, async (tx) => {
    check(SetBudget, input);
    const { account_id, budget: named, ...body } = input;
    refuseFaults(body);
    await authorise(tx, actor, account_id, 'admin');
    const existing = await hold(tx, input);
    if (existing === undefined) {
      if (!isValid(ResourceName, named)) throw notFound('budget', named);
      const used = await countBudgets(tx, account_id);
      await requireRoom(tx, account_id, 'account.budgets', { used }, catalogue);
    }
    const target: Target = existing === undefined ? { existing: null, name: named } : { existing };
    const declaration = await declare(tx, account_id, body);
    const written = await writeBudget(tx, account_id, target, declaration, new Date());
    const { budget, figures, changes, events } = written;
    const resource = { type: 'budget', id: budget.id, name: budget.name };
    return { result: viewBudget(budget, figures), resource, changes, events };
  });
}

async function setLock(
  tx: Tx,
  actor: Actor,
  input: ChooseBudget,
  locked: boolean,
): Promise<Changed<BudgetView>> {
  const before = await budgetToChange(tx, actor, input);
  const isChanged = before.locked !== locked;
  const after = isChanged
    ? { ...(await lockInPortal(tx, before.id, locked)), crossed: before.crossed }
    : before;
  const [figures = NOTHING] = await figuresOf(tx, input.account_id, [after], new Date());
  return {
    result: viewBudget(after, figures),
    resource: { type: 'budget', id: before.id, name: before.name },
    changes: isChanged ? [{ pointer: '/locked', before: before.locked, after: locked }] : [],
    events: isChanged ? [tellChange('updated', after)] : [],
  };
}

/** After this, no key can loosen or delete the budget. */
export async function lockBudget(db: Db, actor: Actor, input: ChooseBudget): Promise<BudgetView> {
  return change(db, actor, 'lockBudget', input.account_id, (tx) => setLock(tx, actor, input, true));
}

export async function unlockBudget(db: Db, actor: Actor, input: ChooseBudget): Promise<BudgetView> {
  return change(db, actor, 'unlockBudget', input.account_id, (tx) => setLock(tx, actor, input, false));
}

export async function deleteBudget(
  db: Db,
  actor: Actor,
  input: ChooseBudget,
): Promise<{ budget_id: string }> {
  return change(db, actor, 'deleteBudget', input.account_id, async (tx) => {
    const budget = await budgetToChange(tx, actor, input);
    await removeBudget(tx, budget.id);
    return {
      result: { budget_id: budget.id },
      resource: { type: 'budget', id: budget.id, name: budget.name },
      changes: [{ pointer: '', before: storedDeclaration(budget), after: null }],
      events: [tellChange('deleted', budget)],
    };
  });
}
