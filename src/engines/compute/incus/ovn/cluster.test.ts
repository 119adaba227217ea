/** One private network on the members of a cluster, whose switches are connected by tunnels. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newKeyPair, publicKeyOf } from '../../../../kernel/secrets/wireguard-keys.ts';
import { useTestDatabase } from '../../../../testing/database.ts';
import { INTERNET } from '../../../../testing/incus/ovn.ts';
import { type OvnClusterHarness, openOvnCluster } from '../../../../testing/incus/ovn-harness.ts';
import { probeOf } from '../../../../testing/incus/probe.ts';
import { whyNoOvn, whyNoVpn } from '../../../../testing/incus/programs.ts';
import { FORCED, Lab } from '../../contract/lab.ts';
import type { Ref } from '../../instance.ts';

const reason = whyNoOvn();
const vpn = whyNoVpn() === null;
const SOON = { timeout: 120_000 };
const MEMBERS = 2;

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

  const { succeeds, reaches, hasAddress } = probeOf(() => harness);

  /** The machines of both tests, one on each member. */
  let refs: readonly Ref[];
  let net: Ref;
  const addressOf = (index: number): string => `10.20.0.${index + 10}`;
  const start = async (ref: Ref, index: number): Promise<void> => {
    await harness.engine.ensureRunning(ref);
    await expect.poll(() => hasAddress(ref, addressOf(index)), SOON).toBe(true);
  };

  it('joins machines on different members', async () => {
    expect(harness.engine.capabilities.privateNetworks).toBe(true);
    net = await lab.network();
    refs = harness.cluster.members.map(() => lab.ref());
    const placement = lab.group({ others: refs.map(({ id }) => id) });
    await Promise.all(
      refs.map(async (ref, index) => {
        const nics = [lab.nic({ network: net.id, ipv4: addressOf(index) })];
        await harness.engine.ensureInstance(ref, lab.spec({ placement, nics }));
        await start(ref, index);
      }),
    );
    const hosts = await Promise.all(refs.map(async (ref) => (await lab.seen(ref)).host));
    expect(new Set(hosts).size).toBe(MEMBERS);
    for (const [index, ref] of refs.entries()) {
      const next = addressOf((index + 1) % MEMBERS);
      // As large as a packet may be: 1442 bytes with its headers.
      await expect.poll(() => succeeds(ref, `ping -c1 -W1 -s 1414 ${next}`), SOON).toBe(true);
      await expect.poll(() => reaches(ref, INTERNET), SOON).toBe(true);
    }
    const last = refs.at(-1) as Ref;
    expect(await succeeds(last, 'ip addr add 10.20.0.77/32 dev eth0')).toBe(true);
    expect(await reaches(last, addressOf(0), '10.20.0.77')).toBe(false);
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
    });
    const { publicKey } = newKeyPair();
    const peer = { publicKey, presharedKey: null, endpoint: null, keepaliveSeconds: 25 };
    await engine.ensureGatewayPeers(gateway, [{ ...peer, allowedIps: ['100.96.0.2/32'] }]);
    expect(await engine.observeGateway(gateway)).toMatchObject({
      tunnel: { publicKey: publicKeyOf(privateKey), peers: [{ publicKey }] },
    });
    for (const index of refs.keys())
      await expect.poll(() => reaches(gateway, addressOf(index)), SOON).toBe(true);
  });

  it('keeps a machine joined that moves', async () => {
    const [first, second] = refs as [Ref, Ref];
    await harness.engine.ensureStopped(second, FORCED);
    await harness.engine.ensurePlacement(second, lab.group({ policy: 'compact', others: [first.id] }));
    await start(second, 1);
    expect((await lab.seen(second)).host).toBe((await lab.seen(first)).host);
    await expect.poll(() => reaches(second, addressOf(0)), SOON).toBe(true);
  });
});
