/** The locations and plans that a new machine may have: the requested ones, then the fallbacks. */
import type { Size } from '../../../engines/compute/port.ts';
import type { Call } from '../../../kernel/call.ts';
import { type FieldError, invalid } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import type { PricedItem } from '../../../money/prices/price.ts';
import { placeFaults } from '../catalog/location-faults.ts';
import { asBodyErrors, configurationOf, priceVm, type SizeChoice } from '../vms/inventory.ts';
import type { CreateVm } from './body.ts';
import type { Origin } from './source.ts';

export interface Candidate {
  readonly location: string;
  readonly plan: string;
  readonly architecture: 'amd64' | 'arm64';
  readonly size: Size;
  readonly configuration: Record<string, unknown>;
  readonly priced: PricedItem;
}

interface Wish {
  readonly location: string;
  readonly choice: SizeChoice;
  /** Prefix for the pointers of its errors; empty for the body itself. */
  readonly pointer: string;
  /** The members that the fallback sets itself. It takes the others from the body, where their errors are reported. */
  readonly members: readonly string[];
}

function wishesOf(body: CreateVm): Wish[] {
  const { location, plan, custom_size, disk_gb, fallbacks = [] } = body;
  const first: Wish = { location, choice: { plan, custom_size, disk_gb }, pointer: '', members: [] };
  const others = fallbacks.map((fallback, i): Wish => {
    const choice: SizeChoice = fallback.plan === undefined ? first.choice : { plan: fallback.plan, disk_gb };
    const members = Object.keys(fallback);
    return { location: fallback.location ?? location, choice, pointer: `/fallbacks/${i}`, members };
  });
  return [first, ...others];
}

/** Returns undefined if the provider does not sell the choice. Then `priceVm` reports the reason. */
function sizeOf({ provider }: Services, choice: SizeChoice) {
  const { plans, custom_plan } = provider.catalogue;
  const plan = plans.find(({ slug }) => slug === choice.plan);
  if (plan !== undefined) {
    const size = { vcpus: plan.vcpus, memoryMb: plan.memory_mb, diskGb: choice.disk_gb ?? plan.disk_gb };
    return { size, plan: plan.slug, architecture: plan.architecture };
  }
  const { custom_size: custom } = choice;
  if (custom === undefined || custom_plan === null) return undefined;
  const size = { vcpus: custom.vcpus, memoryMb: custom.memory_mb, diskGb: custom.disk_gb };
  return { size, plan: 'custom', architecture: custom_plan.architecture };
}

type Sized = Pick<Candidate, 'size' | 'plan' | 'architecture'>;

/** Prefixes the pointers of errors with the position of their fallback. */
const at = (pointer: string, errors: readonly FieldError[]): FieldError[] =>
  pointer === '' ? [...errors] : errors.map((error) => ({ ...error, pointer: `${pointer}${error.pointer}` }));

function misfitsOf(origin: Origin, { size, architecture }: Sized): FieldError[] {
  const errors: FieldError[] = [];
  const add = (pointer: string, code: FieldError['code'], detail: string): void => {
    errors.push({ pointer, code, detail });
  };
  if (origin.architecture !== architecture)
    add(
      '/plan',
      'incompatible',
      `The source is for ${origin.architecture}, the plan is ${architecture}. GET /flexible-vps/v1/plans?architecture=${origin.architecture} lists the plans that fit.`,
    );
  if (size.diskGb < origin.minDiskGb)
    add(
      '/disk_gb',
      'incompatible',
      `The source needs a disk of ${origin.minDiskGb} GB; set disk_gb to it, or choose a larger plan.`,
    );
  if (size.memoryMb < origin.minMemoryMb)
    add('/plan', 'incompatible', `The source needs ${origin.minMemoryMb} MB of memory.`);
  return errors;
}

