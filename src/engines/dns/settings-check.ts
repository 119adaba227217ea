/** Checks that the nameserver of a location has the members that its driver needs, and none of another driver. */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { checkAuthority } from '../../provider/certificate.ts';
import { checkForeign } from '../../provider/driver-members.ts';
import type { Report } from '../../provider/fault.ts';
import { readSecret } from '../../provider/secrets.ts';
import { type DnsSettings, dnsDrivers } from './settings.ts';

const needed = {
  url: 'Add the address of its HTTP API, such as url: http://10.0.0.5:8081.',
  api_key_file: 'Name a file that has the API key of the server as its only line.',
} as const;

export function checkDns(settings: DnsSettings, at: string, folder: string, report: Report): void {
  checkForeign(settings, at, dnsDrivers, report);
  if (settings.driver !== 'powerdns') return;
  for (const member of ['url', 'api_key_file'] as const)
    if (settings[member] === null) report(`${at}/${member}`, `${member} is missing.`, needed[member]);
  const { url, api_key_file, ca_file } = settings;
  if (api_key_file !== null)
    readSecret(resolve(folder, api_key_file), `${at}/api_key_file`, report, 'the key');
  for (const member of ['nameserver', 'resolver'] as const) {
    const given = settings[member];
    if (given !== null && !isAddress(given))
      report(`${at}/${member}`, 'This is not an address.', 'Write it as 10.0.0.5, or [2001:db8::53]:5353.');
  }
  if (ca_file === null) return;
  if (url?.startsWith('http:') === true)
    report(`${at}/ca_file`, 'An http address has no certificate.', 'Remove it, or use an https address.');
  else checkAuthority(resolve(folder, ca_file), `${at}/ca_file`, report);
}

/** An IP address, with a port if it is not 53. IPv6 stands in brackets. */
function isAddress(text: string): boolean {
  const [, bracketed, plain, port = '53'] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
  return isIP(bracketed ?? plain ?? '') === (bracketed === undefined ? 4 : 6) && Number(port) < 2 ** 16;
}
