import type { Call } from '../../../kernel/call.ts';
import { List, ListQuery } from '../../../kernel/pages/list.ts';
import { sliceFrom } from '../../../kernel/pages/slice.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Named, Nullable, OneOf, Price, Shape, type Static, Time, Type } from '../../../kernel/schema.ts';
import { priceShown } from '../../../resources/inventory/cost.ts';
import { GB_MEANS } from '../gigabytes.ts';
import { LocationRef, VmRef } from '../references.ts';
import { priceVm } from '../vms/inventory.ts';
import { requireVm, resizeOf, resizeReasons } from './resize-targets.ts';
import { isAvailable, type Place, readPlaces, type SoldPlan, soldPlans } from './sold-plans.ts';

const Bounds = Shape({ min: Type.Integer(), max: Type.Integer(), step: Type.Integer() });

const Plan = Named(
  'VpsPlan',
  Shape({
    slug: Type.String(),
    name: Type.String(),
    category: OneOf(['shared', 'dedicated', 'custom']),
    architecture: OneOf(['amd64', 'arm64']),
    vcpus: Type.Integer({ description: 'Of `custom`: the minimum.' }),
    memory_mb: Type.Integer(),
    disk_gb: Type.Integer({ description: GB_MEANS }),
    traffic_gb_per_month: Type.Integer({ description: GB_MEANS }),
    network_mbps: Type.Integer(),
    locations: Type.Array(
      Shape({
        location: Type.String(),
        available: Type.Boolean({
          description:
            'Whether the location has free capacity for this plan now. Free public addresses do not matter here, because a machine can be created without one.',
        }),
        price: Nullable(Price),
      }),
      {
        description:
          'Prices exclude public IPv4 address, licence and tax. The price of `custom` is for the smallest size.',
      },
    ),
    deprecated_at: Nullable(Time),
    removed_at: Nullable(Time),
    custom_limits: Nullable(
      Shape(
        {
          vcpus: Bounds,
          memory_mb: Bounds,
          disk_gb: Bounds,
          memory_mb_per_vcpu: Shape({ min: Type.Integer(), max: Type.Integer() }),
        },
        { description: 'Only of `custom`: the sizes that you can choose.' },
      ),
    ),
    resize: Nullable(
      Shape(
        {
          allowed: Type.Boolean(),
          mode: Nullable(
            OneOf(['live', 'cold'], { description: '`cold`: the machine has to be stopped first.' }),
          ),
          reason_code: Nullable(OneOf(resizeReasons)),
        },
        { description: 'With `resize_for`: whether that machine can be resized to this plan.' },
      ),
    ),
  }),
);
type Plan = Static<typeof Plan>;

const configurationOf = ({ slug, category, size }: SoldPlan, location: string) => ({
  location,
  ...(category === 'custom'
    ? { custom_size: { vcpus: size.vcpus, memory_mb: size.memoryMb, disk_gb: size.diskGb } }
    : { plan: slug }),
  public_ipv4: { mode: 'none' },
});

const atMidnight = (day: string | null): string | null => (day === null ? null : new Date(day).toISOString());

function present(
  { services, now }: Pick<Call, 'services' | 'now'>,
  plan: SoldPlan,
  places: ReadonlyMap<string, Place>,
  resize: Plan['resize'],
): Plan {
  const { custom_plan } = services.provider.catalogue;
  return {
    slug: plan.slug,
    name: plan.name,
    category: plan.category,
    architecture: plan.architecture,
    vcpus: plan.size.vcpus,
    memory_mb: plan.size.memoryMb,
    disk_gb: plan.size.diskGb,
    traffic_gb_per_month: plan.traffic_gb_per_month,
    network_mbps: plan.network_mbps,
    locations: plan.locations.map((location) => {
      const priced = priceVm(services, configurationOf(plan, location), { at: now });
      const isSold = priced.ok && priced.item.available;
      return {
        location,
        available: isSold && isAvailable(plan, places.get(location)),
        price: priced.ok ? priceShown(services, priced.item) : null,
      };
    }),
    deprecated_at: atMidnight(plan.deprecated_at),
    removed_at: atMidnight(plan.removed_at),
    custom_limits: plan.category === 'custom' ? (custom_plan?.limits ?? null) : null,
    resize,
  };
}

export const listVpsPlans = endpoint({
  id: 'listVpsPlans',
  method: 'GET',
  path: '/flexible-vps/v1/plans',
  summary: 'List plans with prices and availability',
  permission: 'flexible-vps:catalog:read',
  access: 'read',
  resource: { name: 'vps_plan', role: 'list' },
  query: ListQuery(
    {
      location: Type.Optional({
        ...LocationRef,
        description: 'Only plans sold in this location; each plan then lists only this location.',
      }),
      architecture: Type.Optional(
        OneOf(['amd64', 'arm64'], { description: 'Only plans of this architecture.' }),
      ),
      category: Type.Optional(
        OneOf(['shared', 'dedicated', 'custom'], { description: 'Only plans of this category.' }),
      ),
      available_in: Type.Optional({
        ...LocationRef,
        description: 'Only plans for which this location has free capacity now.',
      }),
      resize_for: Type.Optional({
        ...VmRef,
        description: 'Adds `resize`: whether this machine can be resized to each plan.',
      }),
    },
    { sort: ['slug'] },
  ),
  answers: { 200: List(Plan) },
  problems: [],
  example: {
    query: { category: 'shared' },
    answer: {
      status: 200,
      body: {
        data: [
          {
            slug: 'flex-2-4',
            name: 'Flex 2-4',
            category: 'shared',
            architecture: 'amd64',
            vcpus: 2,
            memory_mb: 4096,
            disk_gb: 80,
            traffic_gb_per_month: 20000,
            network_mbps: 1000,
            locations: [
              {
                location: 'fra1',
                available: true,
                price: { hourly: '0.011000', monthly: '7.50', currency: 'EUR' },
              },
            ],
            deprecated_at: null,
            removed_at: null,
            custom_limits: null,
            resize: null,
          },
        ],
        next_cursor: null,
      },
    },
  },
  async handle(call) {
    const { services, now, query } = call;
    const { location, architecture, category, available_in: wanted, resize_for } = query;
    const plans = soldPlans(services.provider.catalogue, now);
    const places = await readPlaces(services, plans);
    const rows = plans
      .filter((plan) => architecture === undefined || plan.architecture === architecture)
      .filter((plan) => category === undefined || plan.category === category)
      .filter((plan) => location === undefined || plan.locations.includes(location))
      .filter((plan) => {
        return (
          wanted === undefined || (plan.locations.includes(wanted) && isAvailable(plan, places.get(wanted)))
        );
      })
      .sort((a, b) => (a.slug < b.slug ? -1 : 1));
    const { page, nextCursor } = sliceFrom(call, 'listVpsPlans', rows, ({ slug }) => slug);
    const vm = resize_for === undefined ? null : await requireVm(call, resize_for);
    const data = page.map((plan) => {
      const resize = vm && resizeOf(services, vm, plan, places.get(vm.location));
      const shown = location === undefined ? plan : { ...plan, locations: [location] };
      return present(call, shown, places, resize);
    });
    return ok({ data, next_cursor: nextCursor });
  },
});
