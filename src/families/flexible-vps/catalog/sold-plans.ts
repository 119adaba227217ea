/** The plans that are sold now, including the custom plan, and the availability of each location. */
import type { Size } from '../../../engines/compute/port.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Catalogue, Plan as CataloguePlan, Location } from '../../../provider/catalogue.ts';
import { type Capacity, capacityOf, hasRoom } from './capacity.ts';

export const CUSTOM = 'custom';

export interface SoldPlan {
  readonly slug: string;
  readonly name: string;
  readonly category: 'shared' | 'dedicated' | 'custom';
  readonly architecture: 'amd64' | 'arm64';
  /** Of the custom plan: the smallest size. */
  readonly size: Size;
  readonly traffic_gb_per_month: number;
  readonly network_mbps: number;
  readonly locations: readonly string[];
  readonly deprecated_at: string | null;
  readonly removed_at: string | null;
}

const isRemoved = ({ removed_at }: CataloguePlan, now: Date): boolean =>
  removed_at !== null && Date.parse(removed_at) <= now.getTime();

function customPlan({ custom_plan }: Catalogue): SoldPlan[] {
  if (custom_plan === null) return [];
  const { limits, architecture, traffic_gb_per_month, network_mbps, locations } = custom_plan;
  const { vcpus, memory_mb, disk_gb, memory_mb_per_vcpu } = limits;
  const least = Math.max(memory_mb.min, memory_mb_per_vcpu.min * vcpus.min);
  const steps = Math.ceil((least - memory_mb.min) / memory_mb.step);
  return [
    {
      slug: CUSTOM,
      name: 'A size of your own',
      category: 'custom',
      architecture,
      size: { vcpus: vcpus.min, memoryMb: memory_mb.min + steps * memory_mb.step, diskGb: disk_gb.min },
      traffic_gb_per_month,
      network_mbps,
      locations,
      deprecated_at: null,
      removed_at: null,
    },
  ];
}

/** Locations with a compute engine. Plans are not sold in other locations, even if the catalogue lists them there. */
export const soldIn = ({ locations }: Catalogue): Location[] =>
  locations.filter(({ compute }) => compute !== null);

export function soldPlans(catalogue: Catalogue, now: Date): SoldPlan[] {
  const open = new Set(soldIn(catalogue).map(({ slug }) => slug));
  const plans = catalogue.plans
    .filter((plan) => !isRemoved(plan, now))
    .map((plan): SoldPlan => {
      const { slug, name, category, architecture, traffic_gb_per_month, network_mbps } = plan;
      const size = { vcpus: plan.vcpus, memoryMb: plan.memory_mb, diskGb: plan.disk_gb };
      const { locations, deprecated_at, removed_at } = plan;
      const facts = { slug, name, category, architecture, size, traffic_gb_per_month, network_mbps };
      return { ...facts, locations, deprecated_at, removed_at };
    });
  return [...plans, ...customPlan(catalogue)]
    .map((plan) => ({ ...plan, locations: plan.locations.filter((slug) => open.has(slug)) }))
    .filter(({ locations }) => locations.length > 0);
}

export type Status = Location['status'];

/** The status in the catalogue, lowered to `limited` or `full` if the free capacity requires it, never raised. */
export function statusOf(location: Location, plans: readonly SoldPlan[], capacity: Capacity): Status {
  if (location.status === 'maintenance' || location.status === 'full' || capacity === null)
    return location.status;
  const fitting = plans
    .filter(({ locations }) => locations.includes(location.slug))
    .map(({ size }) => hasRoom(capacity, size));
  if (fitting.length > 0 && !fitting.includes(true)) return 'full';
  return fitting.includes(false) ? 'limited' : location.status;
}

export interface Place {
  readonly location: Location;
  readonly status: Status;
  readonly capacity: Capacity;
}

export async function readPlaces(
  { compute, provider }: Pick<Services, 'compute' | 'provider'>,
  plans: readonly SoldPlan[],
): Promise<ReadonlyMap<string, Place>> {
  const places = await Promise.all(
    soldIn(provider.catalogue).map(async (location): Promise<[string, Place]> => {
      const capacity = await capacityOf(compute.at(location.slug));
      return [location.slug, { location, capacity, status: statusOf(location, plans, capacity) }];
    }),
  );
  return new Map(places);
}

export function isAvailable({ size }: Pick<SoldPlan, 'size'>, place: Place | undefined): boolean {
  if (place === undefined || place.status === 'maintenance' || place.status === 'full') return false;
  return hasRoom(place.capacity, size);
}
