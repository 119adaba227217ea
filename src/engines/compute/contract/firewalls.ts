import { describe, expect, it } from 'vitest';
import { itIfCapable } from '../../contract/suite.ts';
import type { FirewallMember, FirewallRule, FirewallSpec, Nic, Ref } from '../port.ts';
import type { Use } from './lab.ts';

const SOON = { timeout: 120_000 };

export const pingRule = (rule: Partial<FirewallRule> = {}): FirewallRule => ({
  direction: 'in',
  action: 'allow',
  protocol: 'icmp',
  ports: [],
  icmpType: null,
  remote: null,
  ...rule,
});

let revision = 0;

export const firewallSpec = (spec: Partial<FirewallSpec> = {}): FirewallSpec => ({
  revision: ++revision,
  defaultIn: 'drop',
  defaultOut: 'allow',
  rules: [],
  members: [],
  ...spec,
});

export const memberOf = ({ id: instance }: Ref, nic: Nic): FirewallMember => ({
  instance,
  nic: nic.id,
  network: nic.network,
  addresses: nic.ipv4 === null ? [] : [nic.ipv4],
});

export function describeFirewalls(use: Use): void {
  const { lab } = use;

  describe('firewalls', () => {
    itIfCapable(
      use,
      'privateFirewalls',
      'are observed with the requested settings, and can be removed',
      async () => {
        const { engine } = lab();
        const ref = lab().ref('fw');
        expect(await engine.observeFirewall(ref)).toBeNull();
        const spec = firewallSpec({
          rules: [pingRule({ remote: { cidrs: ['10.20.0.0/24'], firewalls: [] } })],
        });
        await engine.ensureFirewall(ref, spec);
        await engine.ensureFirewall(ref, spec);
        expect(await engine.observeFirewall(ref)).toEqual({ ...spec, ...ref });
        expect(await engine.observeFirewalls()).toContainEqual(ref);
        await engine.removeFirewall(ref);
        await engine.removeFirewall(ref);
        expect(await engine.observeFirewall(ref)).toBeNull();
        expect(await engine.observeFirewalls()).not.toContainEqual(ref);
      },
    );

    itIfCapable(use, 'privateFirewalls', 'never return to an older revision', async () => {
      const { engine } = lab();
      const ref = lab().ref('fw');
      const [older, newer] = [firewallSpec(), firewallSpec({ defaultOut: 'drop' })];
      await Promise.all([engine.ensureFirewall(ref, newer), engine.ensureFirewall(ref, older)]);
      await engine.ensureFirewall(ref, older);
      expect(await engine.observeFirewall(ref)).toMatchObject({ defaultOut: 'drop' });
    });

    itIfCapable(use, 'privateFirewalls', 'filter traffic between machines of the same network', async () => {
      const { engine, harness } = lab();
      const network = await lab().network();
      const nics = [11, 12].map((last) => lab().nic({ network: network.id, ipv4: `10.20.0.${last}` }));
      const [mine, theirs] = nics as [Nic, Nic];
      const [server, client] = await Promise.all(nics.map((nic) => lab().running({ nics: [nic] })));
      const reaches = () => harness.reaches(client!, '10.20.0.11');
      await expect.poll(reaches, SOON).toBe(true);
      const [guarding, trusted] = [lab().ref('fw'), lab().ref('fw')];
      const members = [memberOf(server!, mine)];
      await engine.ensureFirewall(guarding, firewallSpec({ members }));
      expect(await reaches()).toBe(false);
      const fromTrusted = pingRule({ remote: { cidrs: [], firewalls: [trusted.id] } });
      await engine.ensureFirewall(guarding, firewallSpec({ members, rules: [fromTrusted] }));
      expect(await reaches()).toBe(false);
      const open = firewallSpec({ defaultIn: 'allow', members: [memberOf(client!, theirs)] });
      await engine.ensureFirewall(trusted, open);
      await expect.poll(reaches, SOON).toBe(true);
      await engine.ensureFirewall(
        guarding,
        firewallSpec({ members, rules: [fromTrusted, pingRule({ action: 'drop' })] }),
      );
      expect(await reaches()).toBe(false);
      await engine.removeFirewall(guarding);
      await expect.poll(reaches, SOON).toBe(true);
      const deaf = firewallSpec({ defaultOut: 'drop', members: [memberOf(client!, theirs)] });
      await engine.ensureFirewall(trusted, deaf);
      expect(await reaches()).toBe(false);
      await engine.removeFirewall(trusted);
    });

    itIfCapable(
      use,
      'privateFirewalls',
      'are combined on one interface, in whichever order they are added',
      async () => {
        const { engine, harness } = lab();
        const network = await lab().network();
        const nics = [11, 12].map((last) => lab().nic({ network: network.id, ipv4: `10.20.0.${last}` }));
        const [server, client] = await Promise.all(nics.map((nic) => lab().running({ nics: [nic] })));
        const reaches = () => harness.reaches(client!, '10.20.0.11');
        await expect.poll(reaches, SOON).toBe(true);
        const members = [memberOf(server!, nics[0]!)];
        const [one, other] = [lab().ref('fw'), lab().ref('fw')];
        const [allow, drop] = [pingRule(), pingRule({ action: 'drop' })];
        for (const [first, second] of [
          [one, other],
          [other, one],
        ] as const) {
          // The stricter default counts, then a rule that allows, then one that drops.
          await engine.ensureFirewall(first, firewallSpec({ members, defaultIn: 'allow' }));
          await expect.poll(reaches, SOON).toBe(true);
          await engine.ensureFirewall(second, firewallSpec({ members }));
          expect(await reaches()).toBe(false);
          await engine.ensureFirewall(first, firewallSpec({ members, defaultIn: 'allow', rules: [allow] }));
          await expect.poll(reaches, SOON).toBe(true);
          await engine.ensureFirewall(second, firewallSpec({ members, rules: [drop] }));
          expect(await reaches()).toBe(false);
          await engine.removeFirewall(second);
          await expect.poll(reaches, SOON).toBe(true);
          await engine.removeFirewall(first);
        }
      },
    );

    it('have a reason for each capability that is missing', () => {
      const { privateFirewalls, publicFirewalls } = use.capabilities;
      for (const capability of [privateFirewalls, publicFirewalls])
        expect(capability === true || capability.length > 20).toBe(true);
    });
  });
}
