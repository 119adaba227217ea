import { describe, expect, it } from 'vitest';
import { refusal } from '../../contract/refusal.ts';
import { itIfCapable } from '../../contract/suite.ts';
import type { Use } from './lab.ts';

export function describeNetworks(use: Use): void {
  const { lab } = use;

  describe('networks', () => {
    it('are created, changed in place, and observed with the requested settings', async () => {
      const { engine } = lab();
      const ref = await lab().network();
      await engine.ensureNetwork(ref, lab().networkSpec());
      expect(await engine.observeNetwork(ref)).toEqual({ ...lab().networkSpec(), ...ref, usedBy: [] });
      const changed = lab().networkSpec({
        nat: { ipv4: false, ipv6: false },
        routes: [{ destination: '10.99.0.0/16', nextHop: '10.20.0.9' }],
      });
      await engine.ensureNetwork(ref, changed);
      expect(await engine.observeNetwork(ref)).toEqual({ ...changed, ...ref, usedBy: [] });
    });

    it('cannot be removed while a machine is attached, and can be removed twice without an error', async () => {
      const { engine } = lab();
      const ref = await lab().network();
      const nic = lab().nic({ network: ref.id, ipv4: '10.20.0.20' });
      const vm = await lab().stopped({ nics: [nic] });
      expect((await engine.observeNetwork(ref))?.usedBy).toEqual([{ instance: vm.id, nic: nic.id }]);
      expect(await refusal(engine.removeNetwork(ref))).toBe('resource_in_use');
      await engine.removeNic(vm, nic.id);
      await engine.removeNetwork(ref);
      await engine.removeNetwork(ref);
      expect(await engine.observeNetwork(ref)).toBeNull();
    });

    itIfCapable(use, 'overlappingNetworks', 'may have the same addresses as other networks', async () => {
      const [one, other] = [await lab().network(), await lab().network()];
      for (const ref of [one, other])
        expect(await lab().engine.observeNetwork(ref)).toMatchObject({
          ipv4Cidr: lab().networkSpec().ipv4Cidr,
        });
    });

    itIfCapable(use, 'ipv6Routes', 'have routes to IPv6 destinations', async () => {
      const spec = lab().networkSpec({
        ipv6Cidr: 'fd12:3456:789a:1::/64',
        routes: [{ destination: '2001:db8:99::/48', nextHop: 'fd12:3456:789a:1::9' }],
      });
      const ref = await lab().network(spec);
      expect(await lab().engine.observeNetwork(ref)).toEqual({ ...spec, ...ref, usedBy: [] });
    });

    it('are either attached or removed, never both, when both are requested at the same time', async () => {
      const { engine } = lab();
      for (let round = 0; round < 5; round++) {
        const ref = await lab().network();
        const vm = await lab().stopped();
        const nic = lab().nic({ network: ref.id, ipv4: '10.20.0.20' });
        await Promise.allSettled([engine.ensureNic(vm, nic), engine.removeNetwork(ref)]);
        const isThere = (await engine.observeNetwork(ref)) !== null;
        expect((await lab().seen(vm)).nics.length).toBe(isThere ? 1 : 0);
        await engine.removeNic(vm, nic.id);
        await engine.removeNetwork(ref);
      }
    });
  });

  describe('interfaces', () => {
    it('can be added, changed and removed on a stopped machine, and are listed in the order of their index', async () => {
      const { engine } = lab();
      const first = lab().nic({ index: 0 });
      const second = lab().nic({ index: 1 });
      const ref = await lab().stopped({ nics: [second] });
      await engine.ensureNic(ref, first);
      await engine.ensureNic(ref, first);
      expect((await lab().seen(ref)).nics).toEqual([first, second]);
      const changed = { ...second, aliases: ['192.0.2.77'], antiSpoofing: false };
      await engine.ensureNic(ref, changed);
      expect((await lab().seen(ref)).nics).toEqual([first, changed]);
      await engine.removeNic(ref, first.id);
      await engine.removeNic(ref, first.id);
      expect((await lab().seen(ref)).nics).toEqual([changed]);
    });

    it('are the same in whichever order they are added', async () => {
      const { engine } = lab();
      const nics = [0, 1, 2].map((index) => lab().nic({ index }));
      const there = await lab().stopped();
      for (const nic of nics) await engine.ensureNic(there, nic);
      const before = (await lab().seen(there)).nics;
      for (const { id } of nics) await engine.removeNic(there, id);
      const back = await lab().stopped();
      await Promise.all(nics.toReversed().map((nic) => engine.ensureNic(back, nic)));
      expect((await lab().seen(back)).nics).toEqual(before);
    });

    it('are refused if their network does not exist', async () => {
      const ref = await lab().stopped();
      expect(await refusal(lab().engine.ensureNic(ref, lab().nic({ network: 'net_none' })))).toBe(
        'not_found',
      );
    });

    itIfCapable(use, 'nicHotPlug', 'can be added and removed while the machine runs', async () => {
      const { engine } = lab();
      const ref = await lab().running({ nics: [lab().nic()] });
      const { startedAt } = await lab().seen(ref);
      const net = await lab().network();
      const nic = lab().nic({ index: 1, network: net.id, ipv4: '10.20.0.30' });
      await engine.ensureNic(ref, nic);
      expect((await lab().seen(ref)).nics[1]).toEqual(nic);
      await engine.removeNic(ref, nic.id);
      expect(await lab().seen(ref)).toMatchObject({ state: 'running', startedAt });
      expect((await lab().seen(ref)).nics).toHaveLength(1);
    });
  });
}
