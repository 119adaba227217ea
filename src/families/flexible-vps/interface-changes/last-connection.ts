/** A call that would leave a machine without any connection needs `confirm`, like a call that wipes a disk. */
import type { Call } from '../../../kernel/call.ts';
import { Confirm, requireConfirmation } from '../../../kernel/confirmation.ts';
import { pendingOn, type StoredOperation } from '../../../kernel/operations/store.ts';
import { Shape } from '../../../kernel/schema.ts';
import { attachedAddresses } from '../../../resources/addresses/store.ts';
import type { Db } from '../../../store/database.ts';
import { readInterfaces } from '../interfaces/store.ts';
import { arrivesAt, DELETE_NETWORK, leaves } from './connection-operations.ts';

export const ConfirmCutOff = Shape({
  confirm: Confirm(
    'The current name of the machine: required if it would have no interface and no address left.',
  ),
});

interface Machine {
  readonly id: string;
  readonly name: string;
}

interface Taking {
  readonly machines: readonly Machine[];
  /** The ids of the private interfaces and public addresses that the call takes away. */
  readonly taken: readonly string[];
}

const isLeaving = (vmId: string | null, operation: StoredOperation | undefined): boolean =>
  operation !== undefined && (leaves(operation) !== null || (arrivesAt(operation) ?? vmId) !== vmId);

/** The private interfaces and public addresses of the machines, without those that are already being detached. */
async function connectionsOf(db: Db, vmIds: readonly string[]) {
  const interfaces = (await readInterfaces(db, vmIds)).filter(
    ({ kind, status }) => kind === 'private' && status !== 'detaching',
  );
  const addresses = await attachedAddresses(db, vmIds);
  const subjects = [
    ...addresses.map(({ id }) => id),
    ...interfaces.map(({ network_id }) => network_id ?? ''),
  ];
  const pending = await pendingOn(db, subjects);
  return [
    ...interfaces.filter(({ network_id }) => pending.get(network_id ?? '')?.type !== DELETE_NETWORK),
    ...addresses.filter(
      ({ id, vm_id, status }) => status !== 'releasing' && !isLeaving(vm_id, pending.get(id)),
    ),
  ];
}

async function cutOff(db: Db, { machines, taken }: Taking): Promise<Machine[]> {
  if (machines.length === 0) return [];
  const ids = machines.map(({ id }) => id);
  const connections = await connectionsOf(db, ids);
  return machines.filter(({ id }) => {
    const own = connections.filter(({ vm_id }) => vm_id === id);
    return own.length > 0 && own.every((connection) => taken.includes(connection.id));
  });
}

const MOST_NAMED = 5;

function listed(machines: readonly Machine[]): string {
  const names = machines.slice(0, MOST_NAMED).map(({ name }) => name);
  const more = machines.length - names.length;
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${more} more`;
}

/**
 * Throws 422 if a machine would have neither a private interface nor a public address left, unless the caller repeats
 * the name of `subject`; then it warns.
 */
export async function requireConnected(
  { db, warn }: Pick<Call, 'db' | 'warn'>,
  taking: Taking,
  confirm: { readonly given: string | undefined; readonly pointer: '/confirm' | 'query/confirm' } & {
    readonly subject: { readonly type: string; readonly name: string };
  },
): Promise<void> {
  const lonely = await cutOff(db, taking);
  if (lonely.length === 0) return;
  const loss = `No interface and no address is left for ${listed(lonely)}; only the console still works.`;
  requireConfirmation(confirm.given, { ...confirm.subject, pointer: confirm.pointer, loss });
  warn({ code: 'machine_unreachable', detail: loss });
}
