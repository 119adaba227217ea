/**
 * The part of `doctor` for nameservers: whether there is a zone for every address that the location sells, and whether
 * each zone can be written. For that it writes a record with a random name into each zone and removes it again.
 */
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { TooSlow } from '../../kernel/net/transfer.ts';
import type { Examination } from '../../kernel/registry.ts';
import type { Catalogue, Location } from '../../provider/catalogue.ts';
import { coverageOf } from './coverage.ts';
import { PowerDnsClient, PowerDnsError } from './powerdns/client.ts';
import { type Zone, Zones } from './powerdns/zones.ts';
import { type DnsSettings, nameserverOf, type PowerDnsServer } from './settings.ts';

/** The oldest version whose API can be asked for one record. */
const OLDEST = [4, 7] as const;
const TRIAL = '"A record of hostplane admin doctor, which can be removed."';
const TRIAL_TTL = 60;

/** Kinds that the server does not fetch from another one. */
const WRITABLE: readonly string[] = ['Native', 'Master', 'Primary', 'Producer'];

const UNTRUSTED =
  'Set ca_file in the provider file to the certificate of the authority that signed that of the server.';
const certificateCodes: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function fixOf({ url, apiKeyFile }: PowerDnsServer, error: unknown): string {
  if (error instanceof PowerDnsError && [401, 403].includes(error.status))
    return `Write the api-key of the server into ${apiKeyFile}, and add this machine to its webserver-allow-from.`;
  if (error instanceof PowerDnsError && error.status === 404)
    return `Set api=yes in the configuration of the server at ${url}: it must be PowerDNS 4.7 or newer.`;
  if (error instanceof TooSlow)
    return `See why the server at ${url} is slow, and whether its database answers.`;
  if (certificateCodes.includes(String((error as { code?: unknown } | null)?.code))) return UNTRUSTED;
  return `See that the HTTP API of PowerDNS answers at ${url}, and that this machine can reach it.`;
}

export async function examineDns(
  settings: DnsSettings,
  { slug }: Pick<Location, 'slug'>,
  { address_pools }: Pick<Catalogue, 'address_pools'>,
): Promise<readonly Examination[]> {
  const server = nameserverOf(settings);
  if (server === null) return [];
  const name = `reverse DNS of ${slug}`;
  const client = new PowerDnsClient(server);
  try {
    const old = oldVersion(await client.send('GET', ''));
    if (old !== null)
      return [{ name, detail: `the server is PowerDNS ${old}`, fix: 'Update it to version 4.7 or newer.' }];
    const pools = address_pools.filter(({ location }) => location === slug).map(({ cidr }) => cidr);
    const { zones, missing } = await coverageOf(new Zones(client), pools);
    if (missing.length > 0) return [{ name, ...missingZones(missing) }];
    for (const zone of zones) {
      const fault = await examineZone(client, server, zone);
      if (fault !== null) return [{ name, ...fault }];
    }
    return [{ name, detail: `${countOf(zones.length)} for the address pools exist and can be written` }];
  } catch (error) {
    return [{ name, detail: messageOf(error), fix: fixOf(server, error) }];
  } finally {
    client.close();
  }
}

const countOf = (zones: number): string => (zones === 1 ? 'the zone' : `the ${zones} zones`);

/** The version if it is too old. Builds that do not say their version are not judged. */
function oldVersion(about: unknown): string | null {
  const version = String((about as { version?: unknown } | null)?.version ?? '');
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  if (major === undefined) return null;
  const [wantedMajor, wantedMinor] = OLDEST;
  const isNew =
    Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor);
  return isNew ? null : version;
}

function missingZones(missing: readonly string[]): Omit<Examination, 'name'> {
  const [first] = missing;
  const others = missing.length === 1 ? '' : ` and ${missing.length - 1} more`;
  return {
    detail: `the server has no zone ${first}${others}: addresses there get no names`,
    fix: `Create it with the name of your nameserver: pdnsutil create-zone ${first} ns1.example.com`,
  };
}

async function examineZone(
  client: PowerDnsClient,
  { nameserver }: PowerDnsServer,
  zone: Zone,
): Promise<Omit<Examination, 'name'> | null> {
  const plain = zone.name.replace(/\.$/, '');
  if (!WRITABLE.includes(zone.kind))
    return {
      detail: `the server has only a copy of the zone ${plain}, of the kind ${zone.kind}`,
      fix: 'Name the server in the provider file that has the zone itself.',
    };
  const trial = `_hostplane-doctor-${randomBytes(8).toString('hex')}.${zone.name}`;
  const change = (parts: object) =>
    client.send('PATCH', `/zones/${encodeURIComponent(zone.id)}`, {
      rrsets: [{ name: trial, type: 'TXT', ...parts }],
    });
  try {
    await change({
      changetype: 'REPLACE',
      ttl: TRIAL_TTL,
      records: [{ content: TRIAL, disabled: false }],
    });
  } catch (error) {
    if (!(error instanceof PowerDnsError) || [401, 403].includes(error.status)) throw error;
    return {
      detail: `the zone ${plain} cannot be written: ${error.message}`,
      fix: `Run pdnsutil check-zone ${plain} at the server, and correct what it reports.`,
    };
  }
  try {
    return nameserver === null ? null : await asked(nameserver, trial);
  } finally {
    await change({ changetype: 'DELETE' });
  }
}

async function asked(nameserver: string, trial: string): Promise<Omit<Examination, 'name'> | null> {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  try {
    resolver.setServers([nameserver]);
    await resolver.resolveTxt(trial.replace(/\.$/, ''));
    return null;
  } catch (error) {
    return {
      detail: `${nameserver} does not serve a record that was just written: ${messageOf(error)}`,
      fix: 'Correct nameserver in the provider file: it is the address at which this PowerDNS answers queries.',
    };
  }
}
