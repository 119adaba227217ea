/**
 * Frame of every portal write: one transaction that locks the account's row, so that two writes to one
 * account never interleave, and that adds the events and one audit entry. A refused write leaves only its own
 * audit entry.
 */
import { type AuditChange, type AuditEntry, MAX_CHANGES } from '../kernel/audit/entry.ts';
import { append } from '../kernel/audit/store.ts';
import type { NewEvent } from '../kernel/events/event.ts';
import { newId } from '../kernel/ids.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { ResourceRef } from '../kernel/resource-ref.ts';
import type { Db, Tx } from '../store/database.ts';
import { type AccountRow, lockAccount } from './accounts/store.ts';
import { type Actor, auditActor, auditOrigin } from './actor.ts';
import { writePortalEvents } from './events.ts';

export interface Changed<T> {
  readonly result: T;
  readonly resource: ResourceRef;
  /** Empty if the stored state already matches the request. */
  readonly changes: readonly AuditChange[];
  /** The events to write to the account's feed. */
  readonly events?: readonly NewEvent[];
}

type Ending = Pick<AuditEntry, 'outcome' | 'problem_code' | 'resource' | 'changes'>;

export async function change<T>(
  db: Db,
  actor: Actor,
  action: string,
  accountId: string,
  work: (tx: Tx, account: AccountRow) => Promise<Changed<T>>,
): Promise<T> {
  let found = false;
  const written = db.transaction().execute(async (tx) => {
    const account = await lockAccount(tx, accountId);
    if (account === undefined) throw notFound('account', accountId);
    found = true;
    if (account.status === 'closed') throw closed(account);
    const changed = await work(tx, account);
    await writePortalEvents(tx, accountId, actor, changed.events ?? []);
    await append(tx, accountId, succeeded(actor, action, changed));
    return changed.result;
  });
  return written.catch(async (error: unknown) => {
    if (found && error instanceof Problem) {
      await append(db, accountId, rejected(actor, action, error));
    }
    throw error;
  });
}

export function succeeded(actor: Actor, action: string, changed: Changed<unknown>): AuditEntry {
  const { resource } = changed;
  const changes = changed.changes.slice(0, MAX_CHANGES);
  return entryOf(actor, action, { outcome: 'succeeded', problem_code: null, resource, changes });
}

export function rejected(actor: Actor, action: string, { code }: Problem): AuditEntry {
  return entryOf(actor, action, { outcome: 'rejected', problem_code: code, resource: null, changes: [] });
}

function entryOf(actor: Actor, action: string, ending: Ending): AuditEntry {
  return {
    id: newId('audit_entry'),
    occurred_at: new Date().toISOString(),
    actor: auditActor(actor),
    ...auditOrigin(actor),
    action,
    http_status: null,
    operation_id: null,
    approval_operation_id: null,
    ...ending,
  };
}

function closed(account: AccountRow): Problem {
  return new Problem('invalid_state', {
    detail: `The account ${account.name} is closed, which is final.`,
    extra: {
      current_state: account.status,
      allowed_states: ['active', 'restricted', 'suspended', 'closing'],
    },
  });
}

export function notFound(type: string, id: string): Problem {
  return new Problem('not_found', { detail: `There is no ${type} ${id} here.` });
}
