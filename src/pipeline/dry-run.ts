import { maskKeys } from '../kernel/access/key-format.ts';
import type { Done } from '../kernel/call.ts';
import { ForeseenChange } from '../kernel/change-words/change-words.ts';
import { foreseenChanges } from '../kernel/change-words/foreseen-changes.ts';
import { type Cost, shownEffects, Warning } from '../kernel/effect.ts';
import { EffectView } from '../kernel/effect-view.ts';
import { type Micro, micro, sum } from '../kernel/micro.ts';
import { Currency, Decimal, Named, Shape, type Static, Type } from '../kernel/schema.ts';
import { serialise } from '../kernel/serialise.ts';
import type { Services } from '../kernel/services.ts';
import { formatMoney, formatRate } from '../money/prices/format.ts';
import { ExceededBudgets } from '../money/prices/members.ts';
import type { Db } from '../store/database.ts';
import type { Result } from './output.ts';
import { scopeChanges } from './scope-changes.ts';

export const DryRun = Named(
  'DryRun',
  Shape({
    dry_run: Type.Literal(true, { description: 'Always true: nothing was changed.' }),
    valid: Type.Literal(true, {
      description: 'Always true: a call that would be refused gets the same problem here.',
    }),
    cost: Shape(
      {
        hourly: {
          ...Decimal,
          'x-unit': 'currency/hour',
          description: 'The change for an hour, net of tax.',
        },
        monthly: {
          ...Decimal,
          'x-unit': 'currency/month',
          description: 'The change for a whole month, net of tax.',
        },
        currency: Currency,
      },
      {
        description:
          'By how much the running cost of the account changes once the operation has ended. Negative: the call saves this amount.',
      },
    ),
    exceeds_budgets: ExceededBudgets,
    changes: Type.Array(ForeseenChange, {
      description: 'What the effects change, in words, for people who decide; empty if nothing.',
    }),
    effects: Type.Array(EffectView, {
      description: 'Everything that the call would change; empty if nothing.',
    }),
    warnings: Type.Array(Warning, {
      description: 'What you should know before you make the call; it would be accepted all the same.',
    }),
  }),
);

type Exceeded = Static<typeof ExceededBudgets>;

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
    exceeds,
  }: { readonly accountId: string; readonly done: Done; readonly exceeds: Exceeded },
): Promise<Result> {
  const body = {
    dry_run: true,
    valid: true,
    ...foresee(services, done),
    exceeds_budgets: exceeds,
    changes: await changesOf(tx, services, accountId, done),
    warnings: done.warnings,
  };
  return {
    status: 200,
    headers: { 'cache-control': 'private, no-cache' },
    body: maskKeys(serialise(DryRun, body)),
  };
}
