import type { Caller, Decision } from '../access/caller.ts';
import { fold } from '../access/permissions.ts';
import { callerOf, type Exchange, endpointOf, type Stage } from '../exchange.ts';
import { Problem } from '../problems/problem.ts';
import type { Services } from '../services.ts';

const described = new WeakMap<Caller['key'], string>();

/** The first few patterns of a key, told once for as long as the key is cached. */
function heldBy(key: Caller['key']): string {
  const known = described.get(key);
  if (known !== undefined) return known;
  const held = fold(key.permissions);
  const text = held.slice(0, 5).join(', ') + (held.length > 5 ? ` and ${held.length - 5} more` : '');
  described.set(key, text);
  return text;
}

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
    case 'permission_denied':
      return `This call needs ${permission}; the key has ${heldBy(key)}, and its owner is ${owner?.role ?? 'gone'}.`;
  }
}

function refuse(exchange: Exchange, services: Services, decision: Decision): Problem {
  const endpoint = endpointOf(exchange);
  const code = decision.code ?? 'permission_denied';
  services.denials.record(exchange, endpoint, {
    cause: 'permission',
    code,
    enforced: true,
    deniedBy: decision.deniedBy,
  });
  return new Problem(code, {
    detail: detailOf(exchange, code),
    extra: {
      ...(code === 'product_not_enabled' ? { family: endpoint.family } : {}),
      required_permission: endpoint.permission,
      denied_by: decision.deniedBy,
    },
    headers: { 'x-required-permission': endpoint.permission },
  });
}

/** Account status, product and permission are one decision, kept per key and endpoint; its code says which came first. */
export const permission: Stage = (exchange, services) => {
  const decision = callerOf(exchange).decide(endpointOf(exchange));
  return decision.allowed ? undefined : refuse(exchange, services, decision);
};
