/**
 * Starts a cluster for one test: daemons in network namespaces of their own, connected by one switch. Any of them can
 * be killed.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineOperation } from '../../engines/compute/incus/client.ts';
import type { Db } from '../../store/database.ts';
import { type Prepare, startDaemon, type TestDaemon } from './daemon.ts';
import { type Furniture, furnishImages, furnishServer, POOL } from './furnish.ts';
import { harnessOf, type IncusHarness, settingsOf } from './harness.ts';
import { ip, makeNamespace, type Namespace, removeNamespace } from './namespace.ts';

export interface TestMember extends TestDaemon {
  /** The member's name within the cluster. */
  readonly name: string;
}

export interface TestCluster {
  readonly members: readonly TestMember[];
  readonly urls: readonly string[];
  /** The status of each member as `asked` sees it; by default the first member is asked. */
  statuses(asked?: TestMember): Promise<Readonly<Record<string, string>>>;
  /** The leader of the cluster's database. Its last writes may be lost if it is killed. */
  leader(): Promise<TestMember>;
  stop(): Promise<void>;
}

export interface ClusterHarness extends IncusHarness {
  readonly cluster: TestCluster;
}

/** The driver sends its requests first to a member that is not the leader. */
export async function openCluster(db: Db): Promise<ClusterHarness> {
  const cluster = await startCluster();
  const [first] = cluster.members as readonly [TestMember];
  const [url = '', ...others] = [...cluster.urls].reverse();
  const settings = { ...settingsOf(first), address: { url, others, credentials: null } };
  return { ...harnessOf(db, { ...first, stop: cluster.stop }, settings), cluster };
}

interface Listed {
  readonly server_name: string;
  readonly status: string;
  readonly roles: readonly string[];
}

interface Invitation {
  readonly serverName: string;
  readonly fingerprint: string;
  readonly addresses: readonly string[];
  readonly secret: string;
  readonly expiresAt: string;
}

const PORT = 8443;
const POOL_SIZE = '64GiB';
/** The minimum that the engine accepts. */
const LOST_AFTER_SECONDS = 11;
const hostOf = (index: number): string => `10.66.0.${index + 1}`;
const serverOf = (index: number): string => `${hostOf(index)}:${PORT}`;

export async function startCluster(
  count = 3,
  furniture: Furniture = {},
  prepare: (index: number) => Prepare | undefined = () => undefined,
): Promise<TestCluster> {
  const plug = await makeNamespace();
  const end = (): void => removeNamespace(plug);
  process.once('exit', end);
  const members: TestMember[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(members.map((member) => member.stop()));
    process.off('exit', end);
    end();
  };
  try {
    await ip('-n', plug.name, 'link', 'add', 'switch', 'type', 'bridge');
    await ip('-n', plug.name, 'link', 'set', 'switch', 'up');
    const started = await Promise.allSettled(
      Array.from({ length: count }, (_, index) => startDaemon('incus', prepare(index))),
    );
    for (const [index, one] of started.entries())
      if (one.status === 'fulfilled') members.push({ ...one.value, name: `node${index + 1}` });
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    await Promise.all(members.map((member, index) => connect(plug, member, index)));
    await form(members, furniture);
    return clusterOf(members, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function connect(plug: Namespace, { namespace }: TestMember, index: number): Promise<void> {
  const port = `port${index + 1}`;
  const far = ['peer', 'name', 'lan', 'netns', namespace.name];
  await ip('-n', plug.name, 'link', 'add', port, 'type', 'veth', ...far);
  await ip('-n', plug.name, 'link', 'set', port, 'master', 'switch', 'up');
  await ip('-n', namespace.name, 'addr', 'add', `${hostOf(index)}/24`, 'dev', 'lan');
  await ip('-n', namespace.name, 'link', 'set', 'lan', 'up');
}

/** Sets up everything a location needs on the first member; the members that join get the same. */
async function form(members: readonly TestMember[], furniture: Furniture): Promise<void> {
  const [first, ...others] = members;
  if (first === undefined) throw new Error('A cluster has members.');
  const { poolSize = POOL_SIZE } = furniture;
  await furnishServer(first, { ...furniture, poolSize });
  const configure = (config: Readonly<Record<string, string>>) =>
    first.client.run('PATCH', '/1.0', { body: { config } });
  await configure({ 'core.https_address': serverOf(0) });
  await first.client.run('PUT', '/1.0/cluster', { body: { server_name: first.name, enabled: true } });
  await configure({ 'cluster.offline_threshold': String(LOST_AFTER_SECONDS) });
  for (const member of others) await admit(first, member, members.indexOf(member), poolSize);
  // Uploaded after all members have joined, so that each of them gets the images.
  await furnishImages(first, furniture);
}

async function admit(first: TestMember, member: TestMember, index: number, poolSize: string): Promise<void> {
  // The invitation is an engine operation that runs until the member has joined, so `run` would wait forever here.
  const { metadata } = await first.client.ask<EngineOperation>('POST', '/1.0/cluster/members', {
    body: { server_name: member.name },
  });
  const invitation = metadata as unknown as Invitation;
  const token = {
    server_name: member.name,
    fingerprint: invitation.fingerprint,
    addresses: invitation.addresses,
    secret: invitation.secret,
    expires_at: invitation.expiresAt,
  };
  const ofPool = { entity: 'storage-pool', name: POOL };
  await member.client.run('PUT', '/1.0/cluster', {
    body: {
      server_name: member.name,
      enabled: true,
      server_address: serverOf(index),
      cluster_address: serverOf(0),
      cluster_certificate: await readFile(join(first.folder, 'cluster.crt'), 'utf8'),
      cluster_token: Buffer.from(JSON.stringify(token)).toString('base64'),
      member_config: [
        { ...ofPool, key: 'source', value: '' },
        { ...ofPool, key: 'size', value: poolSize },
      ],
    },
  });
}

function clusterOf(members: readonly TestMember[], stop: () => Promise<void>): TestCluster {
  const [first] = members as readonly [TestMember];
  const list = (asked: TestMember): Promise<readonly Listed[]> =>
    asked.client.ask<readonly Listed[]>('GET', '/1.0/cluster/members', { query: { recursion: 1 } });
  return {
    members,
    urls: members.map(({ url }) => url),
    async statuses(asked = first) {
      return Object.fromEntries((await list(asked)).map(({ server_name, status }) => [server_name, status]));
    },
    async leader() {
      const name = (await list(first)).find(({ roles }) => roles.includes('database-leader'))?.server_name;
      const found = members.find((member) => member.name === name);
      if (found === undefined) throw new Error('Nobody leads.');
      return found;
    },
    stop,
  };
}
