/** Creates or replaces a budget. Callers check the right to do so: the API for a key, the portal for a person. */
import { changesBetween } from '../../kernel/audit/changes.ts';
import type { AuditChange } from '../../kernel/audit/entry.ts';
import type { NewEvent } from '../../kernel/events/event.ts';
import { idPrefix } from '../../kernel/ids.ts';
import type { Db } from '../../store/database.ts';
import {
  crossedBy,
  type Declaration,
  declaredScope,
  type Figures,
  periodOf,
  sameThreshold,
} from './budget.ts';
import { tellChange } from './change-events.ts';
import { figuresOf } from './figures.ts';
import { type BudgetWithCrossings, forgetCrossing, insertBudget, replaceBudget } from './store.ts';
import { tellReset } from './threshold-events.ts';

/** The budget to replace, or the name of the budget to create. */
export type Target =
  | { readonly existing: BudgetWithCrossings }
  | { readonly existing: null; readonly name: string };

export interface Written {
  readonly budget: BudgetWithCrossings;
  readonly figures: Figures;
  /** Empty if the budget already matched the declaration. */
  readonly changes: readonly AuditChange[];
  readonly events: readonly NewEvent[];
}

export const newBudgetId = idPrefix('budget', 'bud');

const NOTHING: Figures = { spent: 0n, forecast: 0n, committed: 0n };

/** As it is stored, and as the audit log shows it. */
export function storedDeclaration(row: Declaration): Declaration {
  return { ...declarationOf(row), scope: declaredScope(row.scope) };
}

export function declarationOf(row: Declaration): Declaration {
  const { amount, currency, scope, thresholds, action, blocks, emails, description } = row;
  return { amount, currency, scope, thresholds, action, blocks, emails, description };
}

/** Deletes crossings that no longer hold after the change, so that they can be crossed and reported again. */
async function takeBack(
  db: Db,
  before: BudgetWithCrossings,
  after: BudgetWithCrossings,
  figures: Figures,
  period: string,
): Promise<Pick<Written, 'budget' | 'events'>> {
  const crossed = crossedBy(after, figures);
  const isCrossed = (threshold: BudgetWithCrossings['crossed'][number]): boolean =>
    crossed.some((other) => sameThreshold(other, threshold));
  for (const crossing of before.crossed) {
    if (!isCrossed(crossing)) await forgetCrossing(db, after.id, period, crossing);
  }
  const budget = { ...after, crossed: before.crossed.filter(isCrossed) };
  const hasRoomAgain = before.crossed.length > 0 && crossed.length === 0;
  return { budget, events: hasRoomAgain ? [tellReset(budget, period, figures)] : [] };
}

export async function writeBudget(
  db: Db,
  accountId: string,
  target: Target,
  declaration: Declaration,
  now: Date,
): Promise<Written> {
  const period = periodOf(now);
  if (target.existing === null) {
    const row = await insertBudget(
      db,
      { id: newBudgetId(), accountId, name: target.name, period },
      declaration,
    );
    const changes = [{ pointer: '', before: null, after: storedDeclaration(declaration) }];
    const [figures = NOTHING] = await figuresOf(db, accountId, [row], now);
    return { budget: { ...row, crossed: [] }, figures, changes, events: [tellChange('created', row)] };
  }
  const { existing } = target;
  const changes = changesBetween<Declaration>(storedDeclaration(existing), storedDeclaration(declaration));
  const row = changes.length === 0 ? existing : await replaceBudget(db, existing.id, declaration);
  const [figures = NOTHING] = await figuresOf(db, accountId, [row], now);
  if (changes.length === 0) return { budget: existing, figures, changes, events: [] };
  const { budget, events } = await takeBack(db, existing, { ...row, crossed: [] }, figures, period);
  return { budget, figures, changes, events: [tellChange('updated', budget), ...events] };
}
