import { judgeAddress } from '../kernel/access/allowlist.ts';
import { callerOf, endpointOf, type Stage } from '../kernel/exchange.ts';
import { Problem } from '../kernel/problems/problem.ts';

/**
 * Runs after the key is verified, so that requests without a valid key learn nothing about the allowlist and cannot
 * fill the list of denials. Runs before the permission check.
 */
export const allowlist: Stage = (exchange, services) => {
  const { account, key } = callerOf(exchange);
  if (key === null) throw new Error('The allowlist was asked about a call without an API key.');
  const { mode } = account.allowlist;
  if (mode !== 'off') {
    const { address } = exchange.client;
    const verdict = judgeAddress(account, address, Date.now());
    if (verdict.matchedEntryId !== null) services.activity.matched(verdict.matchedEntryId);
    if (!verdict.wouldAllow) {
      services.denials.record(exchange, endpointOf(exchange), {
        cause: 'ip_restriction',
        code: 'ip_not_allowed',
        enforced: mode === 'enforce',
        deniedBy: null,
      });
      if (mode === 'enforce') {
        services.activity.rejected(key.id, address.text, 'ip_not_allowed');
        return new Problem('ip_not_allowed', {
          detail: `The address ${address.text} is not on the IP allowlist of the account.`,
          extra: { client_ip: address.text },
          headers: { 'x-required-permission': endpointOf(exchange).permission },
        });
      }
      exchange.headers['hostplane-allowlist'] = 'would-deny';
    }
  }
  exchange.authenticated = true;
  services.activity.used(key.id, exchange.client, endpointOf(exchange).id);
  return undefined;
};
