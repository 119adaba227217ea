/**
 * The rules for hosts that we, or a gateway of a customer, send packets to because a customer said so. The provider can
 * allow or deny further ranges (`egress` in its file). A host name is checked again when it has been resolved.
 */
import { parseAddress } from './address.ts';
import { type AddressFault, isNumeric } from './address-rules.ts';
import { type Egress, hostOf } from './egress.ts';

export type Refusals = Pick<Egress, 'refuses'>;

const NAME =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.?$/i;
const LOCAL_NAME = /(?:^|\.)localhost\.?$/i;
const ENDPOINT = /^(?:\[(?<ipv6>[^\]]+)\]|(?<host>[^:]+)):(?<port>\d+)$/;

function refusedHost(host: string, egress: Refusals): AddressFault | null {
  const refusal = egress.refuses(host);
  if (refusal === null) return null;
  const detail = `The host ${host} cannot be called (${refusal.replaceAll('_', ' ')}); use a public address or a name.`;
  return { code: 'blocked_address', detail };
}

/** Only the host: what else a URL must have differs, and the handlers check it. */
export function calledUrl(text: string, egress: Refusals): AddressFault | null {
  return URL.canParse(text) ? refusedHost(hostOf(new URL(text)), egress) : null;
}

/** `host:port`, which WireGuard resolves by itself. */
export function calledEndpoint(text: string, egress: Refusals): AddressFault | null {
  const { ipv6, host = '', port } = ENDPOINT.exec(text)?.groups ?? {};
  const such = 'such as office.example.com:51820 or [2001:db8::1]:51820';
  if (port === undefined) return { code: 'invalid_format', detail: `Write host:port, ${such}.` };
  if (Number(port) < 1 || Number(port) > 65_535)
    return { code: 'out_of_range', detail: 'The port is from 1 to 65535.' };
  if (ipv6 !== undefined)
    // The mapped form of an IPv4 address is read as IPv4, which stands without brackets.
    return parseAddress(ipv6)?.family === 6
      ? refusedHost(ipv6, egress)
      : { code: 'invalid_format', detail: 'Only an IPv6 address is written in brackets.' };
  if (parseAddress(host) !== null) return refusedHost(host, egress);
  if (isNumeric(host))
    return { code: 'invalid_format', detail: 'Write an IPv4 address as four numbers without leading zeros.' };
  if (NAME.test(host) && !LOCAL_NAME.test(host)) return null;
  return { code: 'invalid_format', detail: `Write a full host name or a public address, ${such}.` };
}
