/** The contract of the DNS port. Every driver passes these tests. */
import { expect, it } from 'vitest';
import { describePort, type Harness, type Lab, type Use } from '../contract/suite.ts';
import type { ReverseDns } from './port.ts';

/** The addresses of the suite are in 192.0.2.0/24 and 2001:db8::/32. */
class DnsLab implements Lab<ReverseDns> {
  readonly harness: Harness<ReverseDns>;

  constructor(harness: Harness<ReverseDns>) {
    this.harness = harness;
  }

  async clear(): Promise<void> {
    const { engine } = this.harness;
    for (const range of ['192.0.2.0/24', '2001:db8::/32'])
      for (const { address } of await engine.observePtrs(range)) await engine.removePtr(address);
  }
}

const record = { hostname: 'web.example.com', ttlSeconds: 3600 };
const seen = (address: string, hostname = record.hostname, ttlSeconds = record.ttlSeconds) => ({
  address,
  hostnames: [hostname],
  ttlSeconds,
});

function describeNames({ lab }: Use<DnsLab, never>): void {
  const engine = (): ReverseDns => lab().harness.engine;

  it.each(['192.0.2.10', '192.0.2.0', '2001:db8::1', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'])(
    '%s has the name that it was given last, also in another process, until it is removed',
    async (address) => {
      expect(await engine().observePtr(address)).toBeNull();
      await engine().ensurePtr(address, { hostname: 'old.example.com', ttlSeconds: 300 });
      await engine().ensurePtr(address, record);
      const other = await lab().harness.reopen();
      for (const each of [engine(), other]) expect(await each.observePtr(address)).toEqual(seen(address));
      await other.close();
      await engine().removePtr(address);
      expect(await engine().observePtr(address)).toBeNull();
    },
  );

  it('a change that is made again changes nothing', async () => {
    for (const _ of [1, 2]) await engine().ensurePtr('192.0.2.10', record);
    expect(await engine().observePtr('192.0.2.10')).toEqual(seen('192.0.2.10'));
    for (const _ of [1, 2]) await engine().removePtr('192.0.2.10');
    expect(await engine().observePtr('192.0.2.10')).toBeNull();
  });

  it('lists the names of a range and no others', async () => {
    for (const address of [
      '192.0.2.3',
      '192.0.2.4',
      '192.0.2.7',
      '192.0.2.8',
      '2001:db8::1',
      '2001:db8:1::1',
    ])
      await engine().ensurePtr(address, record);
    const inRange = async (range: string) =>
      (await engine().observePtrs(range)).toSorted((a, b) => (a.address < b.address ? -1 : 1));
    expect(await inRange('192.0.2.4/30')).toEqual([seen('192.0.2.4'), seen('192.0.2.7')]);
    expect(await inRange('2001:db8::/64')).toEqual([seen('2001:db8::1')]);
    expect(await inRange('2001:db8::/32')).toEqual([seen('2001:db8:1::1'), seen('2001:db8::1')]);
    expect(await inRange('198.51.100.0/24')).toEqual([]);
  });

  it('does not begin a call whose signal is aborted', async () => {
    const reason = new Error('enough');
    const aborted = AbortSignal.abort(reason);
    await expect(engine().ensurePtr('192.0.2.10', record, aborted)).rejects.toBe(reason);
    expect(await engine().observePtr('192.0.2.10')).toBeNull();
  });
}

export function describeDns(driver: string, open: () => Promise<Harness<ReverseDns>>): void {
  describePort(`the DNS port on ${driver}`, {}, async () => new DnsLab(await open()), [describeNames]);
}
