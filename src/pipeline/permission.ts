import { ANOTHER_ROLE, type Decision } from '../kernel/access/caller.ts';
import { fold } from '../kernel/access/permissions.ts';
import { callerOf, type Exchange, endpointOf, type Stage } from '../kernel/exchange.ts';
import { Problem } from '../kernel/problems/problem.ts';
import type { Services } from '../kernel/services.ts';

function detailOf(exchange: Exchange, code: NonNullable<Decision['code']>): string {
  const { permission, family } = endpointOf(exchange);
  const { key, owner, account } = callerOf(exchange);
  switch (code) {
    case 'account_restricted':
      return 'The account is restricted: calls that raise its cost are refused.';
    case 'account_suspended':
      return `The account is ${account.status}: this call is not one of those still allowed.`;
    case 'product_not_enabled':
      return `The account does not have the product ${family}.`;
    case 'permission_denied': {
      if (key === null)
        return `This call needs ${permission}, which your role ${owner?.role} does not include.`;
      const held = fold(key.permissions);
      const shown = held.slice(0, 5).join(', ') + (held.length > 5 ? ` and ${held.length - 5} more` : '');
      return `This call needs ${permission}; the key has ${shown}, and its owner is ${owner?.role ?? 'gone'}.`;
    }
  }
}

const refusals = new WeakMap<Decision, Problem>();

/** The problem contains nothing of the request, so it is cached together with the decision. */
function problemOf(exchange: Exchange, decision: Decision): Problem {
  const known = refusals.get(decision);
  if (known !== undefined) return known;
  const endpoint = endpointOf(exchange);
  const code = decision.code ?? 'permission_denied';
  const problem = new Problem(code, {
    detail: detailOf(exchange, code),
    ...(code === 'permission_denied' && callerOf(exchange).key === null ? { nextStep: ANOTHER_ROLE } : {}),
    extra: {
      ...(code === 'product_not_enabled' ? { family: endpoint.family } : {}),
      required_permission: endpoint.permission,
      denied_by: decision.deniedBy,
    },
    headers: { 'x-required-permission': endpoint.permission },
  });
  refusals.set(decision, problem);
  return problem;
}

function refuse(exchange: Exchange, services: Services, decision: Decision): Problem {
  const problem = problemOf(exchange, decision);
  if (callerOf(exchange).key !== null) noteDenial(exchange, services, decision, problem);
  return problem;
}

function noteDenial(exchange: Exchange, services: Services, decision: Decision, problem: Problem): void {
  services.denials.record(exchange, endpointOf(exchange), {
    cause: 'permission',
    code: problem.code,
    enforced: true,
    deniedBy: decision.deniedBy,
  });
}

/**
 * Account status, product and permission are one decision, cached per key and endpoint. The code of the decision
 * names the first check that failed.
 */
export const permission: Stage = (exchange, services) => {
  const decision = callerOf(exchange).decide(endpointOf(exchange));
  return decision.allowed ? undefined : refuse(exchange, services, decision);
};

/** For calls that raise the cost only with some requests: the handler has found that this one does. */
export function refuseRestricted(exchange: Exchange, services: Services): void {
  if (callerOf(exchange).account.status !== 'restricted') return;
  const decision: Decision = { allowed: false, deniedBy: ['account_status'], code: 'account_restricted' };
  throw refuse(exchange, services, decision);
}
