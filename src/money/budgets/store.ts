import { type Generated, type Selectable, sql } from 'kysely';
import '../../kernel/access/tables.ts';
import type { Reference } from '../../kernel/named/named.ts';
import type { Db } from '../../store/database.ts';
import { insertRow } from '../../store/kept-text.ts';
import { sendLater } from '../../store/send-later.ts';
import {
  type Action,
  type Basis,
  type Blocking,
  type Declaration,
  declaredScope,
  type Scope,
  type Threshold,
} from './budget.ts';
import type { PendingRow } from './pending/store.ts';

interface BudgetsTable {
  id: string;
  account_id: string;
  name: string;
  amount: string;
  currency: string;
  scope: Scope;
  thresholds: Threshold[];
  action: Action;
  blocks: Generated<Blocking>;
  emails: string[];
  description: string;
  locked: Generated<boolean>;
  period: string;
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
}

declare module '../../store/database.ts' {
  interface Tables {
    budgets: BudgetsTable;
    budget_crossings: {
      budget_id: string;
      period: string;
      basis: Basis;
      percent: number;
      crossed_at: Generated<Date>;
    };
  }
}

export interface Crossing extends Threshold {
  readonly at: string;
}

export type BudgetRow = Selectable<BudgetsTable>;
export type BudgetWithCrossings = BudgetRow & { readonly crossed: readonly Crossing[] };

/**
 * A rolled key does not escape its budget: the keys that count are those that the budget names, with all others of their
 * lineages. `named_key_ids` keeps what was declared.
 */
const SCOPE = sql<Scope>`case when jsonb_typeof(budgets.scope -> 'api_key_ids') = 'array' then
  budgets.scope || jsonb_build_object('named_key_ids', budgets.scope -> 'api_key_ids', 'api_key_ids', (
    select jsonb_agg(id order by id) from (
      select jsonb_array_elements_text(budgets.scope -> 'api_key_ids') collate "C" as id
      union
      select k.id from jsonb_array_elements_text(budgets.scope -> 'api_key_ids') as named (id)
        join api_keys n on n.id = named.id collate "C" and n.account_id = budgets.account_id
        join api_keys k on k.lineage = n.lineage and k.account_id = budgets.account_id) counted))
  else budgets.scope end`;

/** All columns, with the scope as it counts. */
export const budgetColumns = [
  'id',
  'account_id',
  'name',
  'amount',
  'currency',
  SCOPE.as('scope'),
  'thresholds',
  'action',
  'blocks',
  'emails',
  'description',
  'locked',
  'period',
  'version',
  'created_at',
  'updated_at',
] as const;

export const crossedIn = (period: string) =>
  sql<Crossing[]>`(select coalesce(jsonb_agg(
      jsonb_build_object('percent', percent, 'basis', basis, 'at', crossed_at) order by crossed_at, percent), '[]')
    from budget_crossings c where c.budget_id = budgets.id and c.period = ${period})`.as('crossed');

export async function findBudget(
  db: Db,
  accountId: string,
  { by, value }: Reference,
  period: string,
): Promise<BudgetWithCrossings | undefined> {
  return db
    .selectFrom('budgets')
    .select(budgetColumns)
    .select(crossedIn(period))
    .where('account_id', '=', accountId)
    .where(by, '=', value)
    .executeTakeFirst();
}

/**
 * Locks the row until the transaction ends. The read comes after the lock, so that it sees what the previous
 * lock holder committed.
 */
export async function lockBudget(
  db: Db,
  accountId: string,
  reference: Reference,
  period: string,
): Promise<BudgetWithCrossings | undefined> {
  await db
    .selectFrom('budgets')
    .select('id')
    .where('account_id', '=', accountId)
    .where(reference.by, '=', reference.value)
    .forUpdate()
    .execute();
  return findBudget(db, accountId, reference, period);
}

