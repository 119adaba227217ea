import { nameOf } from '../kernel/access/caller.ts';
import { maskKeys } from '../kernel/access/key-format.ts';
import { type AuditEntry, type AuditOutcome, MAX_CHANGES, MAX_EFFECTS } from '../kernel/audit/entry.ts';
import { type Effect, shownEffects } from '../kernel/effect.ts';
import { callerOf, type Exchange, endpointOf, isDryRun } from '../kernel/exchange.ts';
import { newId } from '../kernel/ids.ts';
import type { Problem } from '../kernel/problems/problem.ts';
import type { Endpoint } from '../kernel/record.ts';
import type { Services } from '../kernel/services.ts';
import { actorOf } from './call-context.ts';

interface Ending {
  readonly status: number;
  readonly effects?: readonly Effect[];
  readonly problem?: Problem;
  readonly operationId?: string | null;
  readonly approvalId?: string | null;
}

function outcomeOf(status: number): AuditOutcome {
  if (status === 202) return 'accepted';
  if (status < 400) return 'succeeded';
  return status < 500 ? 'rejected' : 'failed';
}

/** A name, label or description may contain an API key by mistake, and audit entries are never deleted. */
function masked<T>(values: readonly T[]): T[] {
  return values.length === 0 ? [] : (JSON.parse(maskKeys(JSON.stringify(values))) as T[]);
}

export function entryOf(exchange: Exchange, ending: Ending): AuditEntry {
  const caller = callerOf(exchange);
  const [first] = ending.effects ?? [];
  return {
    id: newId('audit_entry'),
    occurred_at: new Date().toISOString(),
    actor: { ...actorOf(exchange), name: nameOf(caller) },
    client_ip: exchange.client.address.text,
    user_agent: exchange.client.userAgent,
    source: exchange.source ?? (caller.key === null ? 'portal' : 'api'),
    action: endpointOf(exchange).id,
    resource: first === undefined ? null : { type: first.type, id: first.id, name: first.name },
    outcome: outcomeOf(ending.status),
    http_status: ending.status,
    problem_code: ending.problem?.code ?? null,
    request_id: exchange.requestId,
    operation_id: ending.operationId ?? null,
    approval_operation_id: ending.approvalId ?? null,
    effects: masked(shownEffects(ending.effects ?? []).slice(0, MAX_EFFECTS)),
    changes: masked((ending.effects ?? []).flatMap((effect) => effect.changes ?? []).slice(0, MAX_CHANGES)),
  };
}

/** Records `portal_only` among the account's recent denials: the call itself is forbidden, not just malformed. */
function noteDenial(exchange: Exchange, services: Services, endpoint: Endpoint, { code }: Problem): void {
  if (code !== 'portal_only' || callerOf(exchange).key === null) return;
  services.denials.record(exchange, endpoint, { cause: 'permission', code, enforced: true, deniedBy: null });
}

/**
 * Writes one audit entry for each refused write of an authenticated caller, and for each refused read of a secret.
 * Other reads and dry runs get no entry.
 */
export function auditRefusal(exchange: Exchange, services: Services, problem: Problem): void {
  const { endpoint, caller } = exchange;
  if (endpoint === undefined || caller === undefined || !exchange.authenticated) return;
  if (!services.registry.audited.has(endpoint.id) || isDryRun(exchange) || problem.isLate) return;
  noteDenial(exchange, services, endpoint, problem);
  const approvalId = problem.code === 'approval_required' ? String(problem.extra['operation_id']) : null;
  services.audit.push(caller.account.id, entryOf(exchange, { status: problem.status, problem, approvalId }));
}
