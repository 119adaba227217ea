/** The driver against a real PowerDNS: what it writes is asked for by DNS. */
import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../testing/free-port.ts';
import { startPowerDns, type TestPowerDns, whyNoPowerDns } from '../../../testing/powerdns.ts';
import { refusal } from '../../contract/refusal.ts';
import { EngineUnreachable } from '../../errors.ts';
import { describeDns } from '../contract.ts';
import { reverseNameOf } from '../reverse-name.ts';
import { PowerDns } from './driver.ts';

const reason = whyNoPowerDns();
const IPV4_ZONE = '2.0.192.in-addr.arpa.';
const IPV6_ZONE = '8.b.d.0.1.0.0.2.ip6.arpa.';
const record = { hostname: 'web.example.com', ttlSeconds: 3600 };

describe.skipIf(reason !== null)(`PowerDNS${reason === null ? '' : ` (${reason})`}`, () => {
  let server: TestPowerDns;
  let engine: PowerDns;
  const open = (over: Partial<ConstructorParameters<typeof PowerDns>[0]> = {}) =>
    new PowerDns({
      location: 'fra1',
      url: server.url,
      apiKeyFile: server.keyFile,
      authorityFile: null,
      nameserver: null,
      resolver: null,
      ...over,
    });
  const answers = (address: string): Promise<string[]> => server.ask(reverseNameOf(address));

  beforeAll(async () => {
    server = await startPowerDns();
    for (const name of [IPV4_ZONE, IPV6_ZONE, 'example.com.']) await server.makeZone(name);
    engine = open();
  });
  afterEach(async () => {
    for (const range of ['192.0.2.0/24', '2001:db8::/32'])
      for (const { address } of await engine.observePtrs(range)) await engine.removePtr(address);
  });
  afterAll(async () => {
    await engine?.close();
    await server?.stop();
  });

  describeDns('PowerDNS', async () => {
    const opened = open();
    return { engine: opened, reopen: async () => open(), close: () => opened.close() };
  });

  describe('the nameserver', () => {
    it.each(['192.0.2.10', '2001:db8:0:1::a'])(
      'answers for %s with its name, with the next one, and with none after it was removed',
      async (address) => {
        expect(await answers(address)).toEqual([]);
        await engine.ensurePtr(address, record);
        expect(await answers(address)).toEqual(['web.example.com']);
        await engine.ensurePtr(address, { ...record, hostname: 'mail.example.com' });
        expect(await answers(address)).toEqual(['mail.example.com']);
        await engine.removePtr(address);
        expect(await answers(address)).toEqual([]);
      },
    );

    it('has each name in the smallest zone that holds the address, also if that zone is new', async () => {
      const below = `1.0.0.0.0.0.0.0.${IPV6_ZONE}`;
      await server.makeZone(below);
      const fresh = open();
      await fresh.ensurePtr('2001:db8:0:1::a', record);
      expect(await answers('2001:db8:0:1::a')).toEqual(['web.example.com']);
      const all = await fresh.observePtrs('2001:db8::/32');
      expect(all.map(({ address }) => address)).toEqual(['2001:db8:0:1::a']);
      await server.removeZone(below);
      // The zone that was known has gone: the record goes to the one above.
      await fresh.ensurePtr('2001:db8:0:1::a', record);
      expect(await answers('2001:db8:0:1::a')).toEqual(['web.example.com']);
      await fresh.close();
    });

    it('is found to differ if somebody else changed a record, and is corrected', async () => {
      await engine.ensurePtr('192.0.2.10', record);
      const records = ['one.example.com.', 'two.example.com.'].map((content) => ({
        content,
        disabled: false,
      }));
      const name = reverseNameOf('192.0.2.10');
      const set = { name, type: 'PTR', ttl: 60, changetype: 'REPLACE', records };
      await server.api('PATCH', `/zones/${IPV4_ZONE}`, { rrsets: [set] });
      expect(await engine.observePtr('192.0.2.10')).toEqual({
        address: '192.0.2.10',
        hostnames: expect.arrayContaining(['one.example.com', 'two.example.com']),
        ttlSeconds: 60,
      });
      await engine.ensurePtr('192.0.2.10', record);
      expect(await answers('192.0.2.10')).toEqual(['web.example.com']);
    });
  });

  describe('a look-up', () => {
    it('finds the addresses of a name at the resolver, or none', async () => {
      const rrsets = [
        ['A', '192.0.2.7'],
        ['AAAA', '2001:db8::7'],
      ].map(([type, content]) => ({
        name: 'host.example.com.',
        type,
        ttl: 60,
        changetype: 'REPLACE',
        records: [{ content, disabled: false }],
      }));
      await server.api('PATCH', '/zones/example.com.', { rrsets });
      const asking = open({ resolver: server.nameserver });
      expect(await asking.lookUp('host.example.com')).toEqual(['192.0.2.7', '2001:db8::7']);
      expect(await asking.lookUp('nothing.example.com')).toEqual([]);
      await asking.close();
    });

    it('reports a resolver that does not answer, and ends when it is aborted', async () => {
      const asking = open({ resolver: `127.0.0.1:${await freePort()}` });
      await expect(asking.lookUp('host.example.com')).rejects.toThrow(EngineUnreachable);
      const enough = new Error('enough');
      await expect(asking.lookUp('host.example.com', AbortSignal.abort(enough))).rejects.toBe(enough);
      await asking.close();
    });
  });

  describe('a call', () => {
    it('is refused if no zone holds the address, and no zone is created', async () => {
      expect(await refusal(engine.ensurePtr('198.51.100.1', record))).toBe('not_found');
      expect(await refusal(engine.removePtr('198.51.100.1'))).toBe('not_found');
      expect(await engine.observePtr('198.51.100.1')).toBeNull();
      const zones = (await server.api('GET', '/zones')) as { name: string }[];
      expect(zones.map(({ name }) => name).toSorted()).toEqual([IPV4_ZONE, IPV6_ZONE, 'example.com.']);
    });

    it('is refused if the server does not accept the record', async () => {
      expect(await refusal(engine.ensurePtr('192.0.2.10', { ...record, hostname: 'a..b' }))).toBe(
        'engine_failed',
      );
      expect(await engine.observePtr('192.0.2.10')).toBeNull();
    });

    it('reports the server as unreachable while it is killed, and works again after a restart', async () => {
      await engine.ensurePtr('192.0.2.10', record);
      await server.kill();
      await expect(engine.ensurePtr('192.0.2.11', record)).rejects.toThrow(EngineUnreachable);
      await expect(engine.observePtr('192.0.2.10')).rejects.toThrow(EngineUnreachable);
      await expect(engine.observePtrs('192.0.2.0/24')).rejects.toThrow(EngineUnreachable);
      await server.start();
      expect(await answers('192.0.2.10')).toEqual(['web.example.com']);
      await engine.ensurePtr('192.0.2.11', record);
      expect(await answers('192.0.2.11')).toEqual(['web.example.com']);
    });

    it('uses no connection from before a restart that it did not notice', async () => {
      for (let n = 0; n < 3; n++) {
        await engine.ensurePtr('192.0.2.10', { ...record, hostname: `web${n}.example.com` });
        await server.kill();
        await server.start();
      }
      expect(await answers('192.0.2.10')).toEqual(['web2.example.com']);
    });

    it('gives up if the server keeps the connection open and does not answer', async () => {
      const impatient = open({ limits: { silenceMs: 300, totalMs: 1_000 } });
      await impatient.ensurePtr('192.0.2.10', record);
      server.pause();
      await expect(impatient.ensurePtr('192.0.2.10', record)).rejects.toThrow(EngineUnreachable);
      const abort = new AbortController();
      const waiting = engine.ensurePtr('192.0.2.11', record, abort.signal);
      const enough = new Error('enough');
      abort.abort(enough);
      await expect(waiting).rejects.toBe(enough);
      server.resume();
      await impatient.ensurePtr('192.0.2.10', { ...record, hostname: 'late.example.com' });
      expect(await answers('192.0.2.10')).toEqual(['late.example.com']);
      await impatient.close();
    });

    it('with a wrong key reports the server as unreachable, until the file has the right one', async () => {
      await writeFile(server.keyFile, 'another');
      await expect(engine.ensurePtr('192.0.2.10', record)).rejects.toMatchObject({
        name: 'EngineUnreachable',
        message: 'The nameserver cannot be used at the moment.',
        cause: { status: 401 },
      });
      await writeFile(server.keyFile, `${server.key}\n`);
      await engine.ensurePtr('192.0.2.10', record);
      expect(await answers('192.0.2.10')).toEqual(['web.example.com']);
    });
  });
});
