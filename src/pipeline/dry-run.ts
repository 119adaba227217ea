import { maskKeys } from '../kernel/access/key-format.ts';
import type { ForeseenEffect } from '../kernel/approvals/store.ts';
import type { Done } from '../kernel/call.ts';
import type { Cost } from '../kernel/effect.ts';
import { type Micro, sum } from '../kernel/micro.ts';
import { Decimal, Named, Nullable, OneOf, Shape, type Static, Type } from '../kernel/schema.ts';
import { serialise } from '../kernel/serialise.ts';
import type { Services } from '../kernel/services.ts';
import { formatMoney, formatRate } from '../money/prices/format.ts';
import { ExceededBudgets } from '../money/prices/schema.ts';
import type { Result } from './output.ts';

export const DryRun = Named(
  'DryRun',
  Shape({
    dry_run: Type.Literal(true),
    valid: Type.Literal(true),
    cost: Shape(
      { hourly: Decimal, monthly: Decimal, currency: Type.String() },
      {
        description:
          'By how much the running cost of the account changes once the operation has ended. Negative: the call saves this amount.',
      },
    ),
    exceeds_budgets: ExceededBudgets,
    effects: Type.Array(
      Shape({
        action: OneOf(['create', 'update', 'delete', 'start', 'cancel']),
        type: Type.String(),
        id: Nullable(Type.String()),
        name: Nullable(Type.String()),
      }),
    ),
    warnings: Type.Array(
      Shape({ code: Type.String(), detail: Type.String(), pointer: Type.Optional(Type.String()) }),
    ),
  }),
);

type Exceeded = Static<typeof ExceededBudgets>;

/** Summarizes the cost and the effects of a call that was rolled back: a dry run, or a call that needs approval. */
export function foresee(services: Services, done: Done): { cost: Cost; effects: ForeseenEffect[] } {
  return {
    cost: {
      hourly: formatRate(sum(done.costs.map(({ hourly }) => hourly))),
      monthly: formatMoney(monthlyOf(done)),
      currency: services.provider.provider.currency,
    },
    // A resource that would be created has no id: the id of the rolled-back row is never used again.
    effects: done.effects
      .filter(({ action }) => action !== 'none')
      .map(({ action, type, id, name }) => ({ action, type, id: action === 'create' ? null : id, name })),
  };
}

export const monthlyOf = (done: Done): Micro => sum(done.costs.map(({ monthly }) => monthly));

export function dryRunResult(services: Services, done: Done, exceeds_budgets: Exceeded): Result {
  const { warnings } = done;
  const body = { dry_run: true, valid: true, exceeds_budgets, ...foresee(services, done), warnings };
  return {
    status: 200,
    headers: { 'cache-control': 'private, no-cache' },
    body: maskKeys(serialise(DryRun, body)),
  };
}
