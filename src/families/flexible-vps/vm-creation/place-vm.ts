/** Inserts a new machine at the first place that has a host with capacity and free addresses. */
import { newId } from '../../../kernel/ids.ts';
import type { Problem } from '../../../kernel/problems/problem.ts';
import { noAddressLeft } from '../../../resources/addresses/availability/refusal.ts';
import { setAttachment } from '../../../resources/addresses/holding/store.ts';
import {
  type Allocation,
  allocateAddresses,
  ipv4In,
  type PublicAddressRow,
} from '../../../resources/addresses/store.ts';
import { keepIf } from '../../../store/savepoint.ts';
import type { Arriving } from '../../../store/send-later.ts';
import { newInterface } from '../interface-changes/network-membership.ts';
import { insertInterfaceLater } from '../interfaces/insertion/store.ts';
import { newInterfaceId } from '../interfaces/resource.ts';
import type { InterfaceRow } from '../interfaces/table.ts';
import { vms } from '../vms/resource.ts';
import type { VmRow } from '../vms/table.ts';
import type { Candidate } from './candidates.ts';
import { type CreateCall, isPublic } from './checks.ts';
import type { VmPlan } from './plan-vm.ts';
import { alternativesTo, type FitAnswers, questionOf, refusalAt, versionsOf } from './room.ts';

/** The row arrives with the answer to the next statement. */
type NewFront = Arriving<InterfaceRow> & Pick<InterfaceRow, 'position'>;

export interface NewVm {
  readonly row: VmRow;
  readonly candidate: Candidate;
  /** The public interface, which exists only if the machine has a public address. */
  readonly front: NewFront | null;
  readonly addresses: readonly PublicAddressRow[];
}

function insertRow(call: CreateCall, { origin, boot, access }: VmPlan, candidate: Candidate): Promise<VmRow> {
  const { body } = call;
  return vms.insert(call, {
    id: vms.newId(),
    name: body.name,
    labels: body.labels ?? {},
    description: body.description ?? '',
    status: 'creating',
    location: candidate.location,
    plan: candidate.plan,
    requested: { location: body.location, plan: body.plan ?? 'custom' },
    vcpus: candidate.size.vcpus,
    memory_mb: candidate.size.memoryMb,
    disk_gb: candidate.size.diskGb,
    architecture: candidate.architecture,
    hostname: body.hostname ?? body.name,
    image: origin.image,
    source: origin.shown,
    iso_id: origin.iso?.id ?? null,
    ...boot,
    ...access.columns,
    placement_group_id: body.placement_group_id ?? null,
    backup_policy_id: body.backup_policy_id ?? null,
    seed: newId('request'),
    protected_delete: body.protection?.delete ?? false,
    protected_redeploy: body.protection?.redeploy ?? false,
    configuration: candidate.configuration,
  });
}

async function takeAddresses(
  call: CreateCall,
  { id: vmId, location }: VmRow,
  interfaceId: string,
  reserved: PublicAddressRow | null,
): Promise<Allocation> {
  const { db, body } = call;
  const request = { ...questionOf(call, location), kind: 'ephemeral' as const, vmId, interfaceId };
  const own = reserved && (await setAttachment(db, reserved.id, { vmId, interfaceId }));
  const taken = await allocateAddresses(db, request, versionsOf(body));
  return own && taken.rows ? { rows: [own, ...taken.rows] } : taken;
}

type Exhausted = readonly (4 | 6)[];

/** Returns the versions of which the location has no address left, if there are any. */
async function insertAt(call: CreateCall, plan: VmPlan, candidate: Candidate): Promise<NewVm | Exhausted> {
  const row = await insertRow(call, plan, candidate);
  if (!isPublic(call.body)) return { row, candidate, front: null, addresses: [] };
  const id = newInterfaceId();
  const { exhausted, rows } = await takeAddresses(call, row, id, plan.reserved);
  if (exhausted !== undefined) return exhausted;
  const wanted = newInterface(row, [], null, { id });
  const inserted = await insertInterfaceLater(call.db, wanted, ipv4In(rows));
  return { row, candidate, front: { ...inserted, position: wanted.position }, addresses: rows };
}

/** Like `insertAt`, but rolls the rows back if there is no address, so that the next candidate can be tried. */
async function tryAt(...args: Parameters<typeof insertAt>): Promise<NewVm | Exhausted> {
  let made: NewVm | Exhausted = [];
  await keepIf(args[0].db, async () => {
    made = await insertAt(...args);
    return 'row' in made;
  });
  return made;
}

const without = { 4: 'set public_ipv4.mode to none', 6: 'set public_ipv6 to false' } as const;

function noAddress(
  call: CreateCall,
  { location }: Candidate,
  exhausted: Exhausted,
  alternatives: () => Promise<object>,
): Promise<Problem> {
  const ways = exhausted.map((version) => without[version]).join(' and ');
  return noAddressLeft(
    call.db,
    questionOf(call, location),
    exhausted,
    `Choose one of the alternatives if there are any, or ${ways}.`,
    { extraLater: async () => ({ alternatives: await alternatives() }) },
  );
}

/** Throws 409 if no candidate has room, or if the name is taken. */
export async function placeVm(call: CreateCall, plan: VmPlan, answers: FitAnswers): Promise<NewVm> {
  const { body } = call;
  const { candidates } = plan;
  let refusal: Problem | undefined;
  let isNameFree = false;
  for (const [i, candidate] of candidates.entries()) {
    const alternatives = () => alternativesTo(call, candidate);
    const full = refusalAt(answers, candidate, body.placement_group_id, alternatives);
    const insert = i === candidates.length - 1 ? insertAt : tryAt;
    if (full !== undefined) {
      refusal ??= full;
      continue;
    }
    const made = await insert(call, plan, candidate);
    if ('row' in made) return made;
    isNameFree = true;
    refusal ??= await noAddress(call, candidate, made, alternatives);
  }
  // A script that repeats its create has to hear that the machine exists, not that there is no room for another.
  if (!isNameFree) await vms.refuseTaken(call, body.name);
  throw refusal ?? new Error('The body names no place.');
}
