import { maskKeys } from '../kernel/access/key-format.ts';
import type { Stage } from '../kernel/exchange.ts';
import { clientAddress, rateLimitKey } from '../kernel/net/client-address.ts';

/** One address for the limiter, the allowlist, the audit and the denials. */
export const clientAddressStage: Stage = (exchange, services) => {
  const { incoming } = exchange;
  const forwardedFor = incoming.header('x-forwarded-for');
  const address = clientAddress({ peer: incoming.peer, forwardedFor }, services.trustedProxies);
  exchange.client = {
    address,
    rateLimitKey: rateLimitKey(address, services.provider.server.rate_limit.ipv6_prefix),
    rate: exchange.client.rate,
    // Kept with the key, the audit and the denials: what a client wrongly put into it must not be.
    userAgent: maskKeys(incoming.header('user-agent') ?? '').slice(0, 200),
  };
};
