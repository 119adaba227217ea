import { describe, expect, it } from 'vitest';
import { describeEngines } from '../../../testing/incus/engines.ts';
import { runIn } from '../../../testing/incus/namespace.ts';
import { probeOf } from '../../../testing/incus/probe.ts';
import { refusal } from '../../contract/refusal.ts';
import type { Nic, Ref } from '../instance.ts';
import type { NetworkSpec } from '../network.ts';

const range = (n: number): Pick<NetworkSpec, 'ipv4Cidr' | 'ipv4Gateway'> => ({
  ipv4Cidr: `10.${n}.0.0/24`,
  ipv4Gateway: `10.${n}.0.1`,
});

const SOON = { timeout: 120_000 };

describeEngines((bench) => {
  const answers = (address: string): Promise<boolean> =>
    runIn(bench.harness.daemon.namespace, 'busybox', ['ping', '-c1', '-W1', address]).then(
      () => true,
      () => false,
    );

  const { succeeds, reaches, hasAddress, gives } = probeOf(() => bench.harness);

  async function runningWith(nic: Partial<Nic>, index = 0): Promise<{ ref: Ref; nic: Nic }> {
    const whole = bench.lab.nic({ index, ...nic });
    const ref = await bench.lab.running({ nics: [whole] });
    await expect.poll(() => hasAddress(ref, whole.ipv4 ?? ''), SOON).toBe(true);
    return { ref, nic: whole };
  }

  describe('an address', () => {
    it('answers, and so do aliases and prefixes that are routed to it', async () => {
      const aliases = ['192.0.2.201', '198.51.100.16/28', '2001:db8:77::/64'];
      const { ref, nic } = await runningWith({ aliases, ipv6: '2001:db8:77::1' });
      expect(await answers(nic.ipv4 ?? '')).toBe(true);
      const others = ['192.0.2.201', '198.51.100.17', '2001:db8:77::1'];
      for (const address of others)
        await succeeds(ref, `ip addr add ${address}/${address.includes(':') ? 128 : 32} dev eth0`);
      for (const address of others) await expect.poll(() => answers(address), SOON).toBe(true);
      for (const address of others.slice(0, 2))
        expect(await reaches(ref, '192.0.2.1', address), address).toBe(true);
    });

    it('that the machine does not have is blocked as a source, unless anti-spoofing is off', async () => {
      const { ref, nic } = await runningWith({});
      await succeeds(ref, 'ip addr add 192.0.2.202/32 dev eth0');
      expect(await reaches(ref, '192.0.2.1')).toBe(true);
      expect(await reaches(ref, '192.0.2.1', '192.0.2.202')).toBe(false);
      await bench.harness.engine.ensureNic(ref, { ...nic, antiSpoofing: false });
      await expect.poll(() => reaches(ref, '192.0.2.1', '192.0.2.202'), SOON).toBe(true);
      await bench.harness.engine.ensureNic(ref, nic);
      expect(await reaches(ref, '192.0.2.1', '192.0.2.202')).toBe(false);
    });

    it('on an interface that has no address is blocked', async () => {
      const nic = bench.lab.nic({ ipv4: null });
      const ref = await bench.lab.running({ nics: [nic] });
      await succeeds(ref, 'ip link set eth0 up; ip addr add 192.0.2.203/24 dev eth0');
      expect(await reaches(ref, '192.0.2.1')).toBe(false);
    });

    it('of a family that the interface does not have is blocked, and every machine starts after the engine was killed', async () => {
      const nics = [
        bench.lab.nic(),
        bench.lab.nic({ ipv4: null, ipv6: '2001:db8:1::77' }),
        bench.lab.nic({ ipv4: null }),
      ];
      const refs = await Promise.all(nics.map((nic) => bench.lab.stopped({ nics: [nic] })));
      await bench.harness.daemon.kill();
      await bench.harness.daemon.start();
      for (const ref of refs) await bench.harness.engine.ensureRunning(ref);
      const [one, other] = refs as [Ref, Ref];
      await expect.poll(() => hasAddress(one, nics[0]?.ipv4 ?? ''), SOON).toBe(true);
      await gives(one, 'eth0', ['2001:db8:1::78/64']);
      await succeeds(other, 'ip addr add 192.0.2.205/24 dev eth0');
      expect(await reaches(one, '192.0.2.1')).toBe(true);
      expect(await reaches(one, '2001:db8:1::1', '2001:db8:1::78')).toBe(false);
      await expect.poll(() => reaches(other, '2001:db8:1::1'), SOON).toBe(true);
      expect(await reaches(other, '192.0.2.1')).toBe(false);
      // Nothing but the filter was in the way.
      await bench.harness.engine.ensureNic(one, { ...nics[0]!, antiSpoofing: false });
      await expect.poll(() => reaches(one, '2001:db8:1::1', '2001:db8:1::78'), SOON).toBe(true);
    });

    it('can be added and removed while the machine runs, without removing the interface', async () => {
      const { ref, nic } = await runningWith({});
      await succeeds(
        ref,
        'cat /sys/class/net/eth0/ifindex > /root/index; ip addr add 192.0.2.204/32 dev eth0',
      );
      expect(await answers('192.0.2.204')).toBe(false);
      await bench.harness.engine.ensureNic(ref, { ...nic, aliases: ['192.0.2.204'] });
      expect(await answers('192.0.2.204')).toBe(true);
      await bench.harness.engine.ensureNic(ref, nic);
      expect(await answers('192.0.2.204')).toBe(false);
      expect(await succeeds(ref, 'cmp -s /sys/class/net/eth0/ifindex /root/index')).toBe(true);
      expect(await answers(nic.ipv4 ?? '')).toBe(true);
    });

    it('outside of the range of the public network is refused with the reason', async () => {
      const ref = await bench.lab.stopped();
      const far = bench.harness.engine.ensureNic(ref, bench.lab.nic({ ipv4: '198.51.100.1' }));
      await expect(far).rejects.toMatchObject({
        code: 'engine_failed',
        message: expect.stringContaining('198.51.100.1'),
      });
      expect((await bench.lab.seen(ref)).nics).toEqual([]);
    });
  });

  describe('a private network', () => {
    it('connects its machines and keeps all others out', async () => {
      const inside = await bench.lab.network(range(30));
      const elsewhere = await bench.lab.network(range(31));
      const [one, two, other, outside] = await Promise.all([
        runningWith({ network: inside.id, ipv4: '10.30.0.10' }),
        runningWith({ network: inside.id, ipv4: '10.30.0.11' }),
        runningWith({ network: elsewhere.id, ipv4: '10.31.0.10' }),
        runningWith({}),
      ]);
      expect(await reaches(one.ref, '10.30.0.11')).toBe(true);
      expect(await reaches(two.ref, '10.30.0.10')).toBe(true);
      expect(await reaches(other.ref, '10.30.0.10')).toBe(false);
      expect(await reaches(outside.ref, '10.30.0.10')).toBe(false);
      // Outbound traffic through the gateway.
      expect(await reaches(one.ref, outside.nic.ipv4 ?? '')).toBe(true);
    });

    it('without NAT has no access to the outside', async () => {
      const net = await bench.lab.network({ ...range(32), nat: { ipv4: false, ipv6: false } });
      const outside = await runningWith({});
      const { ref } = await runningWith({ network: net.id, ipv4: '10.32.0.10' });
      await succeeds(ref, 'ip route add default via 10.32.0.1');
      expect(await reaches(ref, '10.32.0.1')).toBe(true);
      expect(await reaches(ref, outside.nic.ipv4 ?? '')).toBe(false);
      await bench.harness.engine.ensureNetwork(net, bench.lab.networkSpec(range(32)));
      expect(await reaches(ref, outside.nic.ipv4 ?? '')).toBe(true);
    });

    it('announces its name servers and MTU to its machines', async () => {
      const dns = { servers: ['192.0.2.53'], domain: 'internal.example' };
      const net = await bench.lab.network({
        ...range(33),
        dns,
        mtu: 1400,
        ipv6Cidr: 'fd12:3456:789a:1::/64',
      });
      const { ref } = await runningWith({
        network: net.id,
        ipv4: '10.33.0.10',
        ipv6: 'fd12:3456:789a:1::10',
      });
      expect(await succeeds(ref, 'grep -q 192.0.2.53 /etc/resolv.conf')).toBe(true);
      expect(await succeeds(ref, 'grep -q 1400 /sys/class/net/eth0/mtu')).toBe(true);
    });

    it('cannot use the addresses of another network, also of another account', async () => {
      await bench.lab.network({ ipv4Cidr: '10.34.0.0/16', ipv4Gateway: '10.34.0.1' });
      const ref = { account: 'acc_stranger', id: 'net_stranger' };
      const within = bench.lab.networkSpec({ ipv4Cidr: '10.34.7.0/24', ipv4Gateway: '10.34.7.1' });
      expect(await refusal(bench.harness.engine.ensureNetwork(ref, within))).toBe('address_taken');
      expect(await bench.harness.engine.observeNetwork(ref)).toBeNull();
    });

    it('refuses routes that cannot be announced to machines', async () => {
      const routes = [{ destination: '2001:db8:99::/48', nextHop: 'fd12:3456:789a:1::9' }];
      const spec = bench.lab.networkSpec({ ...range(35), ipv6Cidr: 'fd12:3456:789a:1::/64', routes });
      expect(await refusal(bench.harness.engine.ensureNetwork(bench.lab.ref('net'), spec))).toBe(
        'capability_missing',
      );
    });
  });
});
