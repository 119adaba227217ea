import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfiguration } from '../../configuration.ts';
import { readDefaultText } from '../../provider/default.ts';
import type { Fault } from '../../provider/fault.ts';
import { computeOf } from './settings.ts';

const defaultText = readDefaultText();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hostplane-compute-'));
  for (const name of ['localhost.crt', 'localhost.key'])
    copyFileSync(
      fileURLToPath(new URL(`../../testing/fixtures/${name}`, import.meta.url)),
      join(folder, name),
    );
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Loads the default configuration with `compute` replaced in its first location. */
function load(compute: Record<string, unknown>) {
  const { provider, catalogue } = parse(defaultText) as {
    provider: object;
    catalogue: { locations: object[] };
  };
  const [first, ...rest] = catalogue.locations;
  const file = join(folder, 'hostplane.yaml');
  const locations = [{ ...first, compute }, ...rest];
  writeFileSync(file, JSON.stringify({ provider, catalogue: { ...catalogue, locations } }));
  return loadConfiguration({ file, env: {}, defaultText });
}

function faultsIn(compute: Record<string, unknown>): readonly Fault[] {
  const loaded = load(compute);
  return loaded.ok ? [] : loaded.faults;
}

function readCompute(compute: Record<string, unknown>) {
  const loaded = load(compute);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const given = loaded.config.catalogue.locations[0]?.compute ?? null;
  return given && computeOf(given);
}

const AT = '/catalogue/locations/0/compute';
const unix = { driver: 'incus', url: 'unix:///var/lib/incus/unix.socket', public_network: 'public' };
const https = { driver: 'incus', url: 'https://10.0.0.5:8443', public_network: 'public' };
const pair = { client_certificate: 'localhost.crt', client_key: 'localhost.key' };
const ovn = { networks: 'ovn', ovn_uplink: 'uplink', ovn_northbound: ['ssl:10.0.0.5:6641'] };
const ovnFiles = {
  ovn_certificate: 'localhost.crt',
  ovn_key: 'localhost.key',
  ovn_authority: 'localhost.crt',
};
const plainOvn = { ...ovn, ovn_northbound: ['tcp:10.0.0.5:6641'] };

describe('a location that Incus serves', () => {
  it('needs two lines over a unix socket', () => {
    expect(readCompute(unix)).toEqual({
      driver: 'incus',
      url: 'unix:///var/lib/incus/unix.socket',
      otherUrls: [],
      client: null,
      serverCertificate: null,
      instanceType: 'container',
      storagePool: 'default',
      publicNetwork: 'public',
      ovn: null,
      vpnImage: null,
      bounds: { instances: null, vcpus: null, memory_mb: null, disk_gb: null },
      vcpuOvercommit: 4,
      reservePercent: 5,
    });
  });

  it('over https finds its certificates beside the file', () => {
    const read = readCompute({ ...https, ...pair, server_certificate: 'localhost.crt' });
    expect(read).toMatchObject({
      client: { certificate: join(folder, 'localhost.crt'), key: join(folder, 'localhost.key') },
      serverCertificate: join(folder, 'localhost.crt'),
    });
  });

  it('names the members of a cluster, all reached in the same way', () => {
    const other_urls = ['https://10.0.0.6:8443', 'https://10.0.0.7:8443'];
    expect(readCompute({ ...https, ...pair, other_urls })).toMatchObject({
      url: 'https://10.0.0.5:8443',
      otherUrls: other_urls,
    });
  });

  it('has all other settings under their configured names', () => {
    const given = {
      ...unix,
      instance_type: 'virtual-machine',
      storage_pool: 'fast',
      account_bounds: { instances: 20, memory_mb: 65536 },
      vcpu_overcommit: 1,
      reserve_percent: 0,
    };
    expect(readCompute(given)).toMatchObject({
      instanceType: 'virtual-machine',
      storagePool: 'fast',
      bounds: { instances: 20, vcpus: null, memory_mb: 65536, disk_gb: null },
      vcpuOvercommit: 1,
      reservePercent: 0,
    });
  });
});

describe('private networks on OVN', () => {
  it('need the uplink and the database', () => {
    const given = {
      ...unix,
      ...ovn,
      ovn_northbound: ['unix:/run/ovn/ovnnb_db.sock', 'tcp:[2001:db8::5]:6641'],
    };
    expect(readCompute(given)).toMatchObject({
      ovn: { uplink: 'uplink', northbound: given.ovn_northbound, files: null },
    });
  });

  it('find their certificates beside the file, over TLS', () => {
    expect(readCompute({ ...unix, ...ovn, ...ovnFiles })).toMatchObject({
      ovn: {
        files: {
          certificate: join(folder, 'localhost.crt'),
          key: join(folder, 'localhost.key'),
          authority: join(folder, 'localhost.crt'),
        },
      },
    });
  });
});

describe('the sandbox', () => {
  it('has a configurable speed', () => {
    expect(readCompute({ driver: 'sandbox' })).toEqual({ driver: 'sandbox', pace: 1 });
    expect(readCompute({ driver: 'sandbox', pace: 0 })).toEqual({ driver: 'sandbox', pace: 0 });
  });
});