export async function findBudgets(db: Db, accountId: string, period: string): Promise<BudgetWithCrossings[]> {
  return db
    .selectFrom('budgets')
    .select(budgetColumns)
    .select(crossedIn(period))
    .where('account_id', '=', accountId)
    .orderBy('id')
    .execute();
}

/**
 * Lock order is by id, so that concurrent calls that lock several budgets cannot deadlock. Also inserts the pending costs
 * of the call.
 */
export async function lockBlockingBudgets(
  db: Db,
  accountId: string,
  pending: readonly PendingRow[],
): Promise<BudgetRow[]> {
  for (const row of pending) await sendLater(db, insertRow('pending_costs', row));
  return db
    .selectFrom('budgets')
    .select(budgetColumns)
    .where('account_id', '=', accountId)
    .where('action', '=', 'block_new_cost')
    .orderBy('id')
    .forUpdate()
    .execute();
}

const columnsOf = ({ scope, thresholds, emails, ...rest }: Declaration) => ({
  ...rest,
  scope: JSON.stringify(declaredScope(scope)) as unknown as Scope,
  thresholds: JSON.stringify(thresholds) as unknown as Threshold[],
  emails: [...emails],
});

export async function insertBudget(
  db: Db,
  budget: { readonly id: string; readonly accountId: string; readonly name: string; readonly period: string },
  declaration: Declaration,
): Promise<BudgetRow> {
  const { id, accountId, name, period } = budget;
  return db
    .insertInto('budgets')
    .values({ id, account_id: accountId, name, period, ...columnsOf(declaration) })
    .returning(budgetColumns)
    .executeTakeFirstOrThrow();
}

export async function replaceBudget(db: Db, id: string, declaration: Declaration): Promise<BudgetRow> {
  return db
    .updateTable('budgets')
    .set({ ...columnsOf(declaration), version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returning(budgetColumns)
    .executeTakeFirstOrThrow();
}

export async function lockInPortal(db: Db, id: string, locked: boolean): Promise<BudgetRow> {
  return db
    .updateTable('budgets')
    .set({ locked, version: sql`version + 1`, updated_at: sql`now()` })
    .where('id', '=', id)
    .returning(budgetColumns)
    .executeTakeFirstOrThrow();
}

export async function removeBudget(db: Db, id: string): Promise<void> {
  await db.deleteFrom('budgets').where('id', '=', id).execute();
}

export async function countBudgets(db: Db, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from budgets where account_id = ${accountId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Returns only the crossings that were not yet recorded for this budget and month. */
export async function recordCrossings(
  db: Db,
  budgetId: string,
  period: string,
  crossed: readonly Threshold[],
): Promise<Threshold[]> {
  if (crossed.length === 0) return [];
  return db
    .insertInto('budget_crossings')
    .values(crossed.map(({ basis, percent }) => ({ budget_id: budgetId, period, basis, percent })))
    .onConflict((conflict) => conflict.doNothing())
    .returning(['basis', 'percent'])
    .execute();
}

export async function forgetCrossing(
  db: Db,
  budgetId: string,
  period: string,
  { basis, percent }: Threshold,
): Promise<void> {
  await db
    .deleteFrom('budget_crossings')
    .where('budget_id', '=', budgetId)
    .where('period', '=', period)
    .where('basis', '=', basis)
    .where('percent', '=', percent)
    .execute();
}

/** Moves a budget to a new month and deletes its old crossings. Returns whether there were any. */
export async function beginPeriod(db: Db, budgetId: string, period: string): Promise<boolean> {
  await db.updateTable('budgets').set({ period }).where('id', '=', budgetId).execute();
  const old = await db
    .deleteFrom('budget_crossings')
    .where('budget_id', '=', budgetId)
    .where('period', '<', period)
    .returning('percent')
    .execute();
  return old.length > 0;
}

export async function findAccountsWithBudgets(db: Db, after: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('budgets')
    .select('account_id')
    .distinct()
    .where('account_id', '>', after)
    .orderBy('account_id')
    .limit(limit)
    .execute();
  return rows.map(({ account_id }) => account_id);
}
