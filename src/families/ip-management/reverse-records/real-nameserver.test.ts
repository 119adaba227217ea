/** The endpoints with a real PowerDNS, asked with dig: through an end without notice, a slow server and a wrong key. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reverseNameOf } from '../../../engines/dns/reverse-name.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { findProgram } from '../../../testing/incus/programs.ts';
import { startPowerDns, type TestPowerDns, whyNoPowerDns } from '../../../testing/powerdns.ts';
import { makeDue, NamingAccount, runSchedules, warningsOf } from '../../../testing/reverse-names.ts';

const run = promisify(execFile);
const reason = whyNoPowerDns() ?? (findProgram('dig') === undefined ? 'install bind9-dnsutils' : null);

const POOLS = [
  { slug: 'four', location: 'fra1', cidr: '203.0.113.0/26', purpose: 'single' as const },
  { slug: 'six', location: 'fra1', cidr: '2001:db8:100::/48', purpose: 'single' as const },
];
const ZONES = ['113.0.203.in-addr.arpa.', '0.0.1.0.8.b.d.0.1.0.0.2.ip6.arpa.'];
const FORWARD = 'example.com.';

describe.skipIf(reason !== null)(`names at a real nameserver${reason === null ? '' : ` (${reason})`}`, () => {
  let server: TestPowerDns;
  let app: TestApp;
  let mine: NamingAccount;
  beforeAll(async () => {
    server = await startPowerDns();
    for (const zone of [...ZONES, FORWARD]) await server.makeZone(zone);
    const { url, keyFile, nameserver } = server;
    const settings = {
      driver: 'powerdns' as const,
      url,
      api_key_file: keyFile,
      ca_file: null,
      nameserver,
      resolver: nameserver,
    };
    app = await createTestApp({
      provider: (config) => ({
        ...config,
        catalogue: {
          ...config.catalogue,
          address_pools: POOLS,
          locations: config.catalogue.locations.map((location) =>
            location.slug === 'fra1' ? { ...location, reverse_dns: settings } : location,
          ),
        },
      }),
    });
    mine = await NamingAccount.open(app);
  });
  afterAll(async () => {
    await app?.close();
    await server?.stop();
  });

  const [host = '', port = ''] = ['127.0.0.1', ''];
  async function dig(address: string): Promise<string[]> {
    const [at = host, on = port] = server.nameserver.split(':');
    const { stdout } = await run('dig', ['+short', '+tries=4', '+time=5', `@${at}`, '-p', on, '-x', address]);
    return stdout.split('\n').filter((line) => line !== '');
  }
  const defaultOf = (address: string) => `${address.replaceAll('.', '-')}.fra1.ip.demo.example.`;

  const forward = (type: 'A' | 'AAAA', name: string, content: string) =>
    server.api('PATCH', `/zones/${FORWARD}`, {
      rrsets: [{ name, type, ttl: 60, changetype: 'REPLACE', records: [{ content, disabled: false }] }],
    });

  it('IPv4 and IPv6: dig finds the name that a call has set, the next one, and none or the default after null', async () => {
    for (const version of [4, 6] as const) {
      const { text } = await mine.address(version, 0xa);
      expect(await mine.name(text, 'one.example.com')).toMatchObject({ sync_status: 'synced' });
      expect(await dig(text)).toEqual(['one.example.com.']);
      await mine.name(text, 'two.example.com');
      expect(await dig(text)).toEqual(['two.example.com.']);
      await mine.name(text, null);
      expect(await dig(text)).toEqual(version === 4 ? [defaultOf(text)] : []);
    }
  });

  it('a released address answers with no name of its former holder', async () => {
    for (const version of [4, 6] as const) {
      const { id, text } = await mine.address(version, 0xb);
      await mine.name(text, 'mine.example.com');
      await mine.release(id);
      await runSchedules(app, 'names');
      expect(await dig(text)).toEqual(version === 4 ? [defaultOf(text)] : []);
    }
  });

  it('names set while the server is dead, answers too late or refuses the key come out later', async () => {
    const troubles: Record<string, readonly [() => unknown, () => unknown]> = {
      dead: [() => server.kill(), () => server.start()],
      slow: [() => server.pause(), () => server.resume()],
      locked: [() => writeFile(server.keyFile, 'another'), () => writeFile(server.keyFile, server.key)],
    };
    for (const [word, [begin, end]] of Object.entries(troubles))
      for (const version of [4, 6] as const) {
        const { text } = await mine.address(version, 0xc);
        await begin();
        const answer = await mine.put(text, { hostname: `${word}.example.com` });
        expect([word, answer.statusCode]).toEqual([word, version === 4 ? 200 : 201]);
        expect(answer.json()).toMatchObject({ sync_status: 'pending', sync_error: null });
        expect(warningsOf(answer)).toContain('dns_delayed');
        await end();
        await makeDue(app);
        await runSchedules(app, 'names');
        expect([word, await dig(text)]).toEqual([word, [`${word}.example.com.`]]);
        expect(await mine.record(text)).toMatchObject({ sync_status: 'synced' });
      }
  });

  it('what somebody changes at the server is put back, and other records of the zones stay', async () => {
    const [four, six] = [await mine.address(4), await mine.address(6, 0xd)];
    await mine.name(four.text, 'four.example.com');
    await mine.name(six.text, 'six.example.com');
    const change = (zone: string, name: string, changetype: string, content?: string, type = 'PTR') =>
      server.api('PATCH', `/zones/${zone}`, {
        rrsets: [
          {
            name,
            type,
            changetype,
            ...(content === undefined ? {} : { ttl: 60, records: [{ content, disabled: false }] }),
          },
        ],
      });
    const [zone4 = '', zone6 = ''] = ZONES;
    await change(zone4, reverseNameOf(four.text), 'REPLACE', 'else.example.com.');
    await change(zone6, reverseNameOf(six.text), 'DELETE');
    await change(zone4, reverseNameOf('203.0.113.1'), 'REPLACE', 'gateway.example.net.');
    await change(zone6, `text.${zone6}`, 'REPLACE', '"kept"', 'TXT');
    await runSchedules(app, 'name-drift', 'names');
    expect(await dig(four.text)).toEqual(['four.example.com.']);
    expect(await dig(six.text)).toEqual(['six.example.com.']);
    expect(await dig('203.0.113.1')).toEqual(['gateway.example.net.']);
    const zone = (await server.api('GET', `/zones/${zone6}`)) as { rrsets: { name: string }[] };
    expect(zone.rrsets.map(({ name }) => name)).toContain(`text.${zone6}`);
  });

  it('a zone that is missing makes the record fail, nobody creates it, and it recovers when it is there', async () => {
    const { text } = await mine.address(6, 0xe);
    const [, zone6 = ''] = ZONES;
    await server.removeZone(zone6);
    const answer = await mine.put(text, { hostname: 'zone.example.com' });
    expect(answer.json()).toMatchObject({
      sync_status: 'failed',
      sync_error: `The nameserver has no zone for ${text}.`,
    });
    const zones = (await server.api('GET', '/zones')) as { name: string }[];
    expect(zones.map(({ name }) => name)).not.toContain(zone6);
    await server.makeZone(zone6);
    // The driver reads the list of zones again after five seconds at the earliest.
    await expect
      .poll(
        async () => {
          await makeDue(app);
          await runSchedules(app, 'names');
          return dig(text);
        },
        { timeout: 60_000, interval: 500 },
      )
      .toEqual(['zone.example.com.']);
  });

  it('a name is confirmed if it leads back to the address, warned of if not, and looked up again later', async () => {
    for (const version of [4, 6] as const) {
      const { text } = await mine.address(version, 0xf);
      const hostname = `forward${version}.example.com`;
      const answer = await mine.put(text, { hostname });
      expect(answer.json()).toMatchObject({ forward_confirmed: 'no' });
      expect(warningsOf(answer)).toEqual(['forward_mismatch']);
      await forward(version === 4 ? 'A' : 'AAAA', `${hostname}.`, text);
      await app.services.db
        .updateTable('reverse_records')
        .set({ forward_due_at: new Date(0) })
        .where('hostname', '=', hostname)
        .execute();
      await runSchedules(app, 'forward-checks');
      expect(await mine.record(text)).toMatchObject({ forward_confirmed: 'yes' });
      const again = await mine.put(text, { hostname, ttl_seconds: 300 });
      expect([again.json().forward_confirmed, warningsOf(again)]).toEqual(['yes', []]);
    }
  });
});
