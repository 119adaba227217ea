/** What `doctor` says about a real PowerDNS. */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPowerDns, type TestPowerDns, whyNoPowerDns } from '../../testing/powerdns.ts';
import { examineDns } from './doctor.ts';
import type { DnsSettings } from './settings.ts';

const reason = whyNoPowerDns();

const poolsOf = (cidrs: readonly string[]) =>
  cidrs.map((cidr) => ({ slug: cidr, location: 'fra1', cidr, purpose: 'single' as const }));

describe.skipIf(reason !== null)(`the doctor and PowerDNS${reason === null ? '' : ` (${reason})`}`, () => {
  let server: TestPowerDns;
  beforeAll(async () => {
    server = await startPowerDns();
  });
  afterAll(() => server?.stop());

  const examine = async (cidrs: readonly string[], over: Partial<DnsSettings> = {}) => {
    const { url, keyFile: api_key_file, nameserver } = server;
    const settings: DnsSettings = {
      driver: 'powerdns',
      url,
      api_key_file,
      ca_file: null,
      nameserver,
      resolver: null,
      ...over,
    };
    const found = await examineDns(settings, { slug: 'fra1' }, { address_pools: poolsOf(cidrs) });
    expect(found.map(({ name }) => name)).toEqual(['reverse DNS of fra1']);
    return found[0];
  };

  it('names the zones that are missing for the pools, and how to create the first', async () => {
    expect(await examine(['203.0.112.0/23', '2001:db8:100::/40'])).toMatchObject({
      detail: 'the server has no zone 112.0.203.in-addr.arpa and 2 more: addresses there get no names',
      fix: expect.stringContaining('pdnsutil create-zone 112.0.203.in-addr.arpa '),
    });
    await server.makeZone('112.0.203.in-addr.arpa.');
    await server.makeZone('8.b.d.0.1.0.0.2.ip6.arpa.');
    expect((await examine(['203.0.112.0/23', '2001:db8:100::/40']))?.detail).toBe(
      'the server has no zone 113.0.203.in-addr.arpa: addresses there get no names',
    );
    await server.makeZone('113.0.203.in-addr.arpa.');
    const good = await examine(['203.0.112.0/23', '2001:db8:100::/40']);
    expect(good).toEqual({
      name: 'reverse DNS of fra1',
      detail: 'the 3 zones for the address pools exist and can be written',
    });
  });

  it('leaves no record in the zones that it tried', async () => {
    await server.makeZone('2.0.192.in-addr.arpa.');
    expect(await examine(['192.0.2.64/26'])).not.toHaveProperty('fix');
    const zone = (await server.api('GET', '/zones/2.0.192.in-addr.arpa.')) as { rrsets: { type: string }[] };
    expect(zone.rrsets.map(({ type }) => type).toSorted()).toEqual(['NS', 'SOA']);
  });

  it('reports a zone that is only a copy of that of another server', async () => {
    await server.makeZone('51.198.in-addr.arpa.', 'Slave');
    expect(await examine(['198.51.100.0/24'])).toMatchObject({
      detail: expect.stringContaining('only a copy of the zone 51.198.in-addr.arpa'),
      fix: expect.stringContaining('has the zone itself'),
    });
  });

  it('reports a nameserver that does not serve the zones', async () => {
    await server.makeZone('0.10.in-addr.arpa.');
    expect(await examine(['10.0.0.0/16'], { nameserver: '127.0.0.1:9' })).toMatchObject({
      fix: expect.stringContaining('Correct nameserver'),
    });
    expect(await examine(['10.0.0.0/16'], { nameserver: null })).not.toHaveProperty('fix');
  });

  it('says what to do about a wrong key, a wrong address, and a server that is no PowerDNS', async () => {
    await writeFile(server.keyFile, 'another');
    expect(await examine([])).toMatchObject({ fix: expect.stringContaining(server.keyFile) });
    await writeFile(server.keyFile, server.key);
    expect(await examine([], { url: 'http://127.0.0.1:9' })).toMatchObject({
      fix: expect.stringContaining('answers at http://127.0.0.1:9'),
    });
    expect(await examine([])).not.toHaveProperty('fix');
  });
});

it('the sandbox needs no doctor', async () => {
  const settings = {
    driver: 'sandbox',
    url: null,
    api_key_file: null,
    ca_file: null,
    nameserver: null,
    resolver: null,
  } as const;
  expect(await examineDns(settings, { slug: 'fra1' }, { address_pools: [] })).toEqual([]);
});
