/** API schemas of the price list and of the answer to an estimate. */
import { Family } from '../../kernel/families.ts';
import {
  byCatalogue,
  byProvider,
  Currency,
  HourlyPrice,
  MonthlyPrice,
  Named,
  Nullable,
  OneOf,
  OwnId,
  Shape,
  Slug,
  type Static,
  Time,
  Type,
} from '../../kernel/schema.ts';
import { BillingShape, UnitShape } from '../../provider/price-entry.ts';
import {
  Amounts,
  CatalogueVersion,
  ExceededBudgets,
  money,
  number,
  perMonth,
  quantity,
  ResourceType,
  Setup,
  Sku,
  text,
  WarningShape,
} from './members.ts';

const EstimateLine = Named(
  'EstimateLine',
  Shape({
    sku: Sku,
    description: { ...text('What the line is for, in words.'), ...byProvider },
    kind: BillingShape,
    unit: UnitShape,
    quantity: quantity('How much is used in a month, in `unit`.'),
    included_quantity: Type.Optional(quantity('The part of the quantity that is free of charge.')),
    billable_quantity: Type.Optional(quantity('The part of the quantity that costs.')),
    unit_price: money('The price of one unit, net of tax.'),
    unit_cap: Type.Optional(
      perMonth('The most that one piece costs in a month, however many hours it runs.'),
    ),
    hourly: Nullable({
      ...HourlyPrice,
      description: 'What the line costs in an hour; null if it has no hourly price.',
    }),
    monthly: MonthlyPrice,
    setup: Type.Optional(Setup),
  }),
);

const EstimateItem = Named(
  'EstimateItem',
  Shape({
    ref: Nullable(text('Your name for the item; null if you gave none.')),
    resource_type: ResourceType,
    quantity: Type.Integer({ description: 'How many pieces the prices are for.' }),
    available: Type.Boolean({ description: 'Whether it is sold there now; capacity is not reserved.' }),
    hourly: HourlyPrice,
    monthly: MonthlyPrice,
    setup: Setup,
    lines: Type.Array(EstimateLine, { description: 'What the price is made of.' }),
    range: Type.Optional(
      Shape(
        {
          min: { ...Amounts, description: 'The lowest price that is possible.' },
          max: { ...Amounts, description: 'The highest price that is possible.' },
        },
        { description: 'Only if the size can change by itself, such as that of an autoscaled node pool.' },
      ),
    ),
    before: Type.Optional({ ...Amounts, description: 'Only for a change: what the resource costs now.' }),
    after: Type.Optional({ ...Amounts, description: 'Only for a change: what it would cost.' }),
    difference: Type.Optional({ ...Amounts, description: 'Only for a change: `after` minus `before`.' }),
  }),
);

export const Estimate = Named(
  'Estimate',
  Shape({
    id: OwnId('est'),
    currency: Currency,
    tax: OneOf(
      { excluded: 'All amounts are net of tax.' },
      { description: 'Whether the amounts contain tax.' },
    ),
    calculated_at: { ...Time, description: 'When the estimate was made. Nothing is stored or reserved.' },
    catalogue_version: CatalogueVersion,
    totals: Shape(
      {
        hourly: HourlyPrice,
        monthly: {
          ...MonthlyPrice,
          description: 'The price of a month: `monthly_fixed` plus `monthly_metered`.',
        },
        monthly_fixed: { ...MonthlyPrice, description: 'The part that is charged by the hour or the month.' },
        monthly_metered: {
          ...MonthlyPrice,
          description: 'The part that is charged by use, such as traffic.',
        },
        setup: Setup,
      },
      { description: 'The sums over all items.' },
    ),
    items: Type.Array(EstimateItem, { description: 'The prices of the items, in the order of the request.' }),
    comparison: Type.Optional(
      Type.Array(
        Shape({
          location: { ...Slug, description: 'The slug of the location.' },
          available: Type.Boolean({ description: 'Whether all items are sold there now.' }),
          monthly: MonthlyPrice,
          hourly: HourlyPrice,
        }),
        { description: 'Only with `compare_locations`: what the same items would cost there.' },
      ),
    ),
    assumptions: Type.Array(Type.String(byProvider), {
      description: 'What the estimate takes for granted, in sentences.',
    }),
    exceeds_limits: Type.Array(
      Shape({
        limit_id: text('The id of the limit, as `listLimits` shows it.'),
        location: Nullable(text('The location that is counted; null if the limit counts in the account.')),
        limit: number('The most you may have.'),
        used: number('What you have now.'),
        requested: number('What the items would add.'),
      }),
      { description: 'Limits that would refuse the items.' },
    ),
    exceeds_budgets: ExceededBudgets,
    warnings: Type.Array(WarningShape, { description: 'What you should know about the estimate.' }),
  }),
);

export const Price = Named(
  'Price',
  Shape({
    sku: Sku,
    family: Family,
    resource_type: ResourceType,
    name: { ...text('What is sold, in words.'), ...byCatalogue },
    billing: BillingShape,
    unit: UnitShape,
    currency: Currency,
    prices: Type.Array(
      Shape({
        location: Nullable(text('The location of the price; null: all locations without their own price.')),
        hourly: Nullable({ ...HourlyPrice, description: 'The price of an hour; null if there is none.' }),
        monthly: Nullable({
          ...MonthlyPrice,
          description: 'The price of a month, at which hours stop counting; null if there is none.',
        }),
        unit_price: Nullable(money('The price of one unit; null if it is not sold by the unit.')),
        setup: Nullable({ ...Setup, description: 'What is charged once; null if nothing is.' }),
        included_quantity: quantity('How many units are free of charge in a month.'),
        tiers: Type.Array(
          Shape({
            from_quantity: quantity('The quantity from which this price applies.'),
            unit_price: money('The price of each unit beyond that quantity.'),
          }),
          { description: 'Lower prices for larger quantities; empty if there are none.' },
        ),
      }),
      { description: 'The price in each location.' },
    ),
    valid_from: { ...Time, description: 'When the price begins to apply.' },
    valid_until: Nullable({
      ...Time,
      description: 'When the price stops to apply; null if no end is known.',
    }),
    catalogue_version: CatalogueVersion,
  }),
  { columns: ['name', 'sku', 'billing', 'prices', 'valid_from'] },
);

export type Estimate = Static<typeof Estimate>;
export type EstimateItem = Static<typeof EstimateItem>;
export type EstimateLine = Static<typeof EstimateLine>;
export type Price = Static<typeof Price>;
