/** Asks the engines whether a new machine has room, before the transaction of the call begins. */
import type { ComputeEngine, Fit, Placement, Size } from '../../../engines/compute/port.ts';
import { ask } from '../../../engines/engine-call.ts';
import type { Preparation } from '../../../kernel/call.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import type { Services } from '../../../kernel/services.ts';
import { TurnMissed } from '../../../kernel/turns.ts';
import { hasFreeAddress } from '../../../resources/addresses/availability/store.ts';
import { placementGroups } from '../placement-groups/endpoints.ts';
import type { CreateVm } from './body.ts';
import { type Candidate, placesOf } from './candidates.ts';
import type { CreateCall } from './checks.ts';

const RETRY_SECONDS = 60;
const BUSY_RETRY_SECONDS = 5;
const MOST_ALTERNATIVES = 5;

interface Place {
  readonly location: string;
  readonly size: Size;
}

/**
 * `silent`: the engine of the location does not answer. `busy`: the question waited too long behind others and was
 * never asked. With both, the next fallback is tried.
 */
type Room = 'fits' | 'full' | 'unplaceable' | 'silent' | 'busy';

/** The answers of the engines, by place. */
export type Rooms = ReadonlyMap<string, Room>;

const nameOf = ({ location, size }: Place): string =>
  [location, size.vcpus, size.memoryMb, size.diskGb].join(' ');

const roomOf = (fit: Fit): Room =>
  fit.fits ? 'fits' : fit.code === 'placement_unsatisfiable' ? 'unplaceable' : 'full';

async function askRoom(
  { compute }: Services,
  accountId: string,
  { location, size }: Place,
  placement: Placement | null,
): Promise<Room> {
  if (compute.at(location) === undefined) return 'full';
  const fits = (engine: ComputeEngine, signal: AbortSignal) =>
    engine.fits(accountId, size, placement, signal);
  return ask(compute, location, {}, fits).then(roomOf, (error: unknown) => {
    if (error instanceof TurnMissed) return 'busy';
    if (error instanceof Problem) return 'silent';
    throw error;
  });
}

/** Asks for all places at once, so that a silent engine does not delay the answer of another. */
export async function askForRoom(call: Preparation<unknown, unknown, CreateVm>): Promise<Rooms> {
  const { services, caller, body } = call;
  const { placement_group_id: groupId } = body;
  const group =
    groupId === undefined ? undefined : await placementGroups.find(call, { by: 'id', value: groupId });
  const placement =
    group === undefined
      ? null
      : { groupId: group.id, policy: group.policy, strict: group.strict, others: group.vm_ids };
  const places = new Map(placesOf(services, body).map((place) => [nameOf(place), place]));
  const asked = [...places].map(
    async ([name, place]) => [name, await askRoom(services, caller.account.id, place, placement)] as const,
  );
  return new Map(await Promise.all(asked));
}

/** Returns undefined if the candidate has room, otherwise the problem to refuse the call with. */
export function refusalAt(
  rooms: Rooms,
  candidate: Candidate,
  groupId: string | undefined,
  alternatives: () => Promise<object>,
): Problem | undefined {
  const { location, plan, priced } = candidate;
  if (!priced.available) return noCapacity(`${plan} is not sold in ${location} at the moment.`, alternatives);
  switch (rooms.get(nameOf(candidate)) ?? 'silent') {
    case 'fits':
      return undefined;
    case 'full':
      return noCapacity(`No host has room for ${plan} in ${location} at the moment.`, alternatives);
    case 'unplaceable':
      return new Problem('placement_unsatisfiable', {
        detail: `No host in ${location} fits the placement group.`,
        extra: { placement_group_id: groupId },
      });
    case 'silent':
      return new Problem('engine_unavailable', {
        detail: `${location} does not answer at the moment.`,
        retryAfterSeconds: RETRY_SECONDS,
      });
    case 'busy':
      return new Problem('engine_unavailable', {
        detail: `${location} is busy: too many other calls wait for its answer.`,
        retryAfterSeconds: BUSY_RETRY_SECONDS,
      });
  }
}

const noCapacity = (detail: string, alternatives: () => Promise<object>): Problem =>
  new Problem('capacity_unavailable', {
    detail,
    extra: { alternatives: [] },
    extraLater: async () => ({ alternatives: await alternatives() }),
    retryAfterSeconds: RETRY_SECONDS,
  });

/** What the pools of a location are asked. */
export const questionOf = ({ services, caller, now }: CreateCall, location: string) => ({
  pools: services.provider.catalogue.address_pools,
  location,
  accountId: caller.account.id,
  now,
});

/** The versions of the public addresses that the machine gets from the pools. */
export const versionsOf = ({ public_ipv4, public_ipv6 = true }: CreateVm): (4 | 6)[] => [
  ...((public_ipv4?.mode ?? 'ephemeral') === 'ephemeral' ? [4 as const] : []),
  ...(public_ipv6 ? [6 as const] : []),
];

async function hasAddresses(call: CreateCall, location: string): Promise<boolean> {
  const question = questionOf(call, location);
  for (const version of versionsOf(call.body))
    if (!(await hasFreeAddress(call.services.db, { ...question, version }))) return false;
  return true;
}

/** Returns other locations that have room and addresses for the same plan now. Runs after the transaction. */
export async function alternativesTo(
  call: CreateCall,
  { plan: slug, location: wanted, size }: Candidate,
): Promise<{ location: string; plan: string }[]> {
  const { services, caller } = call;
  const plan = services.provider.catalogue.plans.find((each) => each.slug === slug);
  const others = (plan?.locations ?? []).filter((location) => location !== wanted);
  const fitting = await Promise.all(
    others.map(
      async (location) =>
        (await askRoom(services, caller.account.id, { location, size }, null)) === 'fits' &&
        (await hasAddresses(call, location)),
    ),
  );
  return others
    .filter((_, i) => fitting[i])
    .slice(0, MOST_ALTERNATIVES)
    .map((location) => ({ location, plan: slug }));
}
