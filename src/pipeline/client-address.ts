import { maskKeys } from '../kernel/access/key-format.ts';
import type { Stage } from '../kernel/exchange.ts';
import { clientAddress, rateLimitKey } from '../kernel/net/client-address.ts';

/** Determines the client address once; the rate limit, the allowlist, the audit log and the denials all use it. */
export const clientAddressStage: Stage = (exchange, services) => {
  const { incoming } = exchange;
  const forwardedFor = incoming.header('x-forwarded-for');
  const address = clientAddress({ peer: incoming.peer, forwardedFor }, services.trustedProxies);
  exchange.client = {
    address,
    rateLimitKey: rateLimitKey(address, services.provider.server.rate_limit.ipv6_prefix),
    rate: exchange.client.rate,
    // The user agent is stored with the key, the audit entries and the denials, so API keys in it are masked.
    userAgent: maskKeys(incoming.header('user-agent') ?? '').slice(0, 200),
  };
};
