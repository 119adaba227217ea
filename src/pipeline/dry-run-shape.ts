/** The answer to a dry run. */
import { ForeseenChange } from '../kernel/change-words/change-words.ts';
import { Warning } from '../kernel/effect.ts';
import { EffectView } from '../kernel/effect-view.ts';
import {
  byProvider,
  Currency,
  Decimal,
  Named,
  Nullable,
  Shape,
  type Static,
  Type,
} from '../kernel/schema.ts';
import { ExceededBudgets, TightestBudget } from '../money/prices/members.ts';

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
        lines: Type.Array(
          Shape({
            description: Type.String({ ...byProvider, description: 'What is paid for, in words.' }),
            hourly: { ...Decimal, 'x-unit': 'currency/hour', description: 'What it costs in an hour.' },
            monthly: { ...Decimal, 'x-unit': 'currency/month', description: 'What it costs in a month.' },
          }),
          {
            description:
              'What the cost of new resources, and of what schedules are going to make, consists of. What changes for existing resources is only in the sums.',
          },
        ),
      },
      {
        description:
          'By how much the running cost of the account changes once the operation has ended. Negative: the call saves this amount.',
      },
    ),
    exceeds_budgets: ExceededBudgets,
    tightest_budget: Nullable({
      ...TightestBudget,
      description:
        'Of the budgets that cover what the call adds, the one with the least left; null if there is none, or if the call adds no monthly cost.',
    }),
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

export type DryRun = Static<typeof DryRun>;
