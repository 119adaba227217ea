import { exampleOf } from '../../../kernel/examples.ts';
import {
  byOthers,
  CreatedAt,
  Currency,
  Decimal,
  Description,
  Etag,
  Id,
  Named,
  Nullable,
  OneOf,
  OwnId,
  ResourceName,
  Shape,
  type Static,
  Time,
  Type,
  UpdatedAt,
  volatile,
} from '../../../kernel/schema.ts';
import { ActionShape, BasisShape, BlockingShape, StatusShape } from '../../../money/budgets/budget.ts';
import { BudgetAmount } from '../../../money/prices/members.ts';

const Percent = Type.Integer({
  'x-unit': 'percent',
  description: 'The part of the amount at which the budget warns.',
});

export const Budget = Named(
  'Budget',
  Shape({
    id: OwnId('bud'),
    name: ResourceName,
    description: Description,
    amount: BudgetAmount,
    currency: Currency,
    period: OneOf(
      { month: 'The calendar month, in UTC.' },
      { description: 'The time after which the budget starts again.' },
    ),
    scope: Shape(
      {
        families: Nullable(
          Type.Array(Type.String(), { description: 'Only cost of these product families; null: of all.' }),
        ),
        label_selector: Nullable(
          Type.String({ description: 'Only cost of resources whose labels match; null: of all.' }),
        ),
        api_key_ids: Nullable(
          Type.Array(Id('key'), {
            description: 'Only cost of resources that these keys created; null: of all.',
          }),
        ),
      },
      { description: 'Which costs count: those that match all members.' },
    ),
    counted_api_key_ids: Nullable(
      Type.Array(Id('key'), {
        ...volatile,
        description:
          'The keys of the scope, the keys that they replaced and those that replaced them: rolling a key does not free it from the budget. Null: all keys count.',
      }),
    ),
    thresholds: Type.Array(Shape({ percent: Percent, basis: BasisShape }), {
      description: 'When the budget warns, once a month each.',
    }),
    action: ActionShape,
    blocks: BlockingShape,
    emails: Type.Array(Type.String({ format: 'email' }), {
      ...byOthers,
      description: 'Who gets an e-mail at a threshold.',
    }),
    locked: Type.Boolean({
      ...volatile,
      description: 'Set by a person: API keys can tighten the budget, but not loosen it.',
    }),
    spent: {
      ...Decimal,
      'x-unit': 'currency',
      ...volatile,
      description: 'Cost so far this month of the resources in the scope.',
    },
    forecast: {
      ...Decimal,
      'x-unit': 'currency/month',
      ...volatile,
      description: 'Expected cost of this month at the present rate.',
    },
    committed: {
      ...Decimal,
      'x-unit': 'currency/month',
      ...volatile,
      description:
        'All that runs or is being created, for a whole month, and what this month has cost otherwise. With `blocks` `forecast`, calls are refused that raise it above the amount; what schedules are going to create counts for that, too.',
    },
    percent_used: Type.Number({
      'x-unit': 'percent',
      ...volatile,
      description: 'The part of the amount that is spent; it can exceed 100.',
    }),
    status: StatusShape,
    crossed: Type.Array(
      Shape({ percent: Percent, basis: BasisShape, at: { ...Time, description: 'When it was reached.' } }),
      {
        ...volatile,
        description:
          'Thresholds reached this month. Spending 100 % of the amount is listed even if it is no threshold.',
      },
    ),
    etag: Etag,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  }),
  { columns: ['name', 'amount', 'spent', 'forecast', 'status', 'action'] },
);

export type Budget = Static<typeof Budget>;

export const exampleBudget = exampleOf(Budget, {
  id: 'bud_01jqzv5k2ge9rs5d3k8w4t6y0c',
  name: 'agents',
  description: 'What our agents may spend',
  amount: '250.00',
  currency: 'EUR',
  period: 'month',
  scope: { families: ['flexible-vps'], label_selector: 'team=agents', api_key_ids: null },
  thresholds: [
    { percent: 80, basis: 'actual' },
    { percent: 100, basis: 'forecast' },
  ],
  action: 'block_new_cost',
  blocks: 'forecast',
  spent: '203.40',
  forecast: '241.10',
  committed: '244.90',
  percent_used: 81.3,
  status: 'warning',
  crossed: [{ percent: 80, basis: 'actual', at: '2026-03-24T10:00:00.000Z' }],
  created_at: '2026-03-01T09:00:00.000Z',
  updated_at: '2026-03-01T09:00:00.000Z',
});
