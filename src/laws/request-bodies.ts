/** What the body of an example can only name once it is there: made first, and put in its place. */
import { insertVm } from '../families/flexible-vps/vms/store.ts';
import { newId } from '../kernel/ids.ts';
import { allocateAddress } from '../resources/addresses/store.ts';
import { settle } from '../testing/operations.ts';
import type { Params, World } from './world.ts';

/** Beside those that the walk itself gives. */
let serial = 1_000_000;
const nextName = (): string => `walk-${process.pid}-${++serial}`;

/** In the place where the walk's machines are. */
async function makeNetwork({ app, key }: World): Promise<string> {
  const payload = {
    name: nextName(),
    location: 'fra1',
    ipv4_cidr: '10.77.0.0/24',
  };
  const answer = await app.call({ method: 'POST', url: '/flexible-vps/v1/networks', payload, key: key.key });
  if (answer.statusCode !== 202) throw new Error(answer.body);
  await settle(app);
  return answer.json<{ id: string }>().id;
}

/** No endpoint reserves one yet. */
export async function reserveAddress({ app, account }: World): Promise<string> {
  const { db, provider } = app.services;
  const row = await allocateAddress(db, {
    pools: provider.catalogue.address_pools,
    location: 'fra1',
    version: 6,
    accountId: account.id,
    kind: 'reserved',
    vmId: null,
    now: new Date(),
  });
  if (row === null) throw new Error('There is no public address left.');
  return row.id;
}

async function makeVm({ app, key }: World): Promise<string> {
  const payload = {
    name: nextName(),
    location: 'fra1',
    plan: 'flex-1-1',
    source: { type: 'image', image_id: 'ubuntu-24.04' },
  };
  const answer = await app.call({ method: 'POST', url: '/flexible-vps/v1/vms', payload, key: key.key });
  if (answer.statusCode !== 202) throw new Error(answer.body);
  await settle(app);
  return answer.json<{ id: string }>().id;
}

/** Straight into the tables and onto its host: a call would be one more that is written down, or refused. */
async function putVm({ app, account }: World): Promise<string> {
  const { db, compute } = app.services;
  const id = newId('vm');
  const size = { vcpus: 1, memoryMb: 1024, diskGb: 20 };
  const image = { account: null, id: 'ubuntu-24.04' };
  const guest = { seed: id, hostname: 'web-1', userData: null, sshKeys: [], passwordHash: null };
  const boot = { architecture: 'amd64', bootMode: 'uefi', secureBoot: false, placement: null } as const;
  const spec = { source: { image }, size, nics: [], guest, ...boot };
  await compute.at('fra1')?.ensureInstance({ account: account.id, id }, spec);
  await insertVm(db, {
    id,
    account_id: account.id,
    name: nextName(),
    status: 'stopped',
    location: 'fra1',
    plan: 'flex-1-1',
    requested: { location: 'fra1', plan: 'flex-1-1' },
    vcpus: size.vcpus,
    memory_mb: size.memoryMb,
    disk_gb: size.diskGb,
    architecture: 'amd64',
    hostname: guest.hostname,
    source: { type: 'image', id: image.id },
    boot_mode: 'uefi',
    secure_boot: false,
    seed: guest.seed,
    configuration: { location: 'fra1', plan: 'flex-1-1' },
  });
  return id;
}

async function nameOf({ app, key }: World, vmId: string): Promise<string> {
  const url = `/flexible-vps/v1/vms/${encodeURIComponent(vmId)}`;
  return (await app.call({ method: 'GET', url, key: key.key })).json<{ name: string }>().name;
}

async function takeSnapshot({ app, key }: World, vmId: string): Promise<string> {
  const url = `/flexible-vps/v1/vms/${encodeURIComponent(vmId)}/snapshots`;
  const payload = { name: `walk-${process.pid}-${++serial}` };
  const answer = await app.call({ method: 'POST', url, payload, key: key.key });
  // Of a machine that is gone, or where a law has everything refused, there is none; whoever asks for it is refused too.
  if ([404, 429, 500, 503].includes(answer.statusCode)) return newId('snapshot');
  if (answer.statusCode !== 202) throw new Error(answer.body);
  await settle(app);
  return answer.json<{ id: string }>().id;
}

type Make = (world: World, params: Params) => Promise<object>;

/** By the id of the endpoint. */
export const bodies: Readonly<Record<string, Make>> = {
  attachVmInterface: async (world) => ({ network_id: await makeNetwork(world) }),
  attachVmPublicIp: async (world) => ({ ip_id: await reserveAddress(world) }),
  redeployVm: async (world, { id = '' }) => ({ confirm: await nameOf(world, id) }),
  restoreVm: async (world, { id = '' }) => ({
    source: { type: 'snapshot', snapshot_id: await takeSnapshot(world, id) },
    confirm: await nameOf(world, id),
  }),
  createImage: async (world) => ({ source: { type: 'vm', vm_id: await putVm(world) } }),
  performBulkVmAction: async (world) => ({ vm_ids: [await makeVm(world)] }),
};
