import type { ProviderConfig } from './schema.ts';

/**
 * The origin of the portal's pages, for links. Without a configured address it is localhost and not 127.0.0.1, because
 * passkeys work for names only. `port`: the one that the system chose, if it is not configured.
 */
export function portalOriginOf(
  { portal, server }: Pick<ProviderConfig, 'portal' | 'server'>,
  port = server.port,
): string {
  const configured = portal.base_url ?? server.base_url;
  if (configured !== null) return new URL(configured).origin;
  return new URL(`${server.tls === null ? 'http' : 'https'}://localhost:${port}`).origin;
}
