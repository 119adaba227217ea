/**
 * Tests with the real cloud-init in Debian. They take longer than all other tests together, so they run only with
 * `HOSTPLANE_TEST_DEBIAN=1`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashGuestPassword } from '../../../kernel/secrets/guest-password.ts';
import { useTestDatabase } from '../../../testing/database.ts';
import { startDaemon } from '../../../testing/incus/daemon.ts';
import {
  buildDebian,
  DEBIAN,
  furnishDebian,
  type Renderer,
  renderers,
} from '../../../testing/incus/debian.ts';
import { furnishServer, PUBLIC_NETWORK } from '../../../testing/incus/furnish.ts';
import { harnessOf, type IncusHarness, settingsOf } from '../../../testing/incus/harness.ts';
import { runIn } from '../../../testing/incus/namespace.ts';
import { type EngineKind, engineKinds, whyNoIncus } from '../../../testing/incus/programs.ts';
import { Lab } from '../contract/lab.ts';
import type { Guest, Nic, Ref } from '../instance.ts';

const ASKED = 'HOSTPLANE_TEST_DEBIAN';
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGVTdb0Ck0Z4PGJ0Zxe4pZ6KP4pFmyeYcGcXZfBhW1mM ada@example';
const MINUTES = 60_000;
const SOON = { timeout: 120_000 };
const IMAGE = { account: null, id: DEBIAN };

const whyNot = (kind: EngineKind): string | null =>
  whyNoIncus(kind) ?? (process.env[ASKED] === '1' ? null : `tried only with ${ASKED}=1; needs mmdebstrap`);

const database = useTestDatabase();

const cases = engineKinds.flatMap((kind) => renderers.map((renderer) => ({ kind, renderer })));

for (const { kind, renderer } of cases) {
  const reason = whyNot(kind);
  const name = `Debian with ${renderer} on ${kind}`;
  describe.skipIf(reason !== null)(reason === null ? name : `${name}: ${reason}`, () => {
    let harness: IncusHarness;
    let lab: Lab;
    let ref: Ref;
    let nics: readonly [Nic, Nic];
    beforeAll(async () => {
      await buildDebian(renderer);
      harness = await open(kind, renderer);
      lab = new Lab(harness);
      ref = lab.ref();
      nics = await makeNics();
    }, 10 * MINUTES);
    afterAll(async () => {
      await lab.clear();
      await harness.close();
    }, MINUTES);

    async function makeNics(): Promise<readonly [Nic, Nic]> {
      const net = await lab.network({
        ipv6Cidr: 'fd12:3456:789a:1::/64',
        nat: { ipv4: true, ipv6: true },
        routes: [{ destination: '10.77.0.0/16', nextHop: '10.20.0.9' }],
      });
      const own = { ipv4: '192.0.2.40', ipv6: '2001:db8:77::1', aliases: ['2001:db8:77::/64'] };
      const inside = { network: net.id, index: 1, ipv4: '10.20.0.10', ipv6: 'fd12:3456:789a:1::10' };
      return [lab.nic(own), lab.nic(inside)];
    }

    /** Returns what the command prints inside the guest. */
    async function ask(command: string): Promise<string> {
      await harness.execInside(ref, ['sh', '-c', `(${command}) > /run/asked 2>&1`]);
      return ((await harness.readInside(ref, '/run/asked')) ?? '').trim();
    }

    const guest = (n: number, given: Partial<Guest> = {}): Guest =>
      lab.guest({
        hostname: `web-${n}`,
        sshKeys: [KEY],
        passwordHash: hashGuestPassword(`secret-${n}`),
        userData: [
          '#cloud-config',
          'write_files:',
          `  - { path: /root/written, content: "${n}" }`,
          'runcmd:',
          `  - echo ${n} >> /root/commands`,
          '',
        ].join('\n'),
        ...given,
      });

    const answers = (address: string): Promise<boolean> =>
      runIn(harness.daemon.namespace, 'busybox', ['ping', '-c1', '-W1', address]).then(
        () => true,
        () => false,
      );

    async function expectTold({ hostname, passwordHash }: Guest, commands: string): Promise<void> {
      await expect.poll(() => ask('cloud-init status --wait'), SOON).toMatch(/status: (done|error)/);
      expect(await ask('cloud-init status --long')).toContain('status: done');
      expect(await ask('cat /root/commands')).toBe(commands);
      expect(await ask('cat /root/written')).toBe(hostname.replace('web-', ''));
      expect(await ask('hostname')).toBe(hostname);
      expect(await ask('grep ^debian: /etc/shadow | cut -d: -f2')).toBe(passwordHash);
      expect(await ask('cat /home/debian/.ssh/authorized_keys')).toBe(KEY);
    }

    async function expectConnected(): Promise<void> {
      const [first, second] = nics;
      for (const [device, { ipv4, ipv6 }] of [['eth0', first] as const, ['eth1', second] as const]) {
        const addresses = () => ask(`ip -o addr show dev ${device} scope global`);
        await expect.poll(addresses, SOON).toContain(` ${ipv4}/`);
        await expect.poll(addresses, SOON).toContain(` ${ipv6}/64 `);
      }
      await expect.poll(() => ask('ip route get 203.0.113.1'), SOON).toMatch(/via 192\.0\.2\.1 dev eth0/);
      await expect
        .poll(() => ask('ip -6 route get 2001:db8:ffff::1'), SOON)
        .toMatch(/dev eth0 .*src 2001:db8:77::1/);
      expect(await ask('ip route get 10.77.1.1')).toMatch(/via 10\.20\.0\.9 dev eth1/);
      for (const address of [first.ipv4, first.ipv6])
        await expect.poll(() => answers(address ?? ''), SOON).toBe(true);
      expect(await ask('ping -c1 -W2 fd00:db8:1::1 >/dev/null && echo yes')).toBe('yes');
    }

    it('applies its user data, keys, password and network settings at its first boot', {
      timeout: 5 * MINUTES,
    }, async () => {
      const told = guest(1);
      const size = { vcpus: 1, memoryMb: 512, diskGb: 3 };
      const spec = lab.spec({ source: { image: IMAGE }, size, nics: [...nics], guest: told });
      await harness.engine.ensureInstance(ref, spec);
      await harness.engine.ensureRunning(ref);
      await expectTold(told, '1');
      await expectConnected();
      expect(await ask('grep -rh ^PasswordAuthentication /etc/ssh/sshd_config.d')).not.toContain('yes');
    });

    it('applies new user data with a new seed, and configures interfaces that were added since', {
      timeout: 5 * MINUTES,
    }, async () => {
      const { engine } = harness;
      const net = await lab.network({ ipv4Cidr: '10.21.0.0/24', ipv4Gateway: '10.21.0.1' });
      await engine.ensureNic(ref, lab.nic({ network: net.id, index: 2, ipv4: '10.21.0.10' }));
      await engine.restart(ref, { once: lab.token() });
      await expectTold(guest(1, { passwordHash: (await shadowed()) ?? '' }), '1');
      const told = guest(2);
      await engine.ensureGuest(ref, told);
      await lab.shutDown(ref);
      await engine.ensureRunning(ref);
      await expectTold(told, '1\n2');
      await expectConnected();
      await expect.poll(() => ask('ip -o addr show dev eth2'), SOON).toContain(' 10.21.0.10/24 ');
    });

    const shadowed = (): Promise<string> => ask('grep ^debian: /etc/shadow | cut -d: -f2');

    it('applies its user data again when it is rebuilt', { timeout: 5 * MINUTES }, async () => {
      const { engine } = harness;
      const told = guest(3, { sshKeys: [KEY] });
      await engine.ensureStopped(ref);
      await engine.ensureRebuilt(ref, { once: lab.token(), image: IMAGE, guest: told });
      await engine.ensureRunning(ref);
      await expectTold(told, '3');
      await expectConnected();
    });
  });
}

async function open(kind: EngineKind, renderer: Renderer): Promise<IncusHarness> {
  const daemon = await startDaemon(kind);
  try {
    await furnishServer(daemon);
    // As in the operator's guide: the IPv6 range of the bridge is not routed, so guests never prefer its addresses to
    // their own.
    const config = { 'ipv6.address': 'fd00:db8:1::1/64', 'ipv6.dhcp.stateful': 'false' };
    await daemon.client.run('PATCH', `/1.0/networks/${PUBLIC_NETWORK}`, { body: { config } });
    await furnishDebian(daemon, renderer);
    return harnessOf(database.db, daemon, settingsOf(daemon));
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}
