import { Family } from '../../../kernel/families.ts';
import { findConfigurations } from '../../../kernel/inventory/store.ts';
import { List, ListQuery } from '../../../kernel/pages/list.ts';
import { sliceFrom } from '../../../kernel/pages/slice.ts';
import { invalid } from '../../../kernel/problems/problem.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Type } from '../../../kernel/schema.ts';
import { missingConfigurations } from '../../../money/prices/basket.ts';
import { estimate } from '../../../money/prices/estimate.ts';
import { EstimateRequest } from '../../../money/prices/estimate-request.ts';
import { priceList } from '../../../money/prices/list.ts';
import { readReferences } from '../../../money/prices/references.ts';
import { Estimate, Price } from '../../../money/prices/schema.ts';
import { readAllLimits } from '../../../resources/limits/limit-rows.ts';
import { readBudgetStates } from './budget-states.ts';
import { exampleEstimate, exampleRequest } from './example.ts';

export const listPrices = endpoint({
  id: 'listPrices',
  method: 'GET',
  path: '/account/v1/pricing/catalogue',
  summary: 'List prices',
  description:
    'The price list by SKU and location, net of tax. A price rise is announced at least 30 days ahead as a second row with a later `valid_from`.',
  permission: 'account:pricing:read',
  access: 'read',
  resource: { name: 'price', role: 'list' },
  query: ListQuery(
    {
      family: Type.Optional({ ...Family, description: 'Only prices of this family.' }),
      resource_type: Type.Optional(
        Type.String({ maxLength: 63, description: 'Only prices of this type of resource.' }),
      ),
      location: Type.Optional(
        Type.String({ maxLength: 63, description: 'Only prices that apply at this location.' }),
      ),
      sku: Type.Optional(Type.String({ maxLength: 80, description: 'Only the prices of this SKU.' })),
    },
    { sort: ['sku'] },
  ),
  answers: { 200: List(Price) },
  problems: [],
  example: {
    query: { sku: 'vps.flex-2-4' },
    answer: {
      status: 200,
      body: {
        data: [
          {
            sku: 'vps.flex-2-4',
            family: 'flexible-vps',
            resource_type: 'vm',
            name: 'Plan flex-2-4',
            billing: 'hourly_capped',
            unit: 'hour',
            currency: 'EUR',
            prices: [
              {
                location: null,
                hourly: '0.011000',
                monthly: '7.50',
                unit_price: null,
                setup: null,
                included_quantity: '0',
                tiers: [],
              },
            ],
            valid_from: '2026-02-15T00:00:00Z',
            valid_until: null,
            catalogue_version: '2026-02-15',
          },
        ],
        next_cursor: null,
      },
    },
  },
  async handle(call) {
    const { query, services, now } = call;
    const { location } = query;
    const rows = priceList(services.tariff, services.provider.provider.currency, now)
      .filter((row) => query.family === undefined || row.family === query.family)
      .filter((row) => query.resource_type === undefined || row.resource_type === query.resource_type)
      .filter((row) => query.sku === undefined || row.sku === query.sku)
      .map((row) => {
        if (location === undefined) return row;
        return {
          ...row,
          prices: row.prices.filter((price) => price.location === null || price.location === location),
        };
      })
      .filter((row) => row.prices.length > 0);
    const { page, nextCursor } = sliceFrom(call, 'listPrices', rows, (row) => `${row.sku} ${row.valid_from}`);
    return ok({ data: page, next_cursor: nextCursor });
  },
});

export const estimatePrice = endpoint({
  id: 'estimatePrice',
  method: 'POST',
  path: '/account/v1/pricing/estimate',
  summary: 'Estimate the cost of configurations',
  description:
    'What 1 to 50 configurations of any family would cost by the hour and by the month, with every line. Metering uses the same price calculation. An estimate is information: nothing is stored or reserved.',
  permission: 'account:pricing:read',
  access: 'read',
  resource: { name: 'estimate', role: 'action' },
  body: EstimateRequest,
  missing: missingConfigurations,
  answers: { 200: Estimate },
  problems: [],
  example: { body: exampleRequest, answer: { status: 200, body: exampleEstimate } },
  async handle(call) {
    const { body, services, db, caller, now } = call;
    const ids = body.items.flatMap(({ change }) => (change === undefined ? [] : [change.resource_id]));
    const existing =
      ids.length === 0 ? new Map<string, never>() : await findConfigurations(db, caller.account.id, ids);
    const limits = await readAllLimits(call);
    const budgets = await readBudgetStates(call, existing);
    const estimated = estimate(services.tariff, body, {
      currency: services.provider.provider.currency,
      now,
      lookup: {
        ...(await readReferences(call, [body.items, [...existing.values()]])),
        resource: (id) => existing.get(id) ?? null,
      },
      limits: (id, location) => limits.find((row) => row.id === id && row.location === location) ?? null,
      budgets,
    });
    if ('problems' in estimated) throw invalid(estimated.problems);
    return ok(estimated);
  },
});
