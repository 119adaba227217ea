/** Packets between real machines in private networks of OVN. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useTestDatabase } from '../../../../testing/database.ts';
import { ip, runIn } from '../../../../testing/incus/namespace.ts';
import { INTERNET, INTERNET6 } from '../../../../testing/incus/ovn.ts';
import { type OvnHarness, openOvn } from '../../../../testing/incus/ovn-harness.ts';
import { probeOf } from '../../../../testing/incus/probe.ts';
import { whyNoOvn } from '../../../../testing/incus/programs.ts';
import { Lab } from '../../contract/lab.ts';
import type { Nic, Ref } from '../../instance.ts';
import { networkNameOf } from '../names.ts';
import { setOf } from './northbound.ts';

const reason = whyNoOvn();
const SOON = { timeout: 120_000 };
const V6 = 'fd12:3456:789a:1::/64';

describe.skipIf(reason !== null)(`packets on OVN${reason === null ? '' : `: ${reason}`}`, () => {
  const database = useTestDatabase();
  let harness: OvnHarness;
  let lab: Lab;
  let stranger: Lab;
  beforeAll(async () => {
    harness = await openOvn(database.db);
    lab = new Lab(harness);
    stranger = new Lab(harness);
  });
  afterEach(async () => {
    await lab.clear();
    await stranger.clear();
  });
  afterAll(() => harness?.close());

  const { succeeds, reaches, hasAddress, gives } = probeOf(() => harness);

  async function runningIn(net: Ref, ipv4: string, given: Partial<Nic> = {}, whose = lab) {
    const nic = whose.nic({ network: net.id, ipv4, ...given });
    const ref = await whose.running({ nics: [nic] });
    await expect.poll(() => hasAddress(ref, ipv4), SOON).toBe(true);
    return { ref, nic };
  }

  /** Whether the address answers to the internet, where a route leads to the router of the network. */
  async function answersOutside(net: Ref, address: string, range: string): Promise<boolean> {
    const path = `/1.0/networks/${networkNameOf(net, 'ovn')}`;
    const { config } = await harness.daemon.client.ask<{ config: Record<string, string> }>('GET', path);
    const { namespace } = harness.fabric;
    await ip(
      '-n',
      namespace.name,
      'route',
      'replace',
      range,
      'via',
      config['volatile.network.ipv4.address'] ?? '',
    );
    return runIn(namespace, 'busybox', ['ping', '-c1', '-W1', address]).then(
      () => true,
      () => false,
    );
  }

  it('stay in their account if two accounts use the same addresses, and reach the internet', async () => {
    const [ours, theirs] = [await lab.network(), await stranger.network()];
    const [one, two, other, far] = await Promise.all([
      runningIn(ours, '10.20.0.10'),
      runningIn(ours, '10.20.0.11'),
      runningIn(theirs, '10.20.0.10', {}, stranger),
      runningIn(theirs, '10.20.0.12', {}, stranger),
    ]);
    await expect.poll(() => reaches(one.ref, '10.20.0.11'), SOON).toBe(true);
    await expect.poll(() => reaches(other.ref, '10.20.0.12'), SOON).toBe(true);
    expect(await reaches(one.ref, '10.20.0.12')).toBe(false);
    expect(await reaches(far.ref, '10.20.0.11')).toBe(false);
    for (const { ref } of [two, far]) await expect.poll(() => reaches(ref, INTERNET), SOON).toBe(true);
    expect(await answersOutside(ours, '10.20.0.11', '10.20.0.0/24')).toBe(false);
    expect(await answersOutside(theirs, '10.20.0.12', '10.20.0.0/24')).toBe(false);
    // Each network has its own rules.
    for (const { ref } of [two, far]) {
      await gives(ref, 'eth0', ['10.20.0.77']);
      expect(await reaches(ref, '10.20.0.1', '10.20.0.77')).toBe(false);
    }
    // A public interface is on a bridge, beside the networks of OVN.
    const outside = await lab.running({ nics: [lab.nic()] });
    expect(await reaches(outside, '10.20.0.11')).toBe(false);
  });

  it('with a foreign source address are dropped, from the first packet on', async () => {
    const net = await lab.network({ ipv6Cidr: V6 });
    const { ref, nic } = await runningIn(net, '10.20.0.10', { ipv6: 'fd12:3456:789a:1::10' });
    const foreign = ['10.20.0.77', 'fd12:3456:789a:1::77'] as const;
    await gives(ref, 'eth0', foreign);
    expect(await reaches(ref, '10.20.0.1', foreign[0])).toBe(false);
    expect(await reaches(ref, 'fd12:3456:789a:1::1', foreign[1])).toBe(false);
    await expect.poll(() => reaches(ref, '10.20.0.1'), SOON).toBe(true);
    await expect.poll(() => reaches(ref, 'fd12:3456:789a:1::1', 'fd12:3456:789a:1::10'), SOON).toBe(true);
    // Addresses and the filter change without unplugging anything.
    await succeeds(ref, 'cat /sys/class/net/eth0/ifindex > /root/index');
    await harness.engine.ensureNic(ref, { ...nic, aliases: foreign });
    await expect.poll(() => reaches(ref, '10.20.0.1', foreign[0]), SOON).toBe(true);
    await expect.poll(() => reaches(ref, 'fd12:3456:789a:1::1', foreign[1]), SOON).toBe(true);
    await harness.engine.ensureNic(ref, nic);
    await expect.poll(() => reaches(ref, '10.20.0.1', foreign[0]), SOON).toBe(false);
    await harness.engine.ensureNic(ref, { ...nic, antiSpoofing: false });
    await expect.poll(() => reaches(ref, '10.20.0.1', foreign[0]), SOON).toBe(true);
    await harness.engine.ensureNic(ref, nic);
    expect(await succeeds(ref, 'cmp -s /sys/class/net/eth0/ifindex /root/index')).toBe(true);
  });

  it('with a foreign MAC address are dropped, unless anti-spoofing is off', async () => {
    const net = await lab.network();
    const alias = '10.20.0.12';
    const [{ ref, nic }, two] = await Promise.all([
      runningIn(net, '10.20.0.10', { antiSpoofing: false }),
      runningIn(net, '10.20.0.11', { aliases: [alias] }),
    ]);
    // OVN itself answers for the addresses that it knows, so the question for an alias goes to all machines.
    await gives(two.ref, 'eth0', [alias]);
    const asks = async (mac: string): Promise<boolean> => {
      const become = `ip link set eth0 down; ip link set eth0 address ${mac}; ip link set eth0 up`;
      await succeeds(ref, `${become}; arping -c2 -w2 -I eth0 ${alias}`);
      return succeeds(two.ref, `ip neigh | grep -q ${mac}`);
    };
    await expect.poll(() => asks('02:00:00:00:99:01'), SOON).toBe(true);
    await harness.engine.ensureNic(ref, { ...nic, antiSpoofing: true });
    const last = (serial: number): string => `02:00:00:00:99:${serial}`;
    let serial = 10;
    await expect.poll(() => asks(last(serial++)), SOON).toBe(false);
    await expect.poll(() => asks(nic.mac), SOON).toBe(true);
  });

  it('with a foreign source address are dropped after a restart outside Hostplane', async () => {
    const net = await lab.network();
    const { ref, nic } = await runningIn(net, '10.20.0.10');
    const port = async () => {
      const { site } = harness.engine;
      const rows = await site.northbound?.find('Logical_Switch_Port', [], ['name', 'port_security']);
      return rows?.find(({ name }) => String(name).endsWith(nic.id));
    };
    const before = await port();
    expect(before?.port_security).toBe(`${nic.mac} 10.20.0.10`);
    const stop = harness.engine.watch(() => undefined);
    try {
      await harness.execInside(ref, ['reboot']);
      await expect
        .poll(async () => JSON.stringify((await port())?._uuid ?? before?._uuid), SOON)
        .not.toBe(JSON.stringify(before?._uuid));
      await expect.poll(() => hasAddress(ref, '10.20.0.10').catch(() => false), SOON).toBe(true);
      await gives(ref, 'eth0', ['10.20.0.77']);
      expect(await reaches(ref, '10.20.0.1', '10.20.0.77')).toBe(false);
      await expect.poll(() => reaches(ref, '10.20.0.1'), SOON).toBe(true);
      await expect.poll(async () => (await port())?.port_security, SOON).toBe(`${nic.mac} 10.20.0.10`);
    } finally {
      stop();
    }
    // The rule alone is enough: neither waits for anything that has to notice the start.
    await harness.engine.site.northbound?.change([
      {
        op: 'update',
        table: 'Logical_Switch_Port',
        where: [['name', '==', (await port())?.name]],
        row: { port_security: setOf([]) },
      },
    ]);
    await harness.engine.site.northbound?.settle();
    expect(await reaches(ref, '10.20.0.1', '10.20.0.77')).toBe(false);
  });

  it('leave a network only where it has NAT', async () => {
    const spec = lab.networkSpec({ ipv6Cidr: V6, nat: { ipv4: false, ipv6: false } });
    const net = await lab.network(spec);
    const { ref } = await runningIn(net, '10.20.0.10', { ipv6: 'fd12:3456:789a:1::10' });
    await succeeds(
      ref,
      'ip route add default via 10.20.0.1; ip -6 route add default via fd12:3456:789a:1::1',
    );
    await expect.poll(() => reaches(ref, '10.20.0.1'), SOON).toBe(true);
    expect(await reaches(ref, INTERNET)).toBe(false);
    expect(await reaches(ref, INTERNET6)).toBe(false);
    await harness.engine.ensureNetwork(net, { ...spec, nat: { ipv4: true, ipv6: true } });
    await expect.poll(() => reaches(ref, INTERNET), SOON).toBe(true);
    await expect.poll(() => reaches(ref, INTERNET6), SOON).toBe(true);
    await harness.engine.ensureNetwork(net, { ...spec, nat: { ipv4: false, ipv6: true } });
    await expect.poll(() => reaches(ref, INTERNET), SOON).toBe(false);
    await expect.poll(() => reaches(ref, INTERNET6), SOON).toBe(true);
  });

  it('follow the IPv4 and IPv6 routes of the network, also after the engine has changed the network', async () => {
    const routes = [
      { destination: '10.99.0.0/16', nextHop: '10.20.0.9' },
      { destination: '2001:db8:99::/48', nextHop: 'fd12:3456:789a:1::9' },
    ];
    const net = await lab.network({ ipv6Cidr: V6, routes });
    const [gateway, { ref }] = await Promise.all([
      runningIn(net, '10.20.0.9', { ipv6: 'fd12:3456:789a:1::9', antiSpoofing: false }),
      runningIn(net, '10.20.0.10', { ipv6: 'fd12:3456:789a:1::10' }),
    ]);
    await gives(gateway.ref, 'lo', ['10.99.0.5', '2001:db8:99::5']);
    expect(await succeeds(ref, "ip route | grep -q '10.99.0.0/16 via 10.20.0.9'")).toBe(true);
    await expect.poll(() => reaches(ref, '10.99.0.5'), SOON).toBe(true);
    // The router has the routes too.
    await succeeds(ref, 'ip route del 10.99.0.0/16');
    await expect.poll(() => reaches(ref, '10.99.0.5'), SOON).toBe(true);
    await expect.poll(() => reaches(ref, '2001:db8:99::5'), SOON).toBe(true);
    const path = `/1.0/networks/${networkNameOf(net, 'ovn')}`;
    await harness.daemon.client.run('PATCH', path, { body: { config: { 'dns.search': 'example.org' } } });
    await expect.poll(() => reaches(ref, '10.99.0.5'), SOON).toBe(true);
    await expect.poll(() => reaches(ref, '2001:db8:99::5'), SOON).toBe(true);
    await harness.engine.ensureNetwork(net, lab.networkSpec({ ipv6Cidr: V6 }));
    await expect.poll(() => reaches(ref, '10.99.0.5'), SOON).toBe(false);
  });

  it('have the MTU of the network, and machines get its name servers', async () => {
    const dns = { servers: ['192.0.2.53'], domain: 'internal.example' };
    const net = await lab.network({ dns });
    const { ref } = await runningIn(net, '10.20.0.10');
    expect(await succeeds(ref, 'grep -q 192.0.2.53 /etc/resolv.conf')).toBe(true);
    expect(await succeeds(ref, 'grep -q 1442 /sys/class/net/eth0/mtu')).toBe(true);
    const name = ref.id.replace('_', '-');
    expect(await succeeds(ref, `nslookup ${name}.internal.example | grep -q 10.20.0.10`)).toBe(true);
  });

  it('cannot have addresses of the uplink, because such a network is refused', async () => {
    const inside = harness.engine.ensureNetwork(
      lab.ref('net'),
      lab.networkSpec({ ipv4Cidr: '198.18.0.0/25', ipv4Gateway: '198.18.0.1' }),
    );
    await expect(inside).rejects.toMatchObject({ code: 'address_taken' });
  });

  it('leave nothing in OVN after their network is removed', async () => {
    const rules = () => harness.engine.site.northbound?.find('ACL', [], ['external_ids']);
    const net = await lab.network();
    const vm = await lab.running({ nics: [lab.nic({ network: net.id, ipv4: '10.20.0.10' })] });
    const ours = async () =>
      (await rules())?.filter((row) => JSON.stringify(row).includes('hostplane-group')).length;
    expect(await ours()).toBe(5);
    await harness.engine.removeInstance(vm);
    expect(await ours()).toBe(2);
    await harness.engine.removeNetwork(net);
    expect(await ours()).toBe(0);
    expect(await harness.engine.site.northbound?.find('Port_Group', [['name', '!=', '']], ['name'])).toEqual(
      [],
    );
  });
});
