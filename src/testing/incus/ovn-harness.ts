/** Opens the driver on an Incus, or a cluster of them, whose private networks are on OVN. */
import type { OvnSettings } from '../../engines/compute/incus/settings.ts';
import type { Db } from '../../store/database.ts';
import { type ClusterHarness, startCluster, type TestMember } from './cluster.ts';
import { startDaemon, type TestDaemon } from './daemon.ts';
import { furnish } from './furnish.ts';
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

export interface OvnDaemon extends TestDaemon {
  readonly fabric: Fabric;
}

/** `stop` also stops OVN. */
export async function startOvnDaemon(prepare: (daemon: TestDaemon) => Promise<void>): Promise<OvnDaemon> {
  const fabric = await startFabric();
  try {
    const daemon = await startDaemon('incus', switchOf(fabric));
    const stop = async (): Promise<void> => {
      await daemon.stop();
      await fabric.stop();
    };
    try {
      await Promise.all([prepare(daemon), joinOvn(fabric, [daemon])]);
    } catch (error) {
      await daemon.stop();
      throw error;
    }
    return { ...daemon, stop, fabric };
  } catch (error) {
    await fabric.stop();
    throw error;
  }
}

export async function openOvn(db: Db): Promise<OvnHarness> {
  const { fabric, ...daemon } = await startOvnDaemon(furnish);
  const settings = { ...settingsOf(daemon), ovn: ovnSettings(fabric) };
  return { ...harnessOf(db, daemon, settings), fabric };
}

export async function openOvnCluster(db: Db, count: number): Promise<OvnClusterHarness> {
  const fabric = await startFabric();
  try {
    const cluster = await startCluster(count, {}, (index) => switchOf(fabric, index + 1));
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
