/** Opens the nameserver of each location. */
import type { Location } from '../../provider/catalogue.ts';
import type { DriverOptions } from '../open.ts';
import type { ReverseDns } from './port.ts';
import { PowerDns } from './powerdns/driver.ts';
import { SandboxDns } from './sandbox/sandbox.ts';
import { type DnsSettings, nameserverOf } from './settings.ts';

export function openDns(
  settings: DnsSettings | null,
  location: Location,
  { db, isSandbox }: DriverOptions,
): ReverseDns | null {
  const server = settings && nameserverOf(settings);
  if (server !== null) return new PowerDns({ location: location.slug, ...server });
  return settings !== null || isSandbox(location) ? new SandboxDns(db, location.slug) : null;
}
