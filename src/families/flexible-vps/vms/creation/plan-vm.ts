/** Decides the source, the location and the addresses of a new machine, before its rows are inserted. */
import type { Problem } from '../../../../kernel/problems/problem.ts';
import { allocateAddress, type PublicAddressRow } from '../../../../resources/addresses/store.ts';
import { keepIf } from '../../../../store/savepoint.ts';
import type { Candidate } from './candidates.ts';
import { type CreateCall, checkBody } from './checks.ts';
import { alternativesTo, noCapacity, type Rooms, refusalAt } from './room.ts';

interface Blocks {
  readonly ipv4: PublicAddressRow | null;
  readonly ipv6: PublicAddressRow | null;
}

/** Returns null if an address pool of the location is exhausted. */
async function takeBlocks(
  call: CreateCall,
  location: string,
  reserved: PublicAddressRow | null,
): Promise<Blocks | null> {
  const { db, caller, services, body, now } = call;
  const request = {
    pools: services.provider.catalogue.address_pools,
    location,
    accountId: caller.account.id,
    kind: 'ephemeral' as const,
    vmId: null,
    now,
  };
  const wants4 = (body.public_ipv4?.mode ?? 'ephemeral') === 'ephemeral';
  const wants6 = body.public_ipv6 ?? true;
  const ipv4 = wants4 ? await allocateAddress(db, { ...request, version: 4 }) : reserved;
  if (wants4 && ipv4 === null) return null;
  const ipv6 = wants6 ? await allocateAddress(db, { ...request, version: 6 }) : null;
  return wants6 && ipv6 === null ? null : { ipv4, ipv6 };
}

/** Like `takeBlocks`, but gives a partial allocation back, so that the next candidate can be tried. */
async function tryBlocks(...args: Parameters<typeof takeBlocks>): Promise<Blocks | null> {
  let taken: Blocks | null = null;
  await keepIf(args[0].db, async () => {
    taken = await takeBlocks(...args);
    return taken !== null;
  });
  return taken;
}

interface Place {
  readonly candidate: Candidate;
  readonly blocks: Blocks;
}

/** Returns the first candidate that has both a host with capacity and free addresses. */
async function choosePlace(
  call: CreateCall,
  candidates: readonly Candidate[],
  reserved: PublicAddressRow | null,
  rooms: Rooms,
): Promise<Place> {
  const { services, caller, body } = call;
  let refusal: Problem | undefined;
  for (const [i, candidate] of candidates.entries()) {
    const { location } = candidate;
    const alternatives = () => alternativesTo(services, caller.account.id, candidate);
    const full = refusalAt(rooms, candidate, body.placement_group_id, alternatives);
    const take = i === candidates.length - 1 ? takeBlocks : tryBlocks;
    const blocks = full === undefined ? await take(call, location, reserved) : null;
    if (blocks !== null) return { candidate, blocks };
    refusal ??= full ?? noCapacity(`No public address is left in ${location} at the moment.`, alternatives);
  }
  throw refusal ?? new Error('The body names no place.');
}

export type VmPlan = Awaited<ReturnType<typeof planVm>>;

export async function planVm(call: CreateCall, rooms: Rooms) {
  const { candidates, reserved, ...named } = await checkBody(call);
  const place = await choosePlace(call, candidates, reserved, rooms);
  return { ...place, ...named };
}
