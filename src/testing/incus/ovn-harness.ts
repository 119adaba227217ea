/** Opens the driver on an Incus, or a cluster of them, whose private networks are on OVN. */
import type { OvnSettings } from '../../engines/compute/incus/settings.ts';
import type { ComputeSettings } from '../../engines/compute/settings.ts';
import type { Db } from '../../store/database.ts';
import { type ClusterHarness, startCluster, type TestMember } from './cluster.ts';
import { startDaemon, type TestDaemon } from './daemon.ts';
import { type Furniture, furnish } from './furnish.ts';
import { harnessOf, type IncusHarness, settingsOf } from './harness.ts';
import { type Fabric, joinOvn, startFabric, switchOf, UPLINK } from './ovn.ts';

export interface OvnHarness extends IncusHarness {
  readonly fabric: Fabric;
}

export type OvnClusterHarness = ClusterHarness & OvnHarness;

export const ovnSettings = ({ northbound }: Pick<Fabric, 'northbound'>): OvnSettings => ({
  uplink: UPLINK,
  northbound: { remotes: [northbound], credentials: null },
});

/** The same in the provider's file. */
export const ovnChoices = ({ northbound }: Pick<Fabric, 'northbound'>) =>
  ({ networks: 'ovn', ovn_uplink: UPLINK, ovn_northbound: [northbound] }) satisfies Partial<ComputeSettings>;

/** Starts an engine with OVN. To stop the daemon also stops its fabric. */
export async function startOvnDaemon(
  furnishIt: (daemon: TestDaemon) => Promise<void>,
): Promise<{ readonly daemon: TestDaemon; readonly fabric: Fabric }> {
  const fabric = await startFabric();
  try {
    const daemon = await startDaemon('incus', switchOf(fabric));
    try {
      await Promise.all([furnishIt(daemon), joinOvn(fabric, [daemon])]);
    } catch (error) {
      await daemon.stop();
      throw error;
    }
    const stop = async (): Promise<void> => {
      await daemon.stop();
      await fabric.stop();
    };
    return { daemon: { ...daemon, stop }, fabric };
  } catch (error) {
    await fabric.stop();
    throw error;
  }
}

export async function openOvn(db: Db, furniture: Furniture = {}): Promise<OvnHarness> {
  const { daemon, fabric } = await startOvnDaemon((started) => furnish(started, furniture));
  return { ...harnessOf(db, daemon, { ...settingsOf(daemon), ovn: ovnSettings(fabric) }), fabric };
}

export async function openOvnCluster(
  db: Db,
  count: number,
  furniture: Furniture = {},
): Promise<OvnClusterHarness> {
  const fabric = await startFabric();
  try {
    const cluster = await startCluster(count, furniture, (index) => switchOf(fabric, index + 1));
    const [first] = cluster.members as readonly [TestMember];
    const [url = '', ...others] = cluster.urls;
    const stop = async (): Promise<void> => {
      await cluster.stop();
      await fabric.stop();
    };
    try {
      await joinOvn(fabric, cluster.members);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    const address = { url, others, credentials: null };
    const settings = { ...settingsOf(first), address, ovn: ovnSettings(fabric) };
    return { ...harnessOf(db, { ...first, stop }, settings), cluster, fabric };
  } catch (error) {
    await fabric.stop();
    throw error;
  }
}
