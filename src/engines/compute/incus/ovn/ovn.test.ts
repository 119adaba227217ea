/** The contract of networks, firewalls and VPN gateways on OVN, and what the doctor says of it. */
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Examination } from '../../../../kernel/registry.ts';
import { useTestDatabase } from '../../../../testing/database.ts';
import { PUBLIC_NETWORK, VPN_IMAGE } from '../../../../testing/incus/furnish.ts';
import { settingsOf } from '../../../../testing/incus/harness.ts';
import { startFabric } from '../../../../testing/incus/ovn.ts';
import { type OvnHarness, openOvn, ovnSettings } from '../../../../testing/incus/ovn-harness.ts';
import { whyNoOvn, whyNoVpn } from '../../../../testing/incus/programs.ts';
import { describeFirewalls } from '../../contract/firewalls.ts';
import { describeGateways } from '../../contract/gateways.ts';
import { Lab } from '../../contract/lab.ts';
import { describeNetworks } from '../../contract/networks.ts';
import { capabilitiesOf } from '../capabilities.ts';
import { examinePrivateNetworks } from '../doctor/ovn.ts';
import { examineIncus } from '../doctor.ts';
import type { Server } from '../driver-context.ts';
import type { OvnSettings } from '../settings.ts';

const reason = whyNoOvn();
const vpn = whyNoVpn() === null;

describe.skipIf(reason !== null)(`Incus with OVN${reason === null ? '' : `: ${reason}`}`, () => {
  const database = useTestDatabase();
  let harness: OvnHarness;
  let lab: Lab;
  beforeAll(async () => {
    harness = await openOvn(database.db, { vpn });
    lab = new Lab(harness);
  });
  afterEach(() => lab.clear());
  afterAll(() => harness?.close());

  const capabilities = capabilitiesOf({
    instanceType: 'container',
    ovn: ovnSettings({ northbound: '' }),
    vpnImage: vpn ? VPN_IMAGE : null,
  });
  const use = { capabilities, lab: () => lab };
  describeNetworks(use);
  describeFirewalls(use);
  describeGateways(use);

  describe('the doctor', () => {
    const sold = {
      location: 'here',
      architectures: [],
      pools: [],
      images: [],
      isos: [],
      smallest: null,
      certificateFile: null,
    };

    /** Only what is said of private networks. The whole examination would start machines each time. */
    async function examined(ovn: Partial<OvnSettings> | null = {}): Promise<Examination | null> {
      const { client, ...daemon } = harness.daemon;
      const settings = { ...settingsOf(daemon), ovn: ovn && { ...ovnSettings(harness.fabric), ...ovn } };
      const server = await client.ask<Server>('GET', '/1.0');
      return examinePrivateNetworks({ client, settings, sold, server, members: [null] });
    }

    it('finds no fault, and reports how many networks are possible', async () => {
      await lab.network();
      const settings = { ...settingsOf(harness.daemon), ovn: ovnSettings(harness.fabric) };
      expect(await examineIncus(settings, sold)).toContainEqual({
        name: 'here private networks',
        detail: 'on OVN, up to 100, through uplink',
      });
    });

    it('reports an uplink that does not exist or cannot be used', async () => {
      expect(await examined({ uplink: 'nowhere' })).toMatchObject({
        detail: 'There is no network nowhere.',
        fix: expect.stringContaining('incus network create uplink --type=physical'),
      });
      const { detail, fix } = (await examined({ uplink: PUBLIC_NETWORK })) ?? {};
      expect(detail).toContain('no addresses for the routers');
      expect(fix).toContain('ipv4.ovn.ranges=');
    });

    it('reports a database that does not answer, or is not the one of the engine', async () => {
      const at = (remote: string) => examined({ northbound: { remotes: [remote], credentials: null } });
      const { detail, fix } = (await at('unix:/nowhere/nb.sock')) ?? {};
      expect(detail).toContain('unix:/nowhere/nb.sock: The network database of the engine does not answer');
      expect(fix).toContain(harness.fabric.northbound);
      await lab.network();
      const other = await startFabric();
      onTestFinished(() => other.stop());
      expect((await at(other.northbound))?.detail).toContain('The network is not in OVN yet');
    });

    it('reports networks of another type than the configured one', async () => {
      await lab.network();
      expect(await examined(null)).toMatchObject({
        detail: expect.stringContaining(
          '1 networks of customers are of the type ovn, but networks is bridge',
        ),
        fix: expect.stringContaining('Set networks to ovn again'),
      });
    });
  });
});
