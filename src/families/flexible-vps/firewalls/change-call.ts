/** What all calls that change a firewall share. */
import type { AuditChange } from '../../../kernel/audit/entry.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Loss } from '../../../kernel/effect-view.ts';
import { pendingOn, type StoredOperation } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { applyFirewallKind } from './kinds.ts';
import { firewallLife } from './lifecycle.ts';
import { leavesSomeOpen } from './members/store.ts';
import { firewallView } from './present.ts';
import { firewalls } from './resource.ts';
import type { Firewall } from './schema.ts';
import { lockFirewalls } from './store.ts';
import type { FirewallRow } from './table.ts';

type ChangeCall = Pick<
  Call,
  'db' | 'caller' | 'services' | 'now' | 'effect' | 'start' | 'follow' | 'checkVersion' | 'warn' | 'event'
>;

/** Locks the firewall and checks its state. Only updates look at If-Match; what adds a part does not. */
export async function takeFirewall(
  call: ChangeCall,
  id: string,
  endpointId: string,
  isUpdate = false,
): Promise<FirewallRow> {
  const [row] = await lockFirewalls(call.db, call.caller.account.id, [id]);
  if (row === undefined) throw new Problem('not_found');
  if (isUpdate) call.checkVersion(firewalls.etag(row));
  const operation = (await pendingOn(call.db, [row.id])).get(row.id);
  firewallLife.require(endpointId, row.status, { operation });
  return row;
}

/** What a call that removes a rule or an attachment has found. */
interface TakenPart<T> {
  readonly row: FirewallRow;
  /** Undefined: the operation `removal`, which an earlier call has started, brings the removal into force. */
  readonly part: T | undefined;
  readonly removal: StoredOperation | undefined;
}

/** Locks the firewall and checks its state. A part that was never there answers 404 before If-Match is looked at. */
export async function takePart<T>(
  call: ChangeCall,
  { id, partId, endpointId }: { readonly id: string; readonly partId: string; readonly endpointId: string },
  find: (row: FirewallRow) => Promise<T | undefined>,
): Promise<TakenPart<T>> {
  const [row] = await lockFirewalls(call.db, call.caller.account.id, [id]);
  const pending = await pendingOn(call.db, [id, partId]);
  const part = row && (await find(row));
  const removal = pending.get(partId);
  if (row === undefined || (part === undefined && removal === undefined)) throw new Problem('not_found');
  call.checkVersion(firewalls.etag(row));
  if (part !== undefined) firewallLife.require(endpointId, row.status, { operation: pending.get(id) });
  return { row, part, removal };
}

/** The firewall with its attachments as it is now in this transaction. */
export async function readShown(call: Pick<Call, 'db' | 'caller'>, id: string) {
  const row = await firewallView.find(call, id);
  if (row === undefined) throw new Problem('not_found');
  return row;
}

export async function showFirewall(
  call: Pick<Call, 'db' | 'caller' | 'services' | 'now'>,
  id: string,
  operation: StoredOperation | undefined,
): Promise<Firewall> {
  return firewallView.present(call, await readShown(call, id), operation);
}

/** Nothing has to change. If an operation already brings it into force, the call follows that. */
export async function changeNothing(
  call: ChangeCall,
  row: FirewallRow,
  removal?: StoredOperation,
): Promise<Firewall> {
  call.effect({ action: 'none', ...firewalls.ref(row) });
  const pending = removal ?? (await pendingOn(call.db, [row.id])).get(row.id);
  if (pending !== undefined) {
    call.follow(pending);
    return showFirewall(call, row.id, pending);
  }
  const start = { kind: applyFirewallKind, input: {}, resource: firewalls.ref(row) };
  return showFirewall(call, row.id, await call.start({ ...start, unchanged: true }));
}

interface Applied {
  readonly action: 'update' | 'attach' | 'detach';
  readonly changes: readonly AuditChange[];
  readonly loss?: Loss;
  /** The rule or attachment that is removed. A repeated call finds the operation by it. */
  readonly partId?: string;
}

/** Writes the change of the row, and starts the operation that brings the firewall into force. */
export async function applyChange(
  call: ChangeCall,
  before: FirewallRow,
  change: Parameters<typeof firewalls.change>[2],
  { action, changes, loss, partId }: Applied,
): Promise<Firewall> {
  const row = await firewalls.change(call.db, before.id, { ...change, status: 'applying' });
  if (row === undefined) throw new Problem('not_found');
  const ref = firewalls.ref(row);
  if (action === 'detach') call.effect({ action, ...ref, changes, loss: loss! });
  else call.effect({ action, ...ref, changes });
  const subjects = [row.id, ...(partId === undefined ? [] : [partId])];
  const operation = await call.start({ kind: applyFirewallKind, input: {}, resource: ref, subjects });
  return showFirewall(call, row.id, operation);
}

/** Before a firewall, or one attachment of it, is removed. */
export async function warnOfOpenMachines(
  { db, warn }: Pick<Call, 'db' | 'warn'>,
  id: string,
  attachmentId?: string,
): Promise<void> {
  if (!(await leavesSomeOpen(db, id, attachmentId))) return;
  const detail = 'This is the last firewall of a machine, which will accept all connections.';
  warn({ code: 'unprotected', detail });
}
