import type { Call } from '../../../kernel/call.ts';
import { List, ListQuery } from '../../../kernel/pages/list.ts';
import { sliceFrom } from '../../../kernel/pages/slice.ts';
import { endpoint, ok } from '../../../kernel/record.ts';
import { Type } from '../../../kernel/schema.ts';
import { priceShown } from '../../../resources/inventory/cost.ts';
import { resizeOf, unknownMachine } from '../catalog/resize-targets.ts';
import { isAvailable, type Place, readPlaces, type SoldPlan, soldPlans } from '../catalog/sold-plans.ts';
import { Architecture } from '../hardware.ts';
import { LocationRef, VmRef } from '../references.ts';
import { priceVm } from '../vms/inventory.ts';
import { findVmIfThere } from '../vms/store.ts';
import { fits, needsOf } from './fitting.ts';
import { Plan, PlanCategory } from './schema.ts';

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
  const offers = plan.locations.map((location) => ({
    location,
    priced: priceVm(services, configurationOf(plan, location), { at: now }),
  }));
  const [cheapest] = offers
    .flatMap(({ priced }) => (priced.ok ? [priced.item] : []))
    .sort((a, b) => Number(a.monthly - b.monthly));
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
    price: cheapest === undefined ? null : priceShown(services, cheapest),
    locations: offers.map(({ location, priced }) => {
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
      architecture: Type.Optional({ ...Architecture, description: 'Only plans of this architecture.' }),
      category: Type.Optional({ ...PlanCategory, description: 'Only plans of this category.' }),
      available_in: Type.Optional({
        ...LocationRef,
        description: 'Only plans for which this location has free capacity now.',
      }),
      resize_for: Type.Optional({
        ...VmRef,
        description: 'Adds `resize`: whether this machine can be resized to each plan.',
      }),
      resize_allowed: Type.Optional(
        Type.Boolean({
          description: 'With `resize_for`: only plans to which the machine can (or cannot) be resized.',
        }),
      ),
      for_source: Type.Optional(
        Type.String({
          maxLength: 90,
          description:
            'Only plans that fit this image, snapshot, machine or ISO (by id or slug), as the source of a new one.',
        }),
      ),
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
            price: { hourly: '0.011000', monthly: '7.50', currency: 'EUR' },
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
    const { db, caller, services, now, query } = call;
    const { location, architecture, category, available_in: wanted, resize_for, for_source } = query;
    const needs = for_source === undefined ? null : await needsOf(call, for_source);
    const plans = soldPlans(services.provider.catalogue, now);
    const places = await readPlaces(services, plans);
    const rows = plans
      .filter((plan) => architecture === undefined || plan.architecture === architecture)
      .filter((plan) => category === undefined || plan.category === category)
      .filter((plan) => location === undefined || plan.locations.includes(location))
      .filter((plan) => needs === null || (needs !== undefined && fits(plan, needs)))
      .filter((plan) => {
        return (
          wanted === undefined || (plan.locations.includes(wanted) && isAvailable(plan, places.get(wanted)))
        );
      })
      .sort((a, b) => (a.slug < b.slug ? -1 : 1));
    const vm = resize_for === undefined ? undefined : await findVmIfThere(db, caller.account.id, resize_for);
    const resizes = new Map(
      rows.map((plan) => [plan, vm ? resizeOf(services, vm, plan, places.get(vm.location)) : null]),
    );
    const isWanted = (plan: SoldPlan): boolean =>
      query.resize_allowed === undefined || resizes.get(plan)?.allowed === query.resize_allowed;
    const { page, nextCursor } = sliceFrom(call, 'listVpsPlans', rows.filter(isWanted), ({ slug }) => slug);
    if (resize_for !== undefined && vm === undefined) throw unknownMachine();
    const data = page.map((plan) => {
      const shown = location === undefined ? plan : { ...plan, locations: [location] };
      return present(call, shown, places, resizes.get(plan) ?? null);
    });
    return ok({ data, next_cursor: nextCursor });
  },
});
