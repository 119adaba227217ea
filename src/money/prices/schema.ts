/** API schemas of the price list and of estimates. */
import { familyNames } from '../../kernel/families.ts';
import { Ref } from '../../kernel/reference.ts';
import {
  Decimal,
  Id,
  Named,
  Nullable,
  OneOf,
  Shape,
  Slug,
  type Static,
  Time,
  Type,
} from '../../kernel/schema.ts';
import { billings, units } from '../../provider/price-entry.ts';

const Configuration = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description:
    'The body of the create call of this resource type; members that do not affect the price are ignored.',
});

const EstimateRequestItem = Named(
  'EstimateRequestItem',
  Shape({
    ref: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Returned in the answer; unique in the request.',
      }),
    ),
    resource_type: Type.String({ minLength: 1, maxLength: 64 }),
    configuration: Type.Optional(Configuration),
    change: Type.Optional(
      Shape({
        resource_id: Ref(Type.String({ minLength: 1, maxLength: 90 }), {
          list: 'listResources',
          value: 'id',
          label: 'name',
          filters: { type: { from: '/items/*/resource_type' } },
        }),
        configuration: Nullable(Configuration),
      }),
    ),
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 1 })),
    hours_per_month: Type.Optional(Type.Integer({ minimum: 0, maximum: 730, default: 730 })),
    usage: Type.Optional(
      Type.Unsafe<Record<string, number>>({
        type: 'object',
        maxProperties: 16,
        additionalProperties: { type: 'number', minimum: 0, maximum: 1_000_000_000 },
        description: 'Expected metered usage of one piece; values left out count as the included amount.',
      }),
    ),
  }),
);

export const EstimateRequest = Named(
  'EstimateRequest',
  Shape({
    items: Type.Array(EstimateRequestItem, { minItems: 1, maxItems: 50 }),
    contract_months: Type.Optional(
      Type.Unsafe<1 | 12 | 24>({ type: 'integer', enum: [1, 12, 24], default: 1 }),
    ),
    currency: Type.Optional(Type.String({ pattern: '^[A-Z]{3}$' })),
    compare_locations: Type.Optional(
      Type.Array(Ref(Slug, { list: 'listVpsLocations', value: 'slug', label: 'name' }), {
        maxItems: 10,
        uniqueItems: true,
      }),
    ),
  }),
);

const Amounts = Named('EstimateAmounts', Shape({ hourly: Decimal, monthly: Decimal }));

const EstimateLine = Named(
  'EstimateLine',
  Shape({
    sku: Type.String(),
    description: Type.String(),
    kind: OneOf(billings),
    unit: OneOf(units),
    quantity: Decimal,
    included_quantity: Type.Optional(Decimal),
    billable_quantity: Type.Optional(Decimal),
    unit_price: Decimal,
    unit_cap: Type.Optional(Decimal),
    hourly: Nullable(Decimal),
    monthly: Decimal,
    setup: Type.Optional(Decimal),
  }),
);

const EstimateItem = Named(
  'EstimateItem',
  Shape({
    ref: Nullable(Type.String()),
    resource_type: Type.String(),
    quantity: Type.Integer(),
    available: Type.Boolean({ description: 'Whether it is sold there now; capacity is not reserved.' }),
    hourly: Decimal,
    monthly: Decimal,
    setup: Decimal,
    lines: Type.Array(EstimateLine),
    range: Type.Optional(Shape({ min: Amounts, max: Amounts })),
    before: Type.Optional(Amounts),
    after: Type.Optional(Amounts),
    difference: Type.Optional(Amounts),
  }),
);

const WarningShape = Named(
  'EstimateWarning',
  Shape({ code: Type.String(), detail: Type.String(), pointer: Type.Optional(Type.String()) }),
);

export const ExceededBudgets = Type.Array(
  Shape({
    budget_id: Type.String(),
    amount: Decimal,
    spent: Decimal,
    committed: {
      ...Decimal,
      description:
        'All that runs or is being created, for a whole month, and what this month has cost otherwise.',
    },
    requested: Decimal,
  }),
  { description: 'The budgets that have no room for the cost, also those that only notify.' },
);

export const Estimate = Named(
  'Estimate',
  Shape({
    id: Id('est'),
    currency: Type.String(),
    tax: OneOf(['excluded']),
    calculated_at: Time,
    catalogue_version: Type.String(),
    totals: Shape({
      hourly: Decimal,
      monthly: Decimal,
      monthly_fixed: Decimal,
      monthly_metered: Decimal,
      setup: Decimal,
    }),
    items: Type.Array(EstimateItem),
    comparison: Type.Optional(
      Type.Array(Shape({ location: Slug, available: Type.Boolean(), monthly: Decimal, hourly: Decimal })),
    ),
    assumptions: Type.Array(Type.String()),
    exceeds_limits: Type.Array(
      Shape({
        limit_id: Type.String(),
        location: Nullable(Type.String()),
        limit: Type.Number(),
        used: Type.Number(),
        requested: Type.Number(),
      }),
    ),
    exceeds_budgets: ExceededBudgets,
    warnings: Type.Array(WarningShape),
  }),
);

export const Price = Named(
  'Price',
  Shape({
    sku: Type.String(),
    family: OneOf(familyNames),
    resource_type: Type.String(),
    name: Type.String(),
    billing: OneOf(billings),
    unit: OneOf(units),
    currency: Type.String(),
    prices: Type.Array(
      Shape({
        location: Nullable(Type.String()),
        hourly: Nullable(Decimal),
        monthly: Nullable(Decimal),
        unit_price: Nullable(Decimal),
        setup: Nullable(Decimal),
        included_quantity: Decimal,
        tiers: Type.Array(Shape({ from_quantity: Decimal, unit_price: Decimal })),
      }),
    ),
    valid_from: Time,
    valid_until: Nullable(Time),
    catalogue_version: Type.String(),
  }),
);

export type EstimateRequest = Static<typeof EstimateRequest>;
export type EstimateRequestItem = Static<typeof EstimateRequestItem>;
export type Estimate = Static<typeof Estimate>;
export type EstimateItem = Static<typeof EstimateItem>;
export type EstimateLine = Static<typeof EstimateLine>;
export type Price = Static<typeof Price>;