describe('a fault in the settings of an engine', () => {
  it.each<[string, Record<string, unknown>, string, RegExp, RegExp]>([
    ['an unknown driver', { driver: 'incsu' }, 'driver', /one of sandbox, incus/, /./],
    ['an unknown member', { ...unix, storage_pol: 'x' }, 'storage_pol', /not known/, /mean storage_pool\?/],
    ['a member of the sandbox', { ...unix, pace: 0 }, 'pace', /belongs to the driver sandbox/, /Remove it/],
    [
      'a member of Incus',
      { driver: 'sandbox', storage_pool: 'x' },
      'storage_pool',
      /belongs to the driver incus/,
      /set driver to incus/,
    ],
    ['no url', { driver: 'incus', public_network: 'x' }, 'url', /is missing/, /unix:\/\/\/var/],
    ['no bridge', { ...unix, public_network: null }, 'public_network', /is missing/, /bridge/],
    [
      'a member reached otherwise',
      { ...unix, other_urls: ['unix:///a', 'https://10.0.0.5:8443'] },
      'other_urls/1',
      /same way/,
      /Write it as unix:/,
    ],
    ['plain http', { ...unix, url: 'http://10.0.0.5' }, 'url', /form/, /Write it as unix:/],
    ['a password in the url', { ...https, ...pair, url: 'https://a:b@c' }, 'url', /form/, /Write it as/],
    ['a socket that is no path', { ...unix, url: 'unix:incus.sock' }, 'url', /form/, /Write it as/],
    ['no certificate', { ...https, client_key: 'x' }, 'client_certificate', /is missing/, /openssl req/],
    ['no key', { ...https, client_certificate: 'x' }, 'client_key', /is missing/, /openssl req/],
    [
      'a certificate for a socket',
      { ...unix, ...pair },
      'client_certificate',
      /asks for none|no cert/,
      /https/,
    ],
    [
      'a certificate that is not there',
      { ...https, ...pair, client_certificate: 'nope.crt' },
      'client_certificate',
      /nope\.crt cannot be read/,
      /path/,
    ],
    [
      'a key that is not there',
      { ...https, ...pair, client_key: 'nope.key' },
      'client_key',
      /nope\.key cannot be read/,
      /path/,
    ],
    [
      'a pair that does not fit',
      { ...https, client_certificate: 'localhost.key', client_key: 'localhost.key' },
      'client_certificate',
      /cannot be used together/,
      /PEM/,
    ],
    [
      'a server certificate that is none',
      { ...https, ...pair, server_certificate: 'localhost.key' },
      'server_certificate',
      /holds no certificate/,
      /PEM/,
    ],
    ['an unknown bound', { ...unix, account_bounds: { vms: 3 } }, 'account_bounds/vms', /not known/, /known/],
    ['a bound of none', { ...unix, account_bounds: { vcpus: 0 } }, 'account_bounds/vcpus', /./, /./],
    ['no processors sold', { ...unix, vcpu_overcommit: 0 }, 'vcpu_overcommit', /./, /./],
    ['everything kept back', { ...unix, reserve_percent: 91 }, 'reserve_percent', /./, /./],
    ['another kind of networks', { ...unix, networks: 'vxlan' }, 'networks', /one of bridge, ovn/, /./],
    ['OVN without uplink', { ...unix, ...plainOvn, ovn_uplink: null }, 'ovn_uplink', /is missing/, /uplink/],
    [
      'OVN without database',
      { ...unix, networks: 'ovn', ovn_uplink: 'u' },
      'ovn_northbound',
      /is missing/,
      /ssl:/,
    ],
    ['an uplink for bridges', { ...unix, ovn_uplink: 'u' }, 'ovn_uplink', /no effect/, /networks to ovn/],
    [
      'a database without port',
      { ...unix, ...plainOvn, ovn_northbound: ['tcp:10.0.0.5'] },
      'ovn_northbound/0',
      /form/,
      /ssl:/,
    ],
    ['TLS without key', { ...unix, ...ovn, ...ovnFiles, ovn_key: null }, 'ovn_key', /is missing/, /ovs-pki/],
    ['a key without TLS', { ...unix, ...plainOvn, ovn_key: 'x' }, 'ovn_key', /no effect/, /ssl:/],
    [
      'an authority that is none',
      { ...unix, ...ovn, ...ovnFiles, ovn_authority: 'localhost.key' },
      'ovn_authority',
      /holds no certificate/,
      /PEM/,
    ],
    ['another type of instance', { ...unix, instance_type: 'vm' }, 'instance_type', /virtual-machine/, /./],
  ])('of %s has its path, a sentence and a fix', (_kind, compute, member, message, fix) => {
    const faults = faultsIn(compute);
    const told = faults.filter(({ path }) => path === `${AT}/${member}`);
    expect(told, JSON.stringify(faults)).toHaveLength(1);
    expect(told[0]?.message).toMatch(message);
    expect(told[0]?.fix).toMatch(fix);
    expect(told[0]?.line).toBeGreaterThan(0);
  });

  it('names missing files without the content of others', () => {
    const text = JSON.stringify(
      faultsIn({ ...https, client_certificate: 'localhost.key', client_key: 'localhost.key' }),
    );
    expect(text).not.toMatch(/PRIVATE KEY/);
  });
});
