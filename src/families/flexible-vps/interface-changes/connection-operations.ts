/**
 * The types of the operations that take connections from machines and stand in folders above this one. The kinds take
 * their types from here, so that a check of what a machine has left can recognise them.
 */
export const ATTACH_PUBLIC_IP = 'public_ip.attach';
export const DETACH_PUBLIC_IP = 'public_ip.detach';
/** The same for calls about an address. */
export const ASSIGN_ADDRESS = 'address.assign';
export const UNASSIGN_ADDRESS = 'address.unassign';
export const DELETE_NETWORK = 'network.delete';
/** Reserves an address, and may assign it to a machine. */
export const RESERVE_ADDRESS = 'address.reserve';

interface Operation {
  readonly type: string;
  readonly resource_id: string | null;
  readonly input: unknown;
}

const machineIn = ({ input }: Operation): string | null =>
  (input as { readonly vm_id?: string | null } | null)?.vm_id ?? null;

/** The machine that gets a public address by this operation. */
export function arrivesAt(operation: Operation): string | null {
  if (operation.type === ATTACH_PUBLIC_IP) return operation.resource_id;
  return operation.type === ASSIGN_ADDRESS ? machineIn(operation) : null;
}

/** The machine from which this operation takes a public address, for good or until it is assigned again. */
export function leaves(operation: Operation): string | null {
  if (operation.type === DETACH_PUBLIC_IP) return operation.resource_id;
  return operation.type === UNASSIGN_ADDRESS ? machineIn(operation) : null;
}
