import { arch } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Examination } from '../../../kernel/registry.ts';
import { startCluster, type TestCluster } from '../../../testing/incus/cluster.ts';
import { startDaemon } from '../../../testing/incus/daemon.ts';
import { furnish, IMAGE } from '../../../testing/incus/furnish.ts';
import { settingsOf } from '../../../testing/incus/harness.ts';
import { whyNoIncus } from '../../../testing/incus/programs.ts';
import { examineIncus, type Sold } from './doctor.ts';
import type { IncusSettings } from './settings.ts';

const architecture = arch() === 'arm64' ? 'arm64' : 'amd64';
const sold: Sold = {
  location: 'here',
  architectures: [architecture],
  pools: [{ cidr: '192.0.2.0/25', version: 4 }],
  images: [{ slug: IMAGE, architecture, distribution: 'alpine', version: '3.22' }],
  isos: [],
  smallest: { vcpus: 1, memoryMb: 64, diskGb: 1 },
  certificateFile: null,
};

async function examine(settings: IncusSettings): Promise<Record<string, Examination>> {
  const found = await examineIncus(settings, sold);
  return Object.fromEntries(found.map((each) => [each.name.slice('here '.length), each]));
}

const faultsIn = (found: Record<string, Examination>): Examination[] =>
  Object.values(found).filter(({ fix }) => fix !== undefined);

const noLxd = whyNoIncus('lxd');
describe.skipIf(noLxd !== null)(noLxd === null ? 'LXD' : `LXD: ${noLxd}`, () => {
  it('passes all checks, and fixes name commands of LXD', async () => {
    const daemon = await startDaemon('lxd');
    try {
      await furnish(daemon);
      const found = await examine(settingsOf(daemon));
      expect(faultsIn(found)).toEqual([]);
      expect(found.engine?.detail).toMatch(/^LXD 5/);
      const { storage } = await examine({ ...settingsOf(daemon), storagePool: 'fast' });
      expect(storage?.fix).toContain('lxc storage create fast');
    } finally {
      await daemon.stop();
    }
  });
});

const noIncus = whyNoIncus();
describe.skipIf(noIncus !== null)(noIncus === null ? 'a cluster' : `a cluster: ${noIncus}`, () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startCluster(2);
  });
  afterAll(async () => {
    await cluster.stop();
  });

  const urls = (): string[] => cluster.members.map((member) => member.url);
  const settings = (others = urls().slice(1)): IncusSettings => {
    const [url = ''] = urls();
    const alone = settingsOf({ url });
    return { ...alone, address: { ...alone.address, others } };
  };

  it('passes all checks, with the capacity of all members', async () => {
    const found = await examine(settings());
    expect(faultsIn(found)).toEqual([]);
    expect(found.members?.detail).toBe('2, all online');
    const alone = await examine({ ...settings(), vcpuOvercommit: 1 });
    expect(alone.room?.detail).toMatch(new RegExp(`^${2 * (await processors())} vCPUs`));
  });

  it('has each of its URLs checked', async () => {
    const { doors } = await examine(settings([...urls().slice(1), 'unix:///nowhere']));
    expect(doors?.detail).toContain('unix:///nowhere');
    expect(doors?.fix).toContain('systemctl start incus');
  });

  it('has a fault with a fix while one of its members is evacuated', async () => {
    const { client } = cluster.members[0] ?? { client: undefined };
    await client?.run('POST', '/1.0/cluster/members/node2/state', { body: { action: 'evacuate' } });
    const { members } = await examine(settings());
    expect(members).toMatchObject({
      detail: 'node2 is evacuated.',
      fix: expect.stringContaining('incus cluster restore node2'),
    });
    await client?.run('POST', '/1.0/cluster/members/node2/state', { body: { action: 'restore' } });
    expect((await examine(settings())).members?.fix).toBeUndefined();
  });

  async function processors(): Promise<number> {
    const { cpu } =
      (await cluster.members[0]?.client.ask<{ cpu: { total: number } }>('GET', '/1.0/resources')) ?? {};
    return cpu?.total ?? 0;
  }
});
