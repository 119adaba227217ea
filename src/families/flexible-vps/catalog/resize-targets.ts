/** Decides for each plan whether a machine can be resized to it, and whether the machine has to be stopped first. */
import { invalid } from '../../../kernel/problems/problem.ts';
import { OneOf } from '../../../kernel/schema.ts';
import type { Services } from '../../../kernel/services.ts';
import type { Catalogue } from '../../../provider/catalogue.ts';
import { vmLife } from '../vms/lifecycle.ts';
import type { VmRow } from '../vms/table.ts';
import { isAvailable, type Place, type SoldPlan } from './sold-plans.ts';

const reasonMeanings = {
  current_plan: 'The machine already has this plan.',
  incompatible: 'The plan has another architecture, or too little memory for the image.',
  location_mismatch: 'The plan is not sold in the location of the machine.',
  invalid_state: 'The machine is neither running nor stopped.',
  resource_suspended: 'The provider has suspended the machine.',
  vm_in_rescue: 'The machine is in rescue mode.',
  capacity_unavailable: 'The location has no room for the larger size at the moment.',
} as const;
type Reason = keyof typeof reasonMeanings;
export const ResizeReason = OneOf(reasonMeanings, {
  description: 'Why the machine cannot be resized to this plan; null if it can.',
});

export interface Resize {
  readonly allowed: boolean;
  readonly mode: 'live' | 'cold' | null;
  readonly reason_code: Reason | null;
}

export const unknownMachine = () =>
  invalid([{ pointer: 'query/resize_for', code: 'unknown_reference', detail: 'There is no such machine.' }]);

/** The memory that the image of the machine needs, if the provider offers the image. */
export const leastMemory = ({ images }: Catalogue, { image }: Pick<VmRow, 'image'>): number =>
  images.find(({ slug }) => slug === image?.slug)?.min_memory_mb ?? 0;

function refusalOf(
  { provider }: Pick<Services, 'provider'>,
  vm: VmRow,
  plan: SoldPlan,
  place: Place | undefined,
): Reason | null {
  const { vcpus, memoryMb } = plan.size;
  const grows = vcpus > vm.vcpus || memoryMb > vm.memory_mb;
  if (vm.status === 'suspended') return 'resource_suspended';
  if (!vmLife.allowedFor('resizeVm').includes(vm.status)) return 'invalid_state';
  if (vm.rescue_expires_at !== null) return 'vm_in_rescue';
  if (plan.slug === vm.plan && plan.category !== 'custom') return 'current_plan';
  if (plan.architecture !== vm.architecture || memoryMb < leastMemory(provider.catalogue, vm))
    return 'incompatible';
  if (!plan.locations.includes(vm.location)) return 'location_mismatch';
  const size = { ...plan.size, diskGb: 0 };
  return grows && !isAvailable({ size }, place) ? 'capacity_unavailable' : null;
}

export function resizeOf(
  services: Pick<Services, 'compute' | 'provider'>,
  vm: VmRow,
  plan: SoldPlan,
  place: Place | undefined,
): Resize {
  const reason = refusalOf(services, vm, plan, place);
  if (reason !== null) return { allowed: false, mode: null, reason_code: reason };
  const isOffered = place?.location.features.includes('live_resize') === true;
  const canLive = services.compute.at(vm.location)?.capabilities.liveResize === true;
  const { vcpus, memoryMb } = plan.size;
  // The caller chooses a custom size only in the resize call, so it is assumed to grow.
  const onlyGrows = plan.category === 'custom' || (vcpus >= vm.vcpus && memoryMb >= vm.memory_mb);
  const isLive = vm.status === 'running' && isOffered && canLive && onlyGrows;
  return { allowed: true, mode: isLive ? 'live' : 'cold', reason_code: null };
}
