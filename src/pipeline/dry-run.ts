import { maskKeys } from '../kernel/access/key-format.ts';
import type { ForeseenEffect } from '../kernel/approvals/store.ts';
import type { Done } from '../kernel/call.ts';
import type { Cost } from '../kernel/effect.ts';
import { type Micro, micro, sum } from '../kernel/micro.ts';
import { Decimal, Named, Nullable, OneOf, Shape, Type } from '../kernel/schema.ts';
import { serialise } from '../kernel/serialise.ts';
import type { Services } from '../kernel/services.ts';
import { formatMoney, formatRate } from '../money/prices/format.ts';
import type { Result } from './output.ts';

export const DryRun = Named(
  'DryRun',
  Shape({
    dry_run: Type.Literal(true),
    valid: Type.Literal(true),
    cost: Shape({ hourly: Decimal, monthly: Decimal, currency: Type.String() }),
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

/** Summarizes the cost and the effects of a call that was rolled back: a dry run, or a call that needs approval. */
export function foresee(services: Services, done: Done): { cost: Cost; effects: ForeseenEffect[] } {
  return {
    cost: {
      hourly: formatRate(sum(done.costs.map((cost) => micro(cost.hourly)))),
      monthly: formatMoney(monthlyOf(done)),
      currency: services.provider.provider.currency,
    },
    // A resource that would be created has no id: the id of the rolled-back row is never used again.
    effects: done.effects
      .filter(({ action }) => action !== 'none')
      .map(({ action, type, id, name }) => ({ action, type, id: action === 'create' ? null : id, name })),
  };
}

export const monthlyOf = (done: Done): Micro => sum(done.costs.map((cost) => micro(cost.monthly)));

export function dryRunResult(services: Services, done: Done): Result {
  const body = { dry_run: true, valid: true, ...foresee(services, done), warnings: done.warnings };
  return {
    status: 200,
    headers: { 'cache-control': 'private, no-cache' },
    body: maskKeys(serialise(DryRun, body)),
  };
}
