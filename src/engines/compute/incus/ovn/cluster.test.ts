/** One private network on the members of a cluster, whose switches are connected by tunnels. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callableRanges } from '../../../../kernel/net/callable-ranges.ts';
import { newKeyPair, publicKeyOf } from '../../../../kernel/secrets/wireguard-keys.ts';
import { useTestDatabase } from '../../../../testing/database.ts';
import type { TestMember } from '../../../../testing/incus/cluster.ts';
import { runIn } from '../../../../testing/incus/namespace.ts';
import { INTERNET } from '../../../../testing/incus/ovn.ts';
import { type OvnClusterHarness, openOvnCluster } from '../../../../testing/incus/ovn-harness.ts';
import { probeOf } from '../../../../testing/incus/probe.ts';
import { whyNoOvn, whyNoVpn } from '../../../../testing/incus/programs.ts';
import { firewallSpec, memberOf, pingRule } from '../../contract/firewalls.ts';
import { Lab } from '../../contract/lab.ts';
import type { Nic, Ref } from '../../instance.ts';

const reason = whyNoOvn();
const vpn = whyNoVpn() === null;
const SOON = { timeout: 120_000 };
const MEMBERS = 3;

describe.skipIf(reason !== null)(`a cluster on OVN${reason === null ? '' : `: ${reason}`}`, () => {
  const database = useTestDatabase();
  let harness: OvnClusterHarness;
  let lab: Lab;
  beforeAll(async () => {
    harness = await openOvnCluster(database.db, MEMBERS, { vpn });
    lab = new Lab(harness);
  });
  afterAll(async () => {
    await lab?.clear();
    await harness?.close();
  });

  /** The member that the probes are sent through. */
  let asked: TestMember | undefined;
  const { succeeds, reaches, hasAddress } = probeOf(() => ({ daemon: asked ?? harness.daemon }));

  let net: Ref;
  /** The machines of all tests, one on each member. */
  let machines: readonly { readonly ref: Ref; readonly nic: Nic; readonly address: string }[];
  type Machine = (typeof machines)[number];
  const start = async ({ ref, address }: Pick<Machine, 'ref' | 'address'>): Promise<void> => {
    await harness.engine.ensureRunning(ref);
    await expect.poll(() => hasAddress(ref, address), SOON).toBe(true);
  };
  const hostOf = async ({ ref }: Machine): Promise<string | null> => (await lab.seen(ref)).host;
  const joined = (from: Machine, to: Machine) =>
    expect.poll(() => reaches(from.ref, to.address), SOON).toBe(true);

  it('connects machines on different members', async () => {
    expect(harness.engine.capabilities.privateNetworks).toBe(true);
    net = await lab.network();
    machines = harness.cluster.members.map((_, index) => {
      const address = `10.20.0.${index + 10}`;
      return { ref: lab.ref(), nic: lab.nic({ network: net.id, ipv4: address }), address };
    });
    const placement = lab.group({ others: machines.map(({ ref }) => ref.id) });
    await Promise.all(
      machines.map(async (machine) => {
        await harness.engine.ensureInstance(machine.ref, lab.spec({ placement, nics: [machine.nic] }));
        await start(machine);
      }),
    );
    expect(new Set(await Promise.all(machines.map(hostOf))).size).toBe(MEMBERS);
    for (const [index, { ref }] of machines.entries()) {
      const next = machines[(index + 1) % MEMBERS]?.address;
      // As large as a packet may be: 1442 bytes with its headers.
      await expect.poll(() => succeeds(ref, `ping -c1 -W1 -s 1414 ${next}`), SOON).toBe(true);
      await expect.poll(() => reaches(ref, INTERNET), SOON).toBe(true);
    }
    const [first, , last] = machines as [Machine, Machine, Machine];
    expect(await succeeds(last.ref, 'ip addr add 10.20.0.77/32 dev eth0')).toBe(true);
    expect(await reaches(last.ref, first.address, '10.20.0.77')).toBe(false);
  });

  it.runIf(vpn)('has VPN gateways, which reach machines on all members', async () => {
    const { engine } = harness;
    expect(engine.capabilities.vpnGateways).toBe(true);
    const nic = lab.nic({ index: 1, network: net.id, ipv4: '10.20.0.5', antiSpoofing: false });
    const gateway = lab.ref('vpn');
    const { privateKey } = newKeyPair();
    await engine.ensureGateway(gateway, {
      nics: [lab.nic(), nic],
      prefixLengths: { [nic.id]: 24 },
      port: 51820,
      privateKey,
      addresses: ['100.96.0.1/24'],
      mtu: 1380,
      callable: callableRanges({ allow: [], deny: [] }),
    });
    const { publicKey } = newKeyPair();
    const peer = { publicKey, presharedKey: null, endpoint: null, keepaliveSeconds: 25 };
    await engine.ensureGatewayPeers(gateway, [{ ...peer, allowedIps: ['100.96.0.2/32'] }]);
    expect(await engine.observeGateway(gateway)).toMatchObject({
      tunnel: { publicKey: publicKeyOf(privateKey), peers: [{ publicKey }] },
    });
    for (const { address } of machines) await expect.poll(() => reaches(gateway, address), SOON).toBe(true);
  });

  it('keeps a machine connected that moves to another member', async () => {
    const [first, second, third] = machines as [Machine, Machine, Machine];
    const move = async (placement: Parameters<typeof lab.group>[0]): Promise<void> => {
      await harness.engine.ensureStopped(second.ref);
      await harness.engine.ensurePlacement(second.ref, lab.group(placement));
      await start(second);
    };
    await move({ policy: 'compact', others: [first.ref.id] });
    expect(await hostOf(second)).toBe(await hostOf(first));
    await joined(second, first);
    await move({ others: [first.ref.id, third.ref.id] });
    expect(await hostOf(second)).not.toBe(await hostOf(first));
    await joined(second, first);
  });

  /** The member whose switch connects the networks with the uplink. */
  async function gateway(): Promise<TestMember | undefined> {
    const { namespace, southbound } = harness.fabric;
    const find = (...args: readonly string[]) =>
      runIn(namespace, 'ovn-sbctl', [`--db=${southbound}`, '--bare', ...args]);
    const chassis = await find('--columns=chassis', 'find', 'Port_Binding', 'type=chassisredirect');
    if (chassis.trim() === '') return undefined;
    const name = await find('--columns=name', 'list', 'Chassis', chassis.trim());
    return harness.cluster.members[Number(name.trim().replace('member', '')) - 1];
  }

  it('has firewalls that apply on all members, also for a machine whose member does not answer', async () => {
    const lost = (await gateway()) as TestMember;
    const hosts = await Promise.all(machines.map(hostOf));
    const [first, second] = machines.filter((_, index) => hosts[index] !== lost.name) as [Machine, Machine];
    const third = machines[hosts.indexOf(lost.name)] as Machine;
    const members = [second, third].map(({ ref, nic }) => memberOf(ref, nic));
    const fw = lab.ref('fw');
    await harness.engine.ensureFirewall(fw, firewallSpec({ members }));
    for (const { address } of [second, third]) expect(await reaches(first.ref, address)).toBe(false);
    await harness.engine.ensureFirewall(fw, firewallSpec({ members, rules: [pingRule()] }));
    for (const each of [second, third]) await joined(first, each);
    // The machine and its switch go on, but nobody tells anything about the machine.
    asked = harness.cluster.members.find(({ name }) => name !== lost.name);
    await lost.kill();
    await expect
      .poll(() => harness.engine.observeInstance(third.ref).catch(() => null), SOON)
      .toMatchObject({ problem: 'host_lost' });
    await harness.engine.ensureFirewall(fw, firewallSpec({ members }));
    for (const { address } of [second, third]) expect(await reaches(first.ref, address)).toBe(false);
    await lost.start();
    await expect
      .poll(() => harness.engine.observeInstance(third.ref).catch(() => null), SOON)
      .toMatchObject({ state: 'running', problem: null });
    expect(await reaches(first.ref, third.address)).toBe(false);
    await harness.engine.removeFirewall(fw);
    for (const each of [second, third]) await joined(first, each);
  });
});
