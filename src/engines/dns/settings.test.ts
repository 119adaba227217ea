import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfiguration } from '../../configuration.ts';
import { readDefaultText } from '../../provider/default.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { nameserverOf } from './settings.ts';

const defaultText = readDefaultText();
let folder: string;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  writeFileSync(join(folder, 'key'), 'secret\n');
  const certificate = fileURLToPath(new URL('../../testing/fixtures/localhost.crt', import.meta.url));
  copyFileSync(certificate, join(folder, 'ca.crt'));
});
afterAll(() => removeTemporaryFolder(folder));

/** Loads the default configuration with `reverse_dns` in its first location. */
function load(reverse_dns: Record<string, unknown>) {
  const { provider, catalogue } = parse(defaultText) as {
    provider: object;
    catalogue: { locations: object[] };
  };
  const [first, ...rest] = catalogue.locations;
  const file = join(folder, 'hostplane.yaml');
  const locations = [{ ...first, reverse_dns }, ...rest];
  writeFileSync(file, JSON.stringify({ provider, catalogue: { ...catalogue, locations } }));
  return loadConfiguration({ file, env: {}, defaultText });
}

function faultsIn(settings: Record<string, unknown>): string[] {
  const loaded = load(settings);
  const at = '/catalogue/locations/0/reverse_dns';
  return loaded.ok ? [] : loaded.faults.map(({ path }) => path.replace(at, ''));
}

const powerdns = { driver: 'powerdns', url: 'https://dns.example.com:8443', api_key_file: 'key' };

describe('the nameserver of a location', () => {
  it('is a PowerDNS, with its files beside the provider file', () => {
    const loaded = load({ ...powerdns, ca_file: 'ca.crt', nameserver: '[2001:db8::53]:5353' });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
    const given = loaded.config.catalogue.locations[0]?.reverse_dns ?? null;
    expect(given && nameserverOf(given)).toEqual({
      url: 'https://dns.example.com:8443',
      apiKeyFile: join(folder, 'key'),
      authorityFile: join(folder, 'ca.crt'),
      nameserver: '[2001:db8::53]:5353',
      resolver: null,
    });
  });

  it('is simulated by the driver sandbox, and there is none without settings', () => {
    const loaded = load({ driver: 'sandbox' });
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
    const [first, second] = loaded.config.catalogue.locations;
    expect(first?.reverse_dns && nameserverOf(first.reverse_dns)).toBeNull();
    expect(second?.reverse_dns).toBeNull();
  });

  it('is refused without members that its driver needs, and with those of another', () => {
    expect(faultsIn({ driver: 'powerdns' })).toEqual(['/url', '/api_key_file']);
    expect(faultsIn({ driver: 'sandbox', url: 'http://10.0.0.5:8081' })).toEqual(['/url']);
  });

  it.each(['10.0.0.5', '10.0.0.5:5353', '[::1]', '[::1]:53'])('may answer queries at %s', (nameserver) => {
    expect(faultsIn({ ...powerdns, nameserver })).toEqual([]);
  });

  it.each(['dns.example.com', '10.0.0', '10.0.0.256', '::1', '[10.0.0.5]', '10.0.0.5:70000', '10.0.0.5:'])(
    'cannot answer queries at %s',
    (nameserver) => {
      expect(faultsIn({ ...powerdns, nameserver })).toEqual(['/nameserver']);
      expect(faultsIn({ ...powerdns, resolver: nameserver })).toEqual(['/resolver']);
    },
  );

  it('is refused with files that cannot be read or are no certificate', () => {
    expect(faultsIn({ ...powerdns, api_key_file: 'none' })).toEqual(['/api_key_file']);
    expect(faultsIn({ ...powerdns, ca_file: 'key' })).toEqual(['/ca_file']);
    expect(faultsIn({ ...powerdns, url: 'http://10.0.0.5:8081', ca_file: 'ca.crt' })).toEqual(['/ca_file']);
  });
});
