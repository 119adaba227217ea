/**
 * What other labels of a resource mean for the budgets that cover resources by their labels. A resource that leaves the
 * scope of a budget costs as much as before, and the budget limits less: that loosens it like a narrower scope.
 */
import {
  changeOf,
  type ForeseenChange,
  loosensBy,
  quoted,
  says,
} from '../kernel/change-words/change-words.ts';
import { subjectOf } from '../kernel/change-words/foreseen-changes.ts';
import type { Effect } from '../kernel/effect.ts';
import { findBilled } from '../kernel/inventory/store.ts';
import type { Registry } from '../kernel/registry.ts';
import { periodOf } from '../money/budgets/budget.ts';
import { covers } from '../money/budgets/scope.ts';
import { findBudgets } from '../money/budgets/store.ts';
import type { Db } from '../store/database.ts';

type Labels = Readonly<Record<string, string>>;

interface Relabelled {
  readonly id: string;
  readonly subject: string;
  readonly before: Labels;
  readonly after: Labels;
}

function relabelled(effects: readonly Effect[], registry: Pick<Registry, 'nouns'>): Relabelled[] {
  return effects.flatMap((effect) => {
    const { action, id } = effect;
    const labels = changeOf<Labels>(effect, 'labels');
    if (id === null || labels === undefined || action === 'create' || action === 'delete') return [];
    return [{ id, subject: subjectOf(effect, registry), ...labels }];
  });
}

/** Free resources cost nothing that a budget could limit. */
export async function scopeChanges(
  {
    db,
    accountId,
    registry,
  }: {
    readonly db: Db;
    readonly accountId: string;
    readonly registry: Pick<Registry, 'nouns'>;
  },
  effects: readonly Effect[],
): Promise<ForeseenChange[]> {
  const changed = relabelled(effects, registry);
  if (changed.length === 0) return [];
  const budgets = (await findBudgets(db, accountId, periodOf(new Date()))).filter(
    ({ scope }) => scope.label_selector !== null,
  );
  if (budgets.length === 0) return [];
  const billed = await findBilled(
    db,
    accountId,
    changed.map(({ id }) => id),
  );
  return changed.flatMap(({ id, subject, before, after }) => {
    const spender = billed.get(id);
    if (spender === undefined) return [];
    return budgets.flatMap(({ name, scope, action }) => {
      const [was, is] = [before, after].map((labels) => covers(scope, { ...spender, labels }));
      if (was === is) return [];
      const budget = `the budget ${quoted(name)}${action === 'notify' ? '' : ', which blocks new cost'}`;
      return was
        ? [loosensBy(`its labels take ${subject} out of ${budget}`)]
        : [says(`its labels bring ${subject} into ${budget}`)];
    });
  });
}
