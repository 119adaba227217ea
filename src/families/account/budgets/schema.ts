import {
  Decimal,
  Id,
  Named,
  Nullable,
  OneOf,
  Shape,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';
import { actions, bases, blockings, statuses } from '../../../money/budgets/budget.ts';

const states = Object.fromEntries(statuses.map((status) => [status, ['set', 'delete']]));

export const Budget = Named(
  'Budget',
  Shape({
    id: Id('bud'),
    name: Type.String(),
    description: Type.String(),
    amount: Decimal,
    currency: Type.String(),
    period: OneOf(['month'], { description: 'The calendar month, in UTC.' }),
    scope: Shape({
      families: Nullable(Type.Array(Type.String())),
      label_selector: Nullable(Type.String()),
      api_key_ids: Nullable(Type.Array(Id('key'))),
    }),
    thresholds: Type.Array(Shape({ percent: Type.Integer(), basis: OneOf(bases) })),
    action: OneOf(actions),
    blocks: OneOf(blockings, {
      description: 'What `block_new_cost` looks at: what is spent, or also what is to come.',
    }),
    emails: Type.Array(Type.String()),
    locked: Type.Boolean({
      description: 'Set by a person: API keys can tighten the budget, but not loosen it.',
    }),
    spent: { ...Decimal, description: 'Cost so far this month of the resources in the scope.' },
    forecast: { ...Decimal, description: 'Expected cost of this month at the present rate.' },
    percent_used: Type.Number(),
    status: OneOf(statuses, { 'x-states': states }),
    crossed: Type.Array(Shape({ percent: Type.Integer(), basis: OneOf(bases), at: Time }), {
      description:
        'Thresholds reached this month. Spending 100 % of the amount is listed even if it is no threshold.',
    }),
    etag: Type.String(),
    created_at: Time,
    updated_at: Time,
  }),
);

export const exampleBudget: Static<typeof Budget> = {
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
  emails: [],
  locked: false,
  spent: '203.40',
  forecast: '241.10',
  percent_used: 81.3,
  status: 'warning',
  crossed: [{ percent: 80, basis: 'actual', at: '2026-03-24T10:00:00.000Z' }],
  etag: 'q3w2c9T1hVb7Zk0m',
  created_at: '2026-03-01T09:00:00.000Z',
  updated_at: '2026-03-01T09:00:00.000Z',
};
