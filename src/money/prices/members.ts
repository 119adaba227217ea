/** Members that the shapes of prices and estimates share. */
import {
  Decimal,
  HourlyPrice,
  Id,
  MonthlyPrice,
  Named,
  Shape,
  type Static,
  Type,
} from '../../kernel/schema.ts';

export const text = (description: string) => Type.String({ description });
export const number = (description: string) => Type.Number({ description });
export const quantity = (description: string) => ({ ...Decimal, description });
export const money = (description: string) => ({ ...Decimal, 'x-unit': 'currency', description });
export const perMonth = (description: string) => ({ ...Decimal, 'x-unit': 'currency/month', description });

export const Sku = Named('Sku', text('The item of the price list, such as `vps.flex-2-4`.'));

export const ResourceType = Named(
  'ResourceType',
  text('The type of resource that is priced, such as `vm` or `volume`.'),
);

export const Setup = Named('SetupPrice', money('What is charged once, net of tax.'));

export const CatalogueVersion = Named(
  'CatalogueVersion',
  text('The version of the price list that was used.'),
);

export const Amounts = Named('EstimateAmounts', Shape({ hourly: HourlyPrice, monthly: MonthlyPrice }));

export const WarningShape = Named(
  'EstimateWarning',
  Shape({
    code: text('What the warning is about, for programs.'),
    detail: text('What you should know about the estimate, in words.'),
    pointer: Type.Optional(text('JSON Pointer to the member of the request that causes it.')),
  }),
);

export const BudgetAmount = Named('BudgetAmount', perMonth('The most to spend in a month.'));
export const SpentSoFar = Named('SpentSoFar', money('The cost so far this month.'));

export const ExceededBudgets = Type.Array(
  Named(
    'ExceededBudget',
    Shape({
      budget_id: Id('bud', { description: 'The budget that has no room for the cost.' }),
      amount: BudgetAmount,
      spent: SpentSoFar,
      committed: perMonth(
        'All that runs or is being created, for a whole month, and what this month has cost otherwise.',
      ),
      requested: perMonth('What the call or the items would add in a month.'),
    }),
  ),
  { description: 'The budgets that have no room for the cost, also those that only notify.' },
);

export const TightestBudget = Named(
  'TightestBudget',
  Shape({
    budget_id: Id('bud', { description: 'The id of the budget, as `listBudgets` shows it.' }),
    name: text('The name of the budget.'),
    amount: BudgetAmount,
    left: perMonth('What is left of the amount after the call; negative if the budget has no room for it.'),
  }),
);
export type TightestBudget = Static<typeof TightestBudget>;

export const CONFIGURATION =
  'The body of the create call of this resource type; members that do not affect the price are ignored.';
export const Configuration = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: CONFIGURATION,
});
