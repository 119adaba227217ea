import { maskKeys } from '../kernel/access/key-format.ts';
import type { ForeseenEffect } from '../kernel/approvals/store.ts';
import type { Done } from '../kernel/call.ts';
import type { Cost } from '../kernel/effect.ts';
import { type Micro, micro, sum } from '../kernel/micro.ts';
import { Currency, Decimal, Named, Nullable, OneOf, Shape, Type } from '../kernel/schema.ts';
import { serialise } from '../kernel/serialise.ts';
import type { Services } from '../kernel/services.ts';
import { formatMoney, formatRate } from '../money/prices/format.ts';
import type { Result } from './output.ts';

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
          description: 'The change for an hour; negative if it costs less.',
        },
        monthly: {
          ...Decimal,
          'x-unit': 'currency/month',
          description: 'The change for a whole month; negative if it costs less.',
        },
        currency: Currency,
      },
      { description: 'What the call would add to the cost of the account, net of tax.' },
    ),
    effects: Type.Array(
      Shape({
        action: OneOf(
          {
            create: 'The resource would be created.',
            update: 'The resource would be changed.',
            delete: 'The resource would be deleted.',
            start: 'Work on the resource would start.',
            cancel: 'Work on the resource would be cancelled.',
          },
          { description: 'What the call would do with the resource.' },
        ),
        type: Type.String({ description: 'The type of the resource, such as `vm`.' }),
        id: Nullable(
          Type.String({ description: 'The id of the resource; null if the call would create it.' }),
        ),
        name: Nullable(Type.String({ description: 'The name of the resource; null if it has none.' })),
      }),
      { description: 'Everything that the call would change; empty if nothing.' },
    ),
    warnings: Type.Array(
      Shape({
        code: Type.String({ description: 'What the warning is about, for programs.' }),
        detail: Type.String({ description: 'What to know before you make the call, in words.' }),
        pointer: Type.Optional(
          Type.String({ description: 'JSON Pointer to the member of the body that causes it.' }),
        ),
      }),
      { description: 'What you should know before you make the call; it would be accepted all the same.' },
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
