import { sql } from 'kysely';
import type { Call } from '../../../kernel/call.ts';
import {
  type CreatedWithin,
  createdWithin,
  type Page,
  readPage,
  type SortKey,
} from '../../../kernel/pages/store.ts';
import { periodOf } from '../../../money/budgets/budget.ts';
import { type BudgetWithCrossings, budgetColumns, crossedIn } from '../../../money/budgets/store.ts';

const id: SortKey = { column: sql.ref('budgets.id'), type: 'text' };
const name: SortKey = { column: sql.ref('budgets.name'), type: 'text' };

interface BudgetsQuery extends CreatedWithin {
  readonly limit: number;
  readonly cursor?: string;
  readonly sort: string;
  readonly name?: string;
}

export async function readBudgets(call: Call<unknown, BudgetsQuery>): Promise<Page<BudgetWithCrossings>> {
  let query = call.db
    .selectFrom('budgets')
    .select(budgetColumns)
    .select(crossedIn(periodOf(call.now)))
    .where(createdWithin(sql.ref('budgets.created_at'), call.query));
  if (call.query.name !== undefined) query = query.where('name', '=', call.query.name);
  return readPage(call, query, {
    owner: { column: sql.ref('budgets.account_id'), id: call.caller.account.id },
    endpoint: 'listBudgets',
    id,
    sorts: { created_at: id, name },
  });
}
