/** Everything that is decided before a new machine is written down: what it is made from, where it goes, what it gets. */
import { allocateAddress, lockAddress } from '../../../../kernel/addresses/store.ts';
import type { Call } from '../../../../kernel/call.ts';
import { requireRoom } from '../../../../kernel/limits/room.ts';
import { lockDeclarations } from '../../../../kernel/named/store.ts';
import { type FieldError, invalid, Problem } from '../../../../kernel/problems/problem.ts';
import { keepIf } from '../../../../store/savepoint.ts';
import { requirePlacementGroup } from '../../placement-groups/references.ts';
import type { PublicAddressRow } from '../../tables.ts';
import { findVmByName } from '../store.ts';
import type { CreateVm } from './body.ts';
import { type Candidate, candidatesOf, noCapacity, refuseElsewhere, roomFor } from './choice.ts';
import { type Connection, resolveNetworks } from './networks.ts';
import { type Origin, resolveSource } from './source.ts';

export type CreateCall = Call<unknown, unknown, CreateVm>;

export const refuse = (pointer: string, code: FieldError['code'], detail: string) =>
  invalid([{ pointer, code, detail }]);

function refuseUnoffered({ firewall_ids, volume_ids, backup_policy_id }: CreateVm): void {
  const unknown = (pointer: string, what: string): FieldError => ({
    pointer,
    code: 'unknown_reference',
    detail: `There is no such ${what} in this account.`,
  });
  const errors = [
    ...(firewall_ids ?? []).map((_, i) => unknown(`/firewall_ids/${i}`, 'firewall')),
    ...(volume_ids ?? []).map((_, i) => unknown(`/volume_ids/${i}`, 'volume')),
    ...(backup_policy_id === undefined ? [] : [unknown('/backup_policy_id', 'backup policy')]),
  ];
  if (errors.length > 0) throw invalid(errors);
}

/** Held until the transaction ends, so that nobody else attaches it. */
async function lockReserved(call: CreateCall): Promise<PublicAddressRow | null> {
  const { mode, ip_id } = call.body.public_ipv4 ?? { mode: 'ephemeral' };
  if (mode !== 'reserved') {
    if (ip_id !== undefined)
      throw refuse('/public_ipv4/ip_id', 'incompatible', 'Only the mode reserved takes an address of yours.');
    return null;
  }
  const pointer = '/public_ipv4/ip_id';
  if (ip_id === undefined) throw refuse(pointer, 'required', 'Name the reserved address.');
  const row = await lockAddress(call.db, call.caller.account.id, ip_id).catch(() => null);
  if (row === null || row.kind !== 'reserved')
    throw refuse(pointer, 'unknown_reference', 'There is no such reserved address in this account.');
  if (row.block.includes(':')) throw refuse(pointer, 'incompatible', 'This is an IPv6 prefix.');
  if (row.vm_id !== null)
    throw new Problem('already_attached', {
      detail: 'The address leads to another machine.',
      extra: { attached_to: row.vm_id },
    });
  return row;
}

interface Blocks {
  readonly ipv4: PublicAddressRow | null;
  readonly ipv6: PublicAddressRow | null;
}

/** Null: the pools of the place are used up. Nothing is kept of half of it. */
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

/** The first candidate that has both a host and addresses. */
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

function refuseNoNetwork({ public_ipv4, public_ipv6, networks = [] }: CreateVm): void {
  const isPublic = public_ipv4?.mode !== 'none' || (public_ipv6 ?? true);
  if (isPublic || networks.length > 0) return;
  throw refuse('/networks', 'no_network', 'Give it a public address or a private network.');
}

export interface Ready extends Settled {
  readonly origin: Origin;
  readonly connections: readonly Connection[];
}

export async function prepare(call: CreateCall): Promise<Ready> {
  const { db, caller, body } = call;
  refuseUnoffered(body);
  refuseNoNetwork(body);
  await lockDeclarations(db, caller.account.id, 'vm');
  const isPublic = body.public_ipv4?.mode !== 'none' || (body.public_ipv6 ?? true);
  const connections = await resolveNetworks(call, body.networks ?? [], isPublic);
  const origin = await resolveSource(call, body.source);
  const reserved = await lockReserved(call);
  const candidates = candidatesOf(call, body, origin);
  refuseElsewhere(body, candidates, [
    ...connections.map(({ pointer, network }) => ({
      pointer: `${pointer}/network_id`,
      location: network.location,
    })),
    ...(origin.location === null ? [] : [{ pointer: '/source', location: origin.location }]),
    ...(reserved === null ? [] : [{ pointer: '/public_ipv4/ip_id', location: reserved.location }]),
  ]);
  const taken = await findVmByName(db, caller.account.id, body.name);
  if (taken !== undefined) throw new Problem('name_taken', { extra: { existing_id: taken } });
  const settled = await settleDown(call, candidates, body.placement_group_id, reserved);
  await requireRoom(call, settled.candidate.priced.demands);
  return { ...settled, origin, connections };
}
