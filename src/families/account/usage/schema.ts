import { NextCursor } from '../../../kernel/pages/list.ts';
import {
  byCatalogue,
  byOthers,
  Currency,
  Decimal,
  Named,
  Nullable,
  OneOf,
  Shape,
  type Static,
  Time,
  Type,
} from '../../../kernel/schema.ts';

export const Usage = Named(
  'Usage',
  Shape({
    period: Shape(
      {
        from: { ...Time, description: 'The start of the period, included.' },
        to: { ...Time, description: 'The end of the period, not included.' },
        is_billing_period: Type.Boolean({
          description: 'Whether the period is exactly one calendar month in UTC.',
        }),
      },
      { description: 'The period that the figures are about.' },
    ),
    currency: Currency,
    accrued: Shape(
      {
        total: { ...Decimal, 'x-unit': 'currency', description: 'All cost so far: `fixed` plus `metered`.' },
        fixed: {
          ...Decimal,
          'x-unit': 'currency',
          description: 'What existing resources have cost by the hour or month.',
        },
        metered: {
          ...Decimal,
          'x-unit': 'currency',
          description: 'What was charged by use, such as traffic.',
        },
      },
      { description: 'The cost from the start of the period until now, net of tax.' },
    ),
    forecast: Shape(
      {
        total: {
          ...Decimal,
          'x-unit': 'currency',
          description: 'The expected cost of the whole period, net of tax.',
        },
        method: OneOf(
          { run_rate: 'Resources run on until the end, and metered use goes on at the same rate.' },
          { description: 'How the forecast is made.' },
        ),
        confidence: OneOf(
          {
            low: 'Less than a tenth of the period has passed, or the forecast has changed by more than half.',
            medium: 'Between the other two.',
            high: 'The period is over, or half of it has passed and the forecast has hardly changed.',
          },
          { description: 'How sure the forecast is.' },
        ),
      },
      { description: 'What the whole period will cost if everything goes on as now.' },
    ),
    groups: Type.Array(
      Shape({
        key: Shape(
          {
            family: Type.Optional(
              Type.String({
                description: 'With `group_by=family`, `type` and `resource`: the product family.',
              }),
            ),
            resource_type: Type.Optional(
              Type.String({ description: 'With `group_by=type` and `resource`: the type, such as `vm`.' }),
            ),
            resource_id: Type.Optional(
              Type.String({ description: 'With `group_by=resource`: the id of the resource.' }),
            ),
            label_value: Type.Optional({
              ...Nullable(Type.String()),
              ...byOthers,
              description:
                'With `group_by=label`: the value of the label; null for resources that did not have it then.',
            }),
            location: Type.Optional(
              Nullable(
                Type.String({
                  description: 'With `group_by=location`: the location; null if the cost has none.',
                }),
              ),
            ),
            day: Type.Optional(
              Type.String({
                description: 'With `group_by=day` or `by_day`: the day in UTC, such as `2026-03-01`.',
              }),
            ),
          },
          { description: 'What the rows of the group have in common; `group_by` decides the members.' },
        ),
        quantities: Type.Array(
          Shape({
            sku: Type.String({ description: 'The item of the price list.' }),
            name: Type.String({
              description: 'What was used, in words; the SKU if the price list has it no more.',
              ...byCatalogue,
            }),
            unit: Type.String({ description: 'The unit of the quantities, such as `hour` or `gb_month`.' }),
            quantity: { ...Decimal, description: 'The quantity used, in `unit`.' },
            included: { ...Decimal, description: 'The part of `quantity` that was free of charge.' },
            billable: {
              ...Decimal,
              description: 'The part of `quantity` that costs: `included` plus `billable` is `quantity`.',
            },
          }),
          { description: 'What was used in this group, by SKU.' },
        ),
        cost: {
          ...Decimal,
          'x-unit': 'currency',
          description: 'The cost of the group, exact to 0.000001: the groups add up to `accrued.total`.',
        },
      }),
      { description: 'The cost so far, grouped as `group_by` says. Long answers come in pages.' },
    ),
    next_cursor: NextCursor,
    data_complete_until: { ...Time, description: 'Use and cost up to this time are counted.' },
    is_invoice: Type.Literal(false, { description: 'Always false: invoices are not part of the API yet.' }),
  }),
);

export type Usage = Static<typeof Usage>;
