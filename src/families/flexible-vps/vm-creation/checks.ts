/** Validates the body of createVm and resolves the resources that it references. */
import type { Call } from '../../../kernel/call.ts';
import { pendingOn } from '../../../kernel/operations/store.ts';
import { type FieldError, invalid, Problem } from '../../../kernel/problems/problem.ts';
import { addressLife } from '../../../resources/addresses/lifecycle.ts';
import type { PublicAddressRow } from '../../../resources/addresses/store.ts';
import { lockAddress } from '../../../resources/addresses/store.ts';
import { requireBackupPolicy } from '../backup-policies/references.ts';
import { Faults } from '../faults.ts';
import { resolveFirewalls } from '../firewalls/machine-firewalls.ts';
import { requireUsable } from '../isos/references.ts';
import { requirePlacementGroup } from '../placement-groups/references.ts';
import { requireSshKeys } from '../ssh-keys/references.ts';
import { readUserData } from '../vms/user-data.ts';
import { type NamedVolume, resolveVolumes } from '../volumes/machine-volumes.ts';
import type { CreateVm } from './body.ts';
import { candidatesOf, refuseElsewhere } from './candidates.ts';
import { type Connection, resolveNetworks } from './networks.ts';
import { type Origin, resolveSource } from './source.ts';

export type CreateCall = Call<unknown, unknown, CreateVm>;

const refuse = (pointer: string, code: FieldError['code'], detail: string) =>
  invalid([{ pointer, code, detail }]);

/** Whether the machine gets a public interface. */
export const isPublic = ({ public_ipv4, public_ipv6 }: CreateVm): boolean =>
  public_ipv4?.mode !== 'none' || (public_ipv6 ?? true);

function refuseNoNetwork(body: CreateVm): void {
  if (isPublic(body) || (body.networks ?? []).length > 0) return;
  throw refuse('/networks', 'no_network', 'Give the machine a public address or a private network.');
}

/** Locks the reserved address until the transaction ends, so that no other request attaches it. */
async function lockReserved(call: CreateCall): Promise<PublicAddressRow | null> {
  const wanted = call.body.public_ipv4;
  if (wanted?.mode !== 'reserved') return null;
  const pointer = '/public_ipv4/ip_id';
  const row = await lockAddress(call.db, call.caller.account.id, wanted.ip_id).catch(() => null);
  if (row === null || row.kind !== 'reserved')
    throw refuse(pointer, 'unknown_reference', 'There is no such reserved address in this account.');
  if (row.block.includes(':'))
    throw refuse(pointer, 'incompatible', 'This is an IPv6 prefix; use a reserved IPv4 address.');
  if (row.vm_id !== null)
    throw new Problem('already_attached', {
      detail: 'The address is attached to another machine.',
      nextStep: 'Detach the address from the machine in attached_to first, or use another address.',
      extra: { attached_to: row.vm_id },
    });
  addressLife.require('createVm', row.status, {
    operation: (await pendingOn(call.db, [row.id])).get(row.id),
  });
  return row;
}

/** Checks that every place that the machine may get has the ISO. */
function requireIsoThere(call: CreateCall, { iso }: Origin): void {
  if (iso === null) return;
  const { location, fallbacks = [] } = call.body;
  for (const place of new Set([location, ...fallbacks.map((each) => each.location ?? location)]))
    requireUsable(call, iso, { location: place, architecture: iso.architecture }, '/source/iso_id');
}

function bootOf(body: CreateVm, origin: Origin) {
  // An empty disk takes any system.
  if (origin.iso !== null) {
    const { boot_mode = origin.bootMode, secure_boot = false } = body;
    return { boot_mode, secure_boot };
  }
  const { boot_mode = origin.bootMode, secure_boot = origin.secureBoot } = body;
  const errors: FieldError[] = [];
  if (boot_mode !== origin.bootMode) {
    const detail = `The source can boot only in ${origin.bootMode} mode.`;
    errors.push({ pointer: '/boot_mode', code: 'incompatible', detail });
  }
  if (secure_boot && !origin.secureBoot) {
    const detail = 'The source does not support secure boot.';
    errors.push({ pointer: '/secure_boot', code: 'incompatible', detail });
  }
  if (errors.length > 0) throw invalid(errors);
  return { boot_mode, secure_boot };
}

/** The referenced resources that exist in one location only. */
const boundBy = (
  connections: readonly Connection[] = [],
  origin: Origin | undefined,
  reserved: PublicAddressRow | null = null,
  group: { readonly location: string } | undefined,
  volumes: readonly NamedVolume[] = [],
) => [
  ...connections.map(({ pointer, network }) => ({
    pointer: `${pointer}/network_id`,
    location: network.location,
  })),
  ...(origin === undefined || origin.location === null
    ? []
    : [{ pointer: '/source', location: origin.location }]),
  ...(reserved === null ? [] : [{ pointer: '/public_ipv4/ip_id', location: reserved.location }]),
  ...(group === undefined ? [] : [{ pointer: '/placement_group_id', location: group.location }]),
  ...volumes.map(({ pointer, row }) => ({ pointer, location: row.location })),
];

/**
 * Looks up what the body names. Runs all checks even if one fails; a check that depends on a failed one is skipped or
 * does less.
 */
export async function checkBody(call: CreateCall) {
  const { db, caller, services, body } = call;
  const { ssh_key_ids = [], user_data, user_data_encoding, placement_group_id: groupId } = body;
  const faults = new Faults();
  await faults.check(() => refuseNoNetwork(body));
  const connections = await faults.check(() => resolveNetworks(call, body.networks ?? []));
  const origin = await faults.check(() => resolveSource(call, body.source));
  const reserved = await faults.check(() => lockReserved(call));
  const volumes = await faults.check(() => resolveVolumes(call, body.volume_ids ?? []));
  const firewalls = await faults.check(() => resolveFirewalls(call, body.firewall_ids ?? []));
  const candidates = await faults.check(() => candidatesOf(call, body, origin));
  const group =
    groupId === undefined
      ? undefined
      : await faults.check(() => requirePlacementGroup(call, groupId, body.location, '/placement_group_id'));
  const { backup_policy_id: policyId } = body;
  if (policyId !== undefined) await faults.check(() => requireBackupPolicy(call, policyId, body.location));
  await faults.check(() =>
    refuseElsewhere(services, body, boundBy(connections, origin, reserved, group, volumes)),
  );
  if (origin !== undefined) await faults.check(() => requireIsoThere(call, origin));
  const boot = origin && (await faults.check(() => bootOf(body, origin)));
  const sshKeys = await faults.check(() =>
    requireSshKeys(db, caller.account.id, ssh_key_ids, '/ssh_key_ids'),
  );
  const userData = await faults.check(() =>
    user_data === undefined ? null : readUserData(user_data, user_data_encoding),
  );
  return faults.found({
    connections,
    origin,
    reserved,
    volumes,
    firewalls,
    candidates,
    boot,
    sshKeys,
    userData,
  });
}
