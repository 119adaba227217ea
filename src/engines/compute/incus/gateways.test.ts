/** VPN gateways on real engines, beyond what the contract says. */
import { describe, expect, it } from 'vitest';
import { newKeyPair } from '../../../kernel/secrets/wireguard-keys.ts';
import { describeEngines } from '../../../testing/incus/engines.ts';
import { probeOf } from '../../../testing/incus/probe.ts';
import { whyNoVpn } from '../../../testing/incus/programs.ts';
import type { GatewaySpec, Ref } from '../port.ts';
import { pathOf } from './driver-context.ts';
import { projectOf } from './names.ts';

const SOON = { timeout: 120_000 };

describeEngines(
  (bench, kind) => {
    const { succeeds } = probeOf(() => bench.harness);
    const forwards = (ref: Ref) => succeeds(ref, 'grep -q 1 /proc/sys/net/ipv4/ip_forward');
    const isFiltered = (ref: Ref) =>
      succeeds(ref, 'nft list chain inet hostplane passing | grep -q "policy drop"');

    /** The id of the first process of a gateway, which is another one after a restart. */
    async function processOf(ref: Ref): Promise<number> {
      const ask = { project: projectOf(ref) };
      const { client } = bench.harness.daemon;
      return (await client.ask<{ pid: number }>('GET', `${pathOf(ref)}/state`, ask)).pid;
    }

    describe.skipIf(whyNoVpn(kind) !== null)('a gateway', () => {
      it('forwards nothing after a restart until its filter is in force again', async () => {
        const { engine } = bench.harness;
        const network = await bench.lab.network();
        const nic = bench.lab.nic({ index: 1, network: network.id, ipv4: '10.20.0.5', antiSpoofing: false });
        const spec: GatewaySpec = {
          nics: [bench.lab.nic(), nic],
          prefixLengths: { [nic.id]: 24 },
          port: 51820,
          privateKey: newKeyPair().privateKey,
          addresses: ['100.96.0.1/24'],
          mtu: 1380,
          callable: [],
        };
        const ref = bench.lab.ref('vpn');
        await engine.ensureGateway(ref, spec);
        expect([await forwards(ref), await isFiltered(ref)]).toEqual([true, true]);
        // Containers get the forwarding of their server, which forwards wherever the engine has a bridge of its own.
        const body = { config: { 'linux.sysctl.net.ipv4.ip_forward': '1' } };
        await bench.harness.daemon.client.run('PATCH', pathOf(ref), { project: projectOf(ref), body });
        await engine.ensureGatewayPeers(ref, []);
        const before = await processOf(ref);
        await bench.harness.execInside(ref, ['reboot']);
        // First it still runs, then it has no process.
        await expect.poll(() => processOf(ref), SOON).not.toBeOneOf([before, 0]);
        await expect.poll(() => succeeds(ref, 'true').catch(() => false), SOON).toBe(true);
        expect([await forwards(ref), await isFiltered(ref)]).toEqual([false, false]);
        await engine.ensureGateway(ref, spec);
        expect([await forwards(ref), await isFiltered(ref)]).toEqual([true, true]);
      });
    });
  },
  { vpn: true },
);
