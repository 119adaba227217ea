import { maskKeys } from '../kernel/access/key-format.ts';
import type { Done } from '../kernel/call.ts';
import type { ForeseenChange } from '../kernel/change-words/change-words.ts';
import { foreseenChanges } from '../kernel/change-words/foreseen-changes.ts';
import { type Cost, shownEffects } from '../kernel/effect.ts';
import type { EffectView } from '../kernel/effect-view.ts';
import { type Micro, micro, sum } from '../kernel/micro.ts';
import type { Static } from '../kernel/schema.ts';
import { serialise } from '../kernel/serialise.ts';
import type { Services } from '../kernel/services.ts';
import { formatMoney, formatRate } from '../money/prices/format.ts';
import type { ExceededBudgets, TightestBudget } from '../money/prices/members.ts';
import type { Db } from '../store/database.ts';
import { DryRun } from './dry-run-shape.ts';
import type { Result } from './output.ts';
import { scopeChanges } from './scope-changes.ts';

export interface ForeseenBudgets {
  readonly exceeds: Static<typeof ExceededBudgets>;
  readonly tightest: TightestBudget | null;
}

/** Summarizes the cost and the effects of a call that was rolled back: a dry run, or a call that needs approval. */
export function foresee(services: Services, done: Done): { cost: Cost; effects: EffectView[] } {
  return {
    cost: {
      hourly: formatRate(sum(done.costs.map(({ hourly }) => hourly))),
      monthly: formatMoney(monthlyOf(done)),
      currency: services.provider.provider.currency,
    },
    // A resource that would be created has no id: the id of the rolled-back row is never used again.
    effects: shownEffects(done.effects).map((effect) =>
      effect.action === 'create' ? { ...effect, id: null } : effect,
    ),
  };
}

export const monthlyOf = (done: Done): Micro => sum(done.costs.map(({ monthly }) => monthly));

const linesOf = ({ costs }: Done) =>
  costs
    .flatMap(({ lines = [] }) => lines)
    .map(({ description, hourly, monthly }) => ({
      description,
      hourly: formatRate(hourly),
      monthly: formatMoney(monthly),
    }));

/** The costs of several calls together; null without any. */
export function totalOf(costs: readonly Cost[]): Cost | null {
  const [first] = costs;
  if (first === undefined) return null;
  return {
    hourly: formatRate(sum(costs.map(({ hourly }) => micro(hourly)))),
    monthly: formatMoney(sum(costs.map(({ monthly }) => micro(monthly)))),
    currency: first.currency,
  };
}

/** Runs in the transaction of the call, before it is rolled back: the words about a change read the changed rows. */
export async function changesOf(
  tx: Db,
  { registry }: Services,
  accountId: string,
  { effects }: Done,
): Promise<ForeseenChange[]> {
  const about = { db: tx, accountId, registry };
  const changes = [...(await foreseenChanges(about, effects)), ...(await scopeChanges(about, effects))];
  return changes.map(({ text, loosens }) => ({ text: maskKeys(text), loosens }));
}

export async function dryRunResult(
  tx: Db,
  services: Services,
  {
    accountId,
    done,
    budgets: { exceeds, tightest },
  }: { readonly accountId: string; readonly done: Done; readonly budgets: ForeseenBudgets },
): Promise<Result> {
  const { cost, effects } = foresee(services, done);
  const body = {
    dry_run: true,
    valid: true,
    cost: { ...cost, lines: linesOf(done) },
    effects,
    exceeds_budgets: exceeds,
    tightest_budget: tightest,
    changes: await changesOf(tx, services, accountId, done),
    warnings: done.warnings,
  };
  return {
    status: 200,
    headers: { 'cache-control': 'private, no-cache' },
    body: maskKeys(serialise(DryRun, body)),
  };
}
