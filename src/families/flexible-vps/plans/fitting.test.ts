/** Lists that are narrowed to what fits a machine, or the source of a new one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';

let t: TestApp;
let key: string;
let vm: string;

beforeAll(async () => {
  t = await createTestApp();
  key = (await createKey(t.services.db, await createAccount(t.services.db))).key;
  vm = await post('vms', {
    name: 'web',
    location: 'hel1',
    plan: 'flex-2-4a',
    disk_gb: 100,
    source: { type: 'image', image_id: 'debian-13-arm64' },
  });
});
afterAll(() => t.close());

async function post(path: string, payload: object): Promise<string> {
  const answer = await t.call({ method: 'POST', url: `/flexible-vps/v1/${path}`, key, payload });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  await settle(t);
  return answer.json<{ id: string }>().id;
}

async function listed(path: string, query: Record<string, string>, member: 'slug' | 'name' | 'id' = 'slug') {
  const search = new URLSearchParams({ limit: '200', ...query });
  const answer = await t.call({ url: `/flexible-vps/v1/${path}?${search}`, key });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json<{ data: Record<string, string>[] }>().data.map((row) => row[member]);
}

const stranger = 'vm_01jqzv2m7xe9rs5d3k8w4t6y0b';

describe('plans', () => {
  it('for an image have its architecture and enough disk and memory', async () => {
    expect(await listed('plans', { for_source: 'debian-13-arm64', location: 'fra1' })).toEqual([
      'flex-2-4a',
      'flex-4-8a',
      'flex-8-16a',
    ]);
    expect(await listed('plans', { for_source: 'windows-server-2025' })).not.toContain('flex-1-1');
    expect(await listed('plans', { for_source: 'debian-13' })).toContain('flex-1-1');
  });

  it('for a machine or a snapshot have room for its disk', async () => {
    const snapshot = await post(`vms/${vm}/snapshots`, { name: 'before' });
    for (const for_source of [vm, snapshot])
      expect(await listed('plans', { for_source })).toEqual(['flex-4-8a', 'flex-8-16a']);
    expect(await listed('plans', { for_source: stranger })).toEqual([]);
  });

  it('to which a machine can be resized, or not', async () => {
    const all = await listed('plans', { resize_for: vm });
    const allowed = await listed('plans', { resize_for: vm, resize_allowed: 'true' });
    const others = await listed('plans', { resize_for: vm, resize_allowed: 'false' });
    expect(allowed).toEqual(['flex-4-8a', 'flex-8-16a']);
    expect([...allowed, ...others].sort()).toEqual(all.toSorted());
  });

  it('cannot have too little memory for the image of the machine', async () => {
    const windows = await post('vms', {
      name: 'desk',
      location: 'fra1',
      plan: 'flex-4-8',
      source: { type: 'image', image_id: 'windows-server-2025' },
    });
    expect(await listed('plans', { resize_for: windows, resize_allowed: 'true' })).not.toContain('flex-1-1');
  });
});

it('images fit a plan of the location, or the machine', async () => {
  const arm = ['debian-13-arm64', 'ubuntu-24.04-arm64'];
  const names = async (query: Record<string, string>) => (await listed('images', query)).sort();
  expect(await names({ for_vm: vm })).toEqual(arm);
  expect(await names({ for_vm: vm, location: 'fra1' })).toEqual([]);
  expect(await names({ for_vm: stranger })).toEqual([]);
  expect(await names({ location: 'fra1' })).toEqual(expect.arrayContaining(arm));
  expect((await names({ location: 'ams1' })).filter((name) => arm.includes(name ?? ''))).toEqual([]);
});

it('machines are those in the location of the volume', async () => {
  const volume = (location: string) => post('volumes', { name: `of-${location}`, location, size_gb: 10 });
  expect(await listed('vms', { for_volume: await volume('hel1') }, 'id')).toContain(vm);
  expect(await listed('vms', { for_volume: await volume('ams1') }, 'id')).toEqual([]);
  expect(await listed('vms', { for_volume: 'vol_01jqzv2m7xe9rs5d3k8w4t6y0b' }, 'id')).toEqual([]);
});

const network = (name: string, location: string, third: number) =>
  post('networks', { name, location, ipv4_cidr: `10.10.${third}.0/24` });

it('networks and placement groups are those that the machine can join', async () => {
  const [joined] = [await network('joined', 'hel1', 1), await network('open', 'hel1', 2)];
  await network('elsewhere', 'fra1', 3);
  await post(`vms/${vm}/interfaces`, { network_id: joined });
  expect(await listed('networks', { for_vm: vm }, 'name')).toEqual(['open']);
  expect(await listed('networks', { for_vm: stranger }, 'name')).toEqual([]);
  await post('placement-groups', { name: 'here', location: 'hel1' });
  await post('placement-groups', { name: 'there', location: 'fra1' });
  expect(await listed('placement-groups', { for_vm: vm }, 'name')).toEqual(['here']);
  expect(await listed('placement-groups', { for_vm: vm, location: 'fra1' }, 'name')).toEqual([]);
});

it('networks are those that the VPN gateway can lead into', async () => {
  const [joined] = [await network('inside', 'fra1', 4), await network('possible', 'fra1', 5)];
  await network('in-the-tunnel', 'fra1', 6);
  await network('far-away', 'hel1', 7);
  const gateway = await post('vpn-gateways', {
    name: 'office',
    location: 'fra1',
    network_ids: [joined],
    tunnel_ipv4_cidr: '10.10.6.0/24',
  });
  const names = await listed('networks', { for_vpn_gateway: gateway }, 'name');
  expect(names).toEqual(expect.arrayContaining(['inside', 'possible']));
  expect(names).not.toContain('in-the-tunnel');
  expect(names).not.toContain('far-away');
  expect(await listed('networks', { for_vpn_gateway: 'vpn_01jqzv2m7xe9rs5d3k8w4t6y0b' }, 'name')).toEqual([]);
});
