/**
 * Checks the `server` section and all time zones. Plain HTTP on a public address must be allowed explicitly, and a
 * trusted proxy range must not be so wide that any client could forge its address.
 */
import { parseAddress } from '../../kernel/net/address.ts';
import { parseCidr } from '../../kernel/net/cidr.ts';
import type { Draft } from '../draft.ts';
import type { Report } from '../fault.ts';

const WIDEST_PROXY_RANGE = 8;

export function checkServer(draft: Draft, report: Report): void {
  if (
    draft.isSound('/server/host') &&
    draft.isSound('/server/tls') &&
    draft.isSound('/server/allow_plain_http')
  ) {
    checkPlainHttp(draft, report);
  }
  if (draft.isSound('/server/trusted_proxies')) {
    draft.file.server.trusted_proxies.forEach((text, index) => {
      const prefix = checkRange(text, `/server/trusted_proxies/${index}`, report);
      if (prefix !== null && prefix < WIDEST_PROXY_RANGE) {
        const fix =
          'Name only the addresses of your proxies: a host in this range can pretend to be any client.';
        report(`/server/trusted_proxies/${index}`, `${text} is wider than /${WIDEST_PROXY_RANGE}.`, fix);
      }
    });
  }
  if (draft.isSound('/server/metrics_allow_from')) {
    draft.file.server.metrics_allow_from.forEach((text, index) => {
      checkRange(text, `/server/metrics_allow_from/${index}`, report);
    });
  }
  checkTimezones(draft, report);
}

function checkPlainHttp(draft: Draft, report: Report): void {
  const { host, tls, allow_plain_http } = draft.file.server;
  if (tls !== null || allow_plain_http || isLoopback(host)) return;
  const fix = 'Set server.tls, listen on 127.0.0.1, or set allow_plain_http if a proxy terminates TLS.';
  report('/server/host', `Plain HTTP on ${host} would send API keys unencrypted.`, fix);
}

export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  const address = parseAddress(host);
  return address !== null && (address.text === '::1' || (address.family === 4 && address.w3 >>> 24 === 127));
}

/** Returns the prefix length, or `null` after reporting that `text` is not a range. */
export function checkRange(text: string, path: string, report: Report): number | null {
  const parsed = parseCidr(text);
  if (parsed === null) {
    report(
      path,
      `${text} is not an address or range.`,
      'Write it as 10.0.0.5, 10.0.0.0/24 or 2001:db8::/48.',
    );
    return null;
  }
  if (!parsed.exact) report(path, `${text} has bits set beyond its prefix.`, `Write ${parsed.cidr.text}.`);
  return parsed.cidr.prefix;
}

function checkTimezones(draft: Draft, report: Report): void {
  const zones: [string, string][] = [];
  if (draft.isSound('/provider/timezone')) zones.push(['/provider/timezone', draft.file.provider.timezone]);
  for (const { path, value } of draft.entries('datacenter/sites')) {
    zones.push([`${path}/timezone`, value.timezone]);
  }
  for (const [path, zone] of zones) {
    if (!isTimezone(zone))
      report(path, `There is no time zone ${zone}.`, 'Write it as Europe/Berlin or UTC.');
  }
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
