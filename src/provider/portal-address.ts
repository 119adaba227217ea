import { docsUrlOf, type ProviderConfig } from './schema.ts';

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

/** Whether people have a portal: in this process, or at the configured address in another one. */
export const hasPortal = ({ portal }: Pick<ProviderConfig, 'portal'>): boolean =>
  portal.enabled || portal.base_url !== null;

/** Where people decide about approvals, ready for the id. Without a portal, a page that says how operators decide. */
export function approvalsUrlOf(config: ProviderConfig, baseUrl: string): string {
  if (!hasPortal(config)) return `${docsUrlOf(config, baseUrl)}/approvals#`;
  const { port } = new URL(baseUrl);
  return `${portalOriginOf(config, port === '' ? undefined : Number(port))}/portal/approvals/`;
}

/**
 * Where a browser that asked `host` for another page finds the portal: empty if at the same host, otherwise an origin.
 * At 127.0.0.1 it is led to localhost, because passkeys work for names only.
 */
export function portalElsewhere(
  { portal, server }: Pick<ProviderConfig, 'portal' | 'server'>,
  host: string,
): string {
  const configured = portal.base_url ?? server.base_url;
  const address = `${server.tls === null ? 'http' : 'https'}://${host}`;
  const asked = URL.canParse(address) ? new URL(address) : null;
  if (configured !== null) {
    const own = new URL(configured);
    return asked?.host === own.host ? '' : own.origin;
  }
  if (asked?.hostname !== '127.0.0.1' && asked?.hostname !== '[::1]') return '';
  asked.hostname = 'localhost';
  return asked.origin;
}