/** An error that the body has already is not repeated for each fallback that takes the same member from it. */
function gather(found: readonly { readonly wish: Wish; readonly errors: readonly FieldError[] }[]) {
  const told = new Set((found[0]?.errors ?? []).map(keyOf));
  return found.flatMap(({ wish, errors }, i) => {
    const isOwn = ({ pointer }: FieldError): boolean => wish.members.includes(pointer.split('/')[1] ?? '');
    const own = i === 0 ? errors : errors.filter((error) => isOwn(error) || !told.has(keyOf(error)));
    return at(wish.pointer, own);
  });
}

const keyOf = ({ pointer, code, detail }: FieldError): string => [pointer, code, detail].join(' ');

function contradictionsOf({ custom_size, disk_gb, plan }: CreateVm): FieldError[] {
  const own = custom_size?.disk_gb;
  if (plan !== undefined || own === undefined || disk_gb === undefined || own === disk_gb) return [];
  const detail = 'disk_gb differs from custom_size.disk_gb; send only one of them.';
  return [{ pointer: '/disk_gb', code: 'mutually_exclusive', detail }];
}

/**
 * Validates the requested location and plan and all fallbacks, even those that may never be tried. If the source is
 * invalid (`origin` undefined), the checks that depend on it are skipped.
 */
export function candidatesOf(
  call: Pick<Call, 'services' | 'now'>,
  body: CreateVm,
  origin: Origin | undefined,
): Candidate[] {
  const ipv4 = body.public_ipv4?.mode ?? 'ephemeral';
  const found = wishesOf(body).map((wish) => {
    const configuration = {
      ...configurationOf(wish.location, wish.choice, ipv4, origin?.publicImage ?? null),
      // Has no price. A redeploy after a failed creation reads it, to allocate the right addresses again.
      ...(body.public_ipv6 === false ? { public_ipv6: false } : {}),
    };
    const priced = priceVm(call.services, configuration, { at: call.now });
    const sized = sizeOf(call.services, wish.choice);
    const elsewhere = placeFaults(call.services, sized?.plan ?? '', wish.location, call.now);
    if (!priced.ok) return { wish, errors: [...elsewhere, ...asBodyErrors(priced.problems)], candidates: [] };
    if (sized === undefined) throw new Error('A choice that has a price has no size.');
    const errors = [...elsewhere, ...(origin === undefined ? [] : misfitsOf(origin, sized))];
    const candidate = { location: wish.location, ...sized, configuration, priced: priced.item };
    return { wish, errors, candidates: [candidate] };
  });
  const errors = [...contradictionsOf(body), ...gather(found)];
  if (errors.length > 0) throw invalid(errors);
  return found.flatMap(({ candidates }) => candidates);
}

/** The places that the body asks for and that exist, before its other members are checked. */
export const placesOf = (services: Services, body: CreateVm): Pick<Candidate, 'location' | 'size'>[] =>
  wishesOf(body).flatMap(({ location, choice }) => {
    const size = sizeOf(services, choice)?.size;
    return size === undefined ? [] : [{ location, size }];
  });

/** Refuses a location or a fallback that differs from the location of a referenced resource (`bound`). */
export function refuseElsewhere(
  { provider }: Services,
  body: CreateVm,
  bound: readonly { readonly pointer: string; readonly location: string }[],
): void {
  const isKnown = (location: string): boolean =>
    provider.catalogue.locations.some(({ slug }) => slug === location);
  const errors = wishesOf(body).flatMap(({ location }, i) =>
    (isKnown(location) ? bound : [])
      .filter((reference) => reference.location !== location)
      .map((reference): FieldError => {
        const isFallback = i > 0 && location !== body.location;
        return {
          pointer: isFallback ? `/fallbacks/${i - 1}/location` : reference.pointer,
          code: 'location_mismatch',
          detail: `${reference.pointer} is in ${reference.location}, the machine would be in ${location}.`,
        };
      }),
  );
  const distinct = new Map(errors.map((error) => [`${error.pointer} ${error.detail}`, error]));
  if (distinct.size > 0) throw invalid([...distinct.values()]);
}
