import { OmittedTypes, sightOf } from '../../../kernel/access/visibility.ts';
import { Family } from '../../../kernel/families.ts';
import { parseLabelSelector } from '../../../kernel/pages/label-selector.ts';
import { dateFilters, List, ListQuery, labelFilter } from '../../../kernel/pages/list.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import type { Registry } from '../../../kernel/registry.ts';
import { Time, Type } from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import { priceShown, statePrices } from '../../../resources/inventory/cost.ts';
import { ResourceSummary } from './schema.ts';
import { readResources } from './store.ts';

const example = {
  data: [
    {
      id: 'vm_01jqzvbw8fh0xtq5a2k7r9t1mz',
      type: 'vm',
      family: 'flexible-vps',
      name: 'web-1',
      status: 'running',
      location: 'fra1',
      labels: { env: 'prod' },
      parent_id: null,
      operation: { id: 'op_01jqzv9t5xe9rs5d3k8w4t6y0c', type: 'vm.resize', status: 'running' as const },
      price: { hourly: '0.011700', monthly: '8.00', currency: 'EUR' },
      price_running: { hourly: '0.011700', monthly: '8.00', currency: 'EUR' },
      price_stopped: { hourly: '0.000700', monthly: '0.50', currency: 'EUR' },
      href: 'https://api.host.example/flexible-vps/v1/vms/vm_01jqzvbw8fh0xtq5a2k7r9t1mz',
      created_at: '2026-02-01T08:00:00.000Z',
    },
  ],
  next_cursor: null,
  omitted: [{ family: 'storage', resource_type: 'bucket', missing_permission: 'storage:buckets:read' }],
  as_of: '2026-03-01T10:00:00.000Z',
};

function typesAsked(registry: Registry, wanted: { family?: string; type?: string }) {
  return [...registry.resourceTypes]
    .filter(([, { family }]) => wanted.family === undefined || family === wanted.family)
    .filter(([type]) => wanted.type === undefined || type === wanted.type);
}

type ResourceRow = Awaited<ReturnType<typeof readResources>>['rows'][number];

function pricesOf(services: Services, row: ResourceRow, now: Date) {
  const { type, priced_as, configuration, contract_months: contractMonths } = row;
  const { price_hourly_micros: hourly, price_monthly_micros: monthly } = row;
  if (hourly === null || monthly === null) return { price: null, price_running: null, price_stopped: null };
  const billed = { hourly: BigInt(hourly), monthly: BigInt(monthly) };
  const price = priceShown(services, billed);
  if (!services.registry.resourceTypes.get(type)?.stops || configuration === null)
    return { price, price_running: null, price_stopped: null };
  const subject = { pricedAs: priced_as ?? type, configuration, contractMonths };
  const { price_running, price_stopped } = statePrices(services, subject, now, billed);
  return { price, price_running, price_stopped };
}

export const listResources = endpoint({
  id: 'listResources',
  method: 'GET',
  path: '/account/v1/resources',
  summary: 'List resources of all families',
  description:
    'The inventory of the account. You see the resource types that your key may read; `omitted` lists the hidden ones. `price` is the cost in the current state, and a resource that can be stopped also shows its price in both states; the resource itself shows the same prices.',
  permission: 'account:resources:read',
  access: 'read',
  resource: { name: 'resource', role: 'list' },
  query: ListQuery(
    {
      family: Type.Optional({ ...Family, description: 'Only resources of this family.' }),
      type: Type.Optional(Type.String({ maxLength: 63, description: 'Only resources of this type.' })),
      location: Type.Optional(
        Type.String({ maxLength: 63, description: 'Only resources at this location.' }),
      ),
      status: Type.Optional(Type.String({ maxLength: 63, description: 'Only resources with this status.' })),
      name: Type.Optional(
        Type.String({ maxLength: 63, description: 'Only resources with exactly this name.' }),
      ),
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 90,
          description:
            'Only resources whose name or id contains this text, in any case, or whose address begins with it. A whole address, or a range such as `10.0.0.0/24`, also finds the private networks and VPN gateways whose ranges contain it or overlap it.',
        }),
      ),
      ...labelFilter,
      ids: Type.Optional(
        Type.Array(Type.String({ maxLength: 90 }), {
          minItems: 1,
          maxItems: 50,
          description: 'Only resources with these ids, separated by commas.',
        }),
      ),
      ...dateFilters,
    },
    {
      sort: [
        'created_at',
        '-created_at',
        'name',
        '-name',
        'type',
        '-type',
        'price.monthly',
        '-price.monthly',
      ],
    },
  ),
  answers: {
    200: List(ResourceSummary, {
      omitted: OmittedTypes,
      as_of: { ...Time, description: 'When the inventory was read.' },
    }),
  },
  problems: [],
  example: { query: { label_selector: 'env=prod' }, answer: { status: 200, body: example } },
  async handle(call) {
    const { query, services, caller } = call;
    const { visible, omitted } = sightOf(caller, typesAsked(services.registry, query));
    const selector = query.label_selector === undefined ? [] : parseLabelSelector(query.label_selector);
    const { rows, nextCursor } = await readResources(call, visible, selector);
    return ok({
      data: rows.map((row) => ({
        id: row.id,
        type: row.type,
        family: row.family,
        name: row.name,
        status: row.status,
        location: row.location,
        labels: row.labels,
        parent_id: row.parent_id,
        operation: row.operation,
        ...pricesOf(services, row, call.now),
        href: `${services.baseUrl}${
          services.registry.resourceTypes
            .get(row.type)
            ?.path.replace('{parent_id}', row.parent_id ?? '')
            .replace('{id}', row.id) ?? ''
        }`,
        created_at: row.created_at.toISOString(),
      })),
      next_cursor: nextCursor,
      omitted,
      as_of: call.now.toISOString(),
    });
  },
});
