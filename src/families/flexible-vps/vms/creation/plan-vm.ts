/** Decides the source, the location and the addresses of a new machine, before its rows are inserted. */
import { Problem } from '../../../../kernel/problems/problem.ts';
import type { PublicAddressRow } from '../../../../resources/addresses/store.ts';
import { allocateAddress } from '../../../../resources/addresses/store.ts';
import { requireRoom } from '../../../../resources/limits/require-room.ts';
import { keepIf } from '../../../../store/savepoint.ts';
import { requirePlacementGroup } from '../../placement-groups/references.ts';
import { vms } from '../resource.ts';
import { type CreateCall, examine } from './checks.ts';
import { type Candidate, noAnswer, noCapacity, roomFor } from './placement.ts';

interface Blocks {
  readonly ipv4: PublicAddressRow | null;
  readonly ipv6: PublicAddressRow | null;
}

/** Returns null if an address pool of the location is exhausted. Then a partial allocation is rolled back. */
async function takeBlocks(call: CreateCall, location: string, reserved: PublicAddressRow | null) {
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
  let taken: Blocks | null = null;
  await keepIf(db, async () => {
    const ipv4 = wants4 ? await allocateAddress(db, { ...request, version: 4 }) : reserved;
    if (wants4 && ipv4 === null) return false;
    const ipv6 = wants6 ? await allocateAddress(db, { ...request, version: 6 }) : null;
    if (wants6 && ipv6 === null) return false;
    taken = { ipv4, ipv6 };
    return true;
  });
  return taken as Blocks | null;
}

interface Settled {
  readonly candidate: Candidate;
  readonly blocks: Blocks;
}

/** Returns the first candidate that has both a host with capacity and free addresses. */
async function settleDown(
  call: CreateCall,
  candidates: readonly Candidate[],
  groupId: string | undefined,
  reserved: PublicAddressRow | null,
): Promise<Settled> {
  const { services, caller } = call;
  const accountId = caller.account.id;
  let refusal: Problem | null = null;
  for (const candidate of candidates) {
    const group =
      groupId === undefined
        ? null
        : await requirePlacementGroup(call, groupId, candidate.location, '/placement_group_id');
    const placement =
      group === null
        ? null
        : { groupId: group.id, policy: group.policy, strict: group.strict, others: group.vm_ids };
    const room = await roomFor(services, accountId, candidate, placement);
    if (room === 'unplaceable') {
      refusal ??= new Problem('placement_unsatisfiable', {
        detail: `No host in ${candidate.location} fits the placement group.`,
        extra: { placement_group_id: groupId },
      });
      continue;
    }
    if (room === 'silent') {
      refusal ??= noAnswer(candidate);
      continue;
    }
    const blocks = room === 'fits' ? await takeBlocks(call, candidate.location, reserved) : null;
    if (blocks !== null) return { candidate, blocks };
    refusal ??= await noCapacity(
      services,
      accountId,
      candidate,
      room === 'fits' ? 'No public address is left' : undefined,
    );
  }
  throw refusal ?? new Problem('capacity_unavailable');
}

type Examined = Awaited<ReturnType<typeof examine>>;

export interface Ready
  extends Settled,
    Pick<Examined, 'origin' | 'connections' | 'boot' | 'sshKeys' | 'userData'> {}

export async function prepare(call: CreateCall): Promise<Ready> {
  const { body } = call;
  await vms.lockNames(call);
  const { candidates, reserved, ...examined } = await examine(call);
  await vms.requireFreeName(call, body.name);
  const settled = await settleDown(call, candidates, body.placement_group_id, reserved);
  await requireRoom(call, settled.candidate.priced.demands);
  return { ...settled, ...examined };
}
