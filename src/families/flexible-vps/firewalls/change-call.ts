/** What all calls that change a firewall share. */
import type { AuditChange } from '../../../kernel/audit/entry.ts';
import type { Call } from '../../../kernel/call.ts';
import type { Loss } from '../../../kernel/effect-view.ts';
import { pendingOn, type StoredOperation } from '../../../kernel/operations/store.ts';
import { Problem } from '../../../kernel/problems/problem.ts';
import { applyFirewallKind } from './kinds.ts';
import { firewallLife } from './lifecycle.ts';
import { presentFirewall } from './present.ts';
import { firewalls } from './resource.ts';
import type { Firewall } from './schema.ts';
import { findFirewall } from './store.ts';
import type { FirewallRow } from './table.ts';

type ChangeCall = Pick<
  Call,
  'db' | 'caller' | 'services' | 'effect' | 'start' | 'follow' | 'checkVersion' | 'warn' | 'event'
>;

/** Locks the firewall and checks its state. */
export async function takeFirewall(call: ChangeCall, id: string, endpointId: string): Promise<FirewallRow> {
  const row = await firewalls.take(call, id);
  const operation = (await pendingOn(call.db, [row.id])).get(row.id);
  firewallLife.require(endpointId, row.status, { operation });
  return row;
}

/** The answer: the firewall as it is now in this transaction. */
export async function showFirewall(
  { db, caller, services }: Pick<Call, 'db' | 'caller' | 'services'>,
  id: string,
  operation: StoredOperation | undefined,
): Promise<Firewall> {
  const found = await findFirewall(db, caller.account.id, id);
  if (found === undefined) throw new Problem('not_found');
  return presentFirewall(found.row, operation ?? found.operation, services.baseUrl);
}

/** Nothing has to change. If an operation already brings it into force, the call follows that. */
export async function changeNothing(call: ChangeCall, row: FirewallRow): Promise<Firewall> {
  call.effect({ action: 'none', ...firewalls.ref(row) });
  const pending = (await pendingOn(call.db, [row.id])).get(row.id);
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
}

/** Writes the change of the row, and starts the operation that brings the firewall into force. */
export async function applyChange(
  call: ChangeCall,
  before: FirewallRow,
  change: Parameters<typeof firewalls.change>[2],
  { action, changes, loss }: Applied,
): Promise<Firewall> {
  const row = await firewalls.change(call.db, before.id, { ...change, status: 'applying' });
  if (row === undefined) throw new Problem('not_found');
  const ref = firewalls.ref(row);
  if (action === 'detach') call.effect({ action, ...ref, changes, loss: loss! });
  else call.effect({ action, ...ref, changes });
  const operation = await call.start({ kind: applyFirewallKind, input: {}, resource: ref });
  return showFirewall(call, row.id, operation);
}
