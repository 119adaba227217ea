import { describe, expect } from 'vitest';
import { callableRanges } from '../../../kernel/net/callable-ranges.ts';
import { newKeyPair, newPresharedKey, publicKeyOf } from '../../../kernel/secrets/wireguard-keys.ts';
import { refusal } from '../../contract/refusal.ts';
import { itIfCapable } from '../../contract/suite.ts';
import type { Gateway, GatewayPeer, GatewaySpec, Nic, Ref } from '../port.ts';
import type { Use } from './lab.ts';

export function describeGateways(use: Use): void {
  const { lab } = use;

  function specOf(networks: readonly Nic[], spec: Partial<GatewaySpec> = {}): GatewaySpec {
    return {
      nics: [lab().nic(), ...networks],
      prefixLengths: Object.fromEntries(networks.map(({ id }) => [id, 24])),
      port: 51820,
      privateKey: newKeyPair().privateKey,
      addresses: ['100.96.0.1/24'],
      mtu: 1380,
      callable: callableRanges({ allow: [], deny: [] }),
      ...spec,
    };
  }

  const peer = (place: number, given: Partial<GatewayPeer> = {}): GatewayPeer => ({
    publicKey: newKeyPair().publicKey,
    presharedKey: newPresharedKey(),
    allowedIps: [`100.96.0.${place}/32`],
    endpoint: null,
    keepaliveSeconds: 25,
    ...given,
  });

  async function seen(ref: Ref): Promise<Gateway> {
    const gateway = await lab().engine.observeGateway(ref);
    if (gateway === null) throw new Error(`The engine does not know ${ref.id}.`);
    return gateway;
  }
  const keysOf = async (ref: Ref) => (await seen(ref)).tunnel?.peers.map(({ publicKey }) => publicKey).sort();
  const told = ({ publicKey, allowedIps }: GatewayPeer) => expect.objectContaining({ publicKey, allowedIps });

  describe('VPN gateways', () => {
    itIfCapable(use, 'vpnGateways', 'are created and changed in place, and keep their peers', async () => {
      const { engine } = lab();
      const [one, two] = [await lab().network(), await lab().network({ ...OTHER })];
      const nic = lab().nic({ index: 1, network: one.id, ipv4: '10.20.0.5', antiSpoofing: false });
      const ref = lab().ref('vpn');
      const spec = specOf([nic]);
      await engine.ensureGateway(ref, spec);
      await engine.ensureGateway(ref, spec);
      const publicKey = publicKeyOf(spec.privateKey);
      expect(await seen(ref)).toEqual({
        ...ref,
        nics: spec.nics,
        tunnel: { port: 51820, publicKey, peers: [] },
      });
      const [laptop, phone] = [peer(2), peer(3, { presharedKey: null, keepaliveSeconds: 0 })];
      await engine.ensureGatewayPeers(ref, [laptop, phone]);
      for (let n = 0; n < 5; n++)
        await Promise.all([engine.ensureGateway(ref, spec), engine.ensureGatewayPeers(ref, [laptop, phone])]);
      expect((await seen(ref)).tunnel?.peers).toEqual(expect.arrayContaining([told(laptop), told(phone)]));
      const other = lab().nic({ index: 2, network: two.id, ipv4: '10.21.0.5', antiSpoofing: false });
      const { privateKey } = newKeyPair();
      const changed = { ...specOf([other], { port: 51821, privateKey }), nics: [spec.nics[0]!, other] };
      await engine.ensureGateway(ref, changed);
      expect(await seen(ref)).toMatchObject({
        nics: changed.nics,
        tunnel: { port: 51821, publicKey: publicKeyOf(privateKey) },
      });
      expect(await keysOf(ref)).toEqual([laptop.publicKey, phone.publicKey].sort());
      await engine.ensureGatewayPeers(ref, [phone]);
      expect(await keysOf(ref)).toEqual([phone.publicKey]);
      await engine.removeNetwork(one);
      expect(await refusal(engine.removeNetwork(two))).toBe('resource_in_use');
    });

    itIfCapable(
      use,
      'vpnGateways',
      'are not listed as machines, and can be removed twice without an error',
      async () => {
        const { engine } = lab();
        const ref = lab().ref('vpn');
        await engine.ensureGateway(ref, specOf([]));
        expect((await engine.observeInstances()).map(({ id }) => id)).not.toContain(ref.id);
        expect(await engine.observeGateways()).toContainEqual(ref);
        await engine.removeGateway(ref);
        await engine.removeGateway(ref);
        expect(await engine.observeGateway(ref)).toBeNull();
        expect(await engine.observeGateways()).not.toContainEqual(ref);
        expect(await refusal(engine.ensureGatewayPeers(ref, []))).toBe('not_found');
      },
    );
  });
}

const OTHER = { ipv4Cidr: '10.21.0.0/24', ipv4Gateway: '10.21.0.1' };
