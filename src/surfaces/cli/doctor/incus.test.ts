import { readFile, writeFile } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { readDefaultText } from '../../../provider/default.ts';
import { runCommand } from '../../../testing/command-line.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import { startDaemon, type TestDaemon } from '../../../testing/incus/daemon.ts';
import { furnish, IMAGE, PUBLIC_NETWORK } from '../../../testing/incus/furnish.ts';
import { runIn } from '../../../testing/incus/namespace.ts';
import { whyNoIncus } from '../../../testing/incus/programs.ts';
import { openHttps, type Relay } from '../../../testing/incus/relay.ts';
import type { Finding } from './check.ts';

const reason = whyNoIncus();
const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../testing/fixtures/${name}`, import.meta.url));
const architecture = arch() === 'arm64' ? 'arm64' : 'amd64';
const { provider, catalogue } = parse(readDefaultText()) as {
  provider: object;
  catalogue: { locations: { slug: string }[]; plans: { architecture: string }[]; images: object[] };
};

let folder: string;
let daemon: TestDaemon;
let relay: Relay;
let serverCertificate: string;

interface Changes {
  readonly compute?: Record<string, unknown>;
  readonly cidr?: string;
  readonly images?: readonly string[];
  readonly architectures?: readonly string[];
}

/** The configuration of the demo provider, with its first location on the Incus daemon of this test. */
function fileWith({ compute, cidr = '192.0.2.0/25', images = [IMAGE], architectures }: Changes): object {
  const [first, ...rest] = catalogue.locations;
  const location = {
    ...first,
    architectures: architectures ?? [architecture],
    compute: { driver: 'incus', url: daemon.url, public_network: PUBLIC_NETWORK, ...compute },
  };
  const os = { family: 'linux', distribution: 'alpine', version: '3.22' };
  const details = { name: 'Small', os, min_disk_gb: 1, min_memory_mb: 32, default_user: 'root' };
  return {
    provider,
    catalogue: {
      ...catalogue,
      custom_plan: null,
      locations: [
        location,
        ...rest.map((each) => ({ ...each, architectures: [architecture], compute: null })),
      ],
      plans: catalogue.plans.map((plan) => ({ ...plan, architecture })),
      images: images.map((slug) => ({ slug, architecture, ...details })),
      address_pools: [
        { slug: 'v4', location: 'fra1', cidr, purpose: 'single' },
        { slug: 'v6', location: 'fra1', cidr: '2001:db8:100::/40', purpose: 'single' },
        { slug: 'other', location: 'fra1', cidr: '198.51.100.0/25', purpose: 'subnet' },
      ],
    },
  };
}

/** The findings of `hostplane admin doctor` for the location, by the name of the check. */
async function examine(changes: Changes = {}): Promise<Record<string, Finding>> {
  await writeFile(join(folder, 'hostplane.yaml'), JSON.stringify(fileWith(changes)));
  const env = { HOSTPLANE_PORT: '0', HOSTPLANE_DATA: join(folder, 'data') };
  const { out } = await runCommand(['doctor', '--json'], { env, folder });
  const { checks } = JSON.parse(out) as { checks: Finding[] };
  expect(checks.filter(({ name, status }) => name === 'Configuration' && status === 'failed')).toEqual([]);
  const here = checks.filter(({ name }) => name.startsWith('fra1 '));
  return Object.fromEntries(here.map((check) => [check.name.slice('fra1 '.length), check]));
}

const failure = (detail: RegExp, fix: RegExp) => ({
  status: 'failed',
  detail: expect.stringMatching(detail),
  fix: expect.stringMatching(fix),
});

/**
 * Every change restarts dnsmasq, and Incus refuses the change when the new process finds the addresses still held
 * by the old one. The change is then made again.
 */
const setNetwork = (config: Record<string, string>, method: 'PATCH' | 'PUT' = 'PATCH') =>
  vi.waitFor(() => daemon.client.run(method, `/1.0/networks/${PUBLIC_NETWORK}`, { body: { config } }), {
    timeout: 120_000,
    interval: 250,
  });

describe.skipIf(reason !== null)(reason === null ? 'doctor on Incus' : `doctor on Incus: ${reason}`, () => {
  beforeAll(async () => {
    folder = await makeTemporaryFolder();
    daemon = await startDaemon();
    await furnish(daemon, { poolSize: '64GiB' });
    relay = await openHttps(daemon);
    const { environment } = await daemon.client.ask<{ environment: { certificate: string } }>('GET', '/1.0');
    serverCertificate = join(folder, 'server.crt');
    await writeFile(serverCertificate, environment.certificate);
  });
  afterAll(async () => {
    await relay.stop();
    await daemon.stop();
    await removeTemporaryFolder(folder);
  });

  it('finds no fault, and leaves nothing behind', async () => {
    const found = await examine();
    const parts = ['engine', 'machines', 'storage', 'room', 'network', 'filtering', 'images'];
    expect(Object.keys(found)).toEqual(parts);
    expect(Object.values(found).filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(found.engine?.detail).toMatch(/^Incus 6/);
    expect(found.storage?.detail).toBe('pool default (btrfs) enforces sizes');
    expect(await daemon.client.ask('GET', '/1.0/instances', { query: { 'all-projects': 'true' } })).toEqual(
      [],
    );
  });

  it('reports a missing storage pool', async () => {
    const { storage } = await examine({ compute: { storage_pool: 'fast' } });
    expect(storage).toMatchObject(failure(/no pool fast/, /incus storage create fast btrfs/));
  });

  it('reports a storage pool that does not enforce sizes', async () => {
    await daemon.client.run('POST', '/1.0/storage-pools', { body: { name: 'plain', driver: 'dir' } });
    const { storage } = await examine({ compute: { storage_pool: 'plain' } });
    expect(storage).toMatchObject(failure(/plain \(dir\) does not enforce sizes/, /storage create .* btrfs/));
    expect(await daemon.client.ask('GET', '/1.0/instances')).toEqual([]);
    expect(await daemon.client.ask<string[]>('GET', '/1.0/images')).toHaveLength(1);
  });

  it('reports too little capacity', async () => {
    await daemon.client.run('POST', '/1.0/storage-pools', {
      body: { name: 'small', driver: 'btrfs', config: { size: '1GiB' } },
    });
    const { storage, room } = await examine({ compute: { storage_pool: 'small' } });
    expect(storage?.status).toBe('ok');
    expect(room).toMatchObject(
      failure(/too little for the smallest plan .*20 GB/, /incus storage info small/),
    );
  });

  it('reports a missing network', async () => {
    const { network } = await examine({ compute: { public_network: 'outside' } });
    const fix =
      /incus network create outside --type=bridge ipv4.address=192\.0\.2\.1\/25 ipv4.nat=false ipv4.dhcp.ranges=192\.0\.2\.1-192\.0\.2\.1 .*dns.mode=none$/;
    expect(network).toMatchObject(failure(/no network outside/, fix));
  });

  it('reports a bridge that the engine does not manage', async () => {
    const { network } = await examine({ compute: { public_network: 'lo' } });
    expect(network).toMatchObject(failure(/not managed/, /public_network.* network create public /));
  });

  it('reports addresses on sale that are not on the bridge', async () => {
    const { network } = await examine({ cidr: '198.51.100.128/25' });
    expect(network).toMatchObject(
      failure(/198\.51\.100\.128\/25 is not within 192\.0\.2\.1\/24/, /ipv4.address=198\.51\.100\.129\/25/),
    );
  });

  it.each([
    [
      'own address not to be sold',
      { 'ipv4.address': '192.0.2.7/24' },
      /holds the address/,
      /192\.0\.2\.1\/25/,
    ],
    [
      'DHCP not to give away what is sold',
      { 'ipv4.dhcp.ranges': '' },
      /DHCP gives addresses of pool 192\.0\.2\.0\/25/,
      /network set public ipv4.dhcp.ranges=192\.0\.2\.1-192\.0\.2\.1$/,
    ],
    [
      'DHCP not to give away the last that is sold',
      { 'ipv4.dhcp.ranges': '192.0.2.1-192.0.2.1,192.0.2.126-192.0.2.130' },
      /DHCP gives addresses of pool/,
      /ipv4.dhcp.ranges/,
    ],
    [
      'machines to have two interfaces',
      { 'dns.mode': '' },
      /none could have two interfaces/,
      /network set public dns.mode=none$/,
    ],
    ['DHCP to be on', { 'ipv4.dhcp': 'false' }, /DHCP is off/, /network set public ipv4.dhcp=true/],
    [
      'IPv6 to be there if it is sold',
      { 'ipv6.address': 'none' },
      /IPv6 is sold/,
      /set public ipv6.address=/,
    ],
    ['prefix not to be sold', { 'ipv6.address': '2001:db8:100::1/64' }, /holds 2001/, /ipv6.address=auto/],
    ['IPv4 to be there', { 'ipv4.address': 'none' }, /no IPv4 subnet/, /set public ipv4.address=192/],
  ])('reports a wrong network setting: %s', async (_what, config, detail, fix) => {
    const { config: before } = await daemon.client.ask<{ config: Record<string, string> }>(
      'GET',
      `/1.0/networks/${PUBLIC_NETWORK}`,
    );
    await setNetwork(config);
    const { network } = await examine();
    await setNetwork(before, 'PUT');
    expect(network).toMatchObject(failure(detail, fix));
  });

  it('reports a host on which machines could use foreign addresses, and starts none', async () => {
    const set = (value: 0 | 1) =>
      runIn(daemon.namespace, 'sysctl', ['-qw', `net.bridge.bridge-nf-call-ip6tables=${value}`]);
    await set(0);
    const { filtering } = await examine();
    await set(1);
    expect(filtering).toMatchObject(
      failure(/No machine can be started: .*netfilter/, /modprobe br_netfilter/),
    );
    expect(await daemon.client.ask('GET', '/1.0/instances')).toEqual([]);
    expect(await daemon.client.ask<string[]>('GET', '/1.0/images')).toHaveLength(1);
  });

  it('accepts DHCP ranges that are not on sale', async () => {
    const given = '192.0.2.0-192.0.2.1,192.0.2.127-192.0.2.254';
    await setNetwork({ 'ipv4.dhcp.ranges': given });
    const { network } = await examine();
    await setNetwork({ 'ipv4.dhcp.ranges': '192.0.2.1-192.0.2.1' });
    expect(network?.status).toBe('ok');
  });

  it('reports missing images', async () => {
    const { images } = await examine({ images: [IMAGE, 'alpine-3.22', 'debian-13'] });
    const fix = new RegExp(
      `incus image copy images:alpine/3.22/cloud/${architecture} local: --alias alpine-3.22`,
    );
    expect(images).toMatchObject(failure(/not there: alpine-3.22, debian-13\.$/, fix));
  });

  it('reports that virtual machines cannot run, and images of the wrong type', async ({ skip }) => {
    const { machines, images, storage } = await examine({ compute: { instance_type: 'virtual-machine' } });
    skip(machines?.status === 'ok', 'this machine has KVM');
    expect(machines).toMatchObject(failure(/cannot run virtual-machines/, /\/dev\/kvm/));
    expect(images).toMatchObject(failure(/busybox is for containers/, / --vm/));
    expect(storage?.status).toBe('ok');
  });

  it('reports architectures on sale that no host has', async () => {
    const { architectures } = await examine({ architectures: ['amd64', 'arm64'] });
    expect(architectures).toMatchObject(
      failure(/Sold: a.+64\. Of the hosts: a.+64/, /Correct architectures/),
    );
  });

  describe('over https', () => {
    const https = () => ({
      url: relay.url,
      client_certificate: fixture('localhost.crt'),
      client_key: fixture('localhost.key'),
      server_certificate: serverCertificate,
    });

    it('refuses an unknown certificate', async () => {
      const { engine } = await examine({ compute: { ...https(), server_certificate: null } });
      expect(engine).toMatchObject(failure(/self-signed/, /openssl s_client .*incus-server.crt/));
      const { engine: other } = await examine({
        compute: { ...https(), server_certificate: fixture('localhost.crt') },
      });
      expect(other).toMatchObject(failure(/certificate/, /server_certificate/));
    });

    it('says how to be trusted, and is then accepted', async () => {
      const { engine, ...rest } = await examine({ compute: https() });
      const fix = /incus config trust add-certificate .*localhost\.crt/;
      expect(engine).toMatchObject(failure(/does not trust our certificate/, fix));
      expect(rest).toEqual({});
    });

    it('reports a certificate that is restricted to some projects', async () => {
      const text = await readFile(fixture('localhost.crt'), 'utf8');
      const certificate = text.replace(/-----[A-Z ]+-----|\n/g, '');
      const body = {
        name: 'hostplane',
        type: 'client',
        certificate,
        restricted: true,
        projects: ['default'],
      };
      await daemon.client.run('POST', '/1.0/certificates', { body });
      expect((await examine({ compute: https() })).engine).toMatchObject(
        failure(/confined to some projects/, /config trust edit [0-9a-f]{12}/),
      );
      const [path = ''] = await daemon.client.ask<string[]>('GET', '/1.0/certificates');
      await daemon.client.run('PATCH', path, { body: { restricted: false } });
      const found = Object.values(await examine({ compute: https() }));
      expect(found.map(({ status }) => status)).toEqual(found.map(() => 'ok'));
    });

    it('reports a port where nobody listens', async () => {
      const { engine } = await examine({ compute: { ...https(), url: 'https://127.0.0.1:1' } });
      expect(engine).toMatchObject(failure(/ECONNREFUSED/, /core.https_address/));
    });
  });

  it('reports a socket that does not exist, or that nobody serves', async () => {
    const { engine } = await examine({ compute: { url: `unix://${folder}/none` } });
    expect(engine).toMatchObject(failure(/ENOENT/, /systemctl start incus/));
    await daemon.kill();
    const { engine: dead } = await examine();
    await daemon.start();
    expect(dead).toMatchObject(failure(/ECONNREFUSED/, /systemctl start incus/));
    expect((await examine()).engine?.status).toBe('ok');
  });
});
