import type { Caller } from '../access/caller.ts';
import { callerOf, type Exchange, endpointOf } from '../exchange.ts';
import { Problem } from '../problems/problem.ts';
import type { Endpoint } from '../record.ts';

export function needsApproval(caller: Caller, endpoint: Endpoint): boolean {
  switch (caller.key.approval) {
    case 'off':
      return false;
    case 'destructive':
      return endpoint.access === 'destructive';
    case 'writes':
      return endpoint.access !== 'read';
  }
}

/** The last check before the effect. Nobody can approve without a portal yet, so such a key is held back, never let through. */
export function approval(exchange: Exchange): void {
  if (!needsApproval(callerOf(exchange), endpointOf(exchange))) return;
  throw new Problem('approval_required', {
    detail:
      'The key may make this call only after a person approved it, and this provider takes no approvals yet. Use a key without approval.',
    extra: { operation_id: null, approve_url: null, expires_at: null },
  });
}
