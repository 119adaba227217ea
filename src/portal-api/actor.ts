/**
 * The actor of a change: a member signed in to the portal, the provider's staff at the command line, or
 * Hostplane itself.
 */
import type { AuditActor, AuditEntry } from '../kernel/audit/entry.ts';
import type { EventActor } from '../kernel/events/event.ts';

export type Actor =
  | {
      readonly kind: 'member';
      readonly memberId: string;
      readonly name: string;
      readonly clientIp: string | null;
      readonly userAgent: string | null;
      readonly requestId: string | null;
    }
  | { readonly kind: 'provider_staff' | 'system'; readonly name: string };

export const SYSTEM: Actor = { kind: 'system', name: 'hostplane' };

export function auditActor(actor: Actor): AuditActor {
  const member_id = actor.kind === 'member' ? actor.memberId : null;
  return { kind: actor.kind, api_key_id: null, member_id, name: actor.name };
}

export function eventActor(actor: Actor): EventActor {
  const member_id = actor.kind === 'member' ? actor.memberId : null;
  return { kind: actor.kind, api_key_id: null, member_id };
}

export function auditOrigin(
  actor: Actor,
): Pick<AuditEntry, 'source' | 'client_ip' | 'user_agent' | 'request_id'> {
  if (actor.kind !== 'member') {
    return { source: 'system', client_ip: null, user_agent: null, request_id: null };
  }
  const { clientIp, userAgent, requestId } = actor;
  return { source: 'portal', client_ip: clientIp, user_agent: userAgent, request_id: requestId };
}

/** How rows store the actor that created or changed them. */
export function labelOf(actor: Actor): string {
  return actor.kind === 'member' ? actor.memberId : `${actor.kind}:${actor.name}`;
}
