import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../../testing/app.ts';
import { type McpClient, openAssistant } from '../../testing/mcp.ts';
import { newMachine } from '../../testing/mcp-tasks/task.ts';
import type { VpsAccount } from '../../testing/vps.ts';

let t: TestApp;
let close: () => Promise<void>;
let home: VpsAccount;
let agent: McpClient;
const ids: Record<string, string> = {};

beforeAll(async () => {
  ({ t, home, agent, close } = await openAssistant({ works: true }));
  const make = async (path: string, body: object) =>
    (await home.send('POST', path, body, { prefer: 'wait=60' })).json().id as string;
  ids['web'] = await make('vms', newMachine('web'));
  ids['net'] = await make('networks', { name: 'net', location: 'fra1', ipv4_cidr: '10.77.0.0/24' });
  const rule = { direction: 'in', action: 'allow', protocol: 'tcp', ports: ['22'] };
  ids['door'] = await make('firewalls', { name: 'door', rules: [rule] });
  ids['before'] = await make(`vms/${ids['web']}/snapshots`, { name: 'before' });
});
afterAll(() => close?.());

it('a name can replace an id in a path', async () => {
  const { json } = await agent.call('call_read', { operation: 'getVm', path: { id: 'web' }, fields: ['id'] });
  expect(json.data).toEqual({ id: ids['web'] });
});

it('names can replace ids of a resource and of its part', async () => {
  const path = { id: 'web', snapshot_id: 'before' };
  const parameters = t.registry.endpoints.find(({ id }) => id === 'getVmSnapshot')?.path.match(/\w+(?=\})/g);
  expect(parameters).toEqual(Object.keys(path));
  const { json } = await agent.call('call_read', { operation: 'getVmSnapshot', path });
  expect(json.data.id).toBe(ids['before']);
});

it('names can replace ids in a body, of the type that other members name', async () => {
  const interfaced = { operation: 'attachVmInterface', path: { id: 'web' }, body: { network_id: 'net' } };
  expect((await agent.call('call_write', { ...interfaced, wait_seconds: 60 })).isError).toBe(false);
  const body = { target: { type: 'vm', id: 'web' } };
  const attached = { operation: 'attachVpsFirewall', path: { id: 'door' }, body, wait_seconds: 60 };
  expect((await agent.call('call_write', attached)).isError).toBe(false);
  const { data } = (await agent.call('call_read', { operation: 'getVm', path: { id: 'web' } })).json;
  expect(JSON.stringify(data)).toContain(ids['net']);
  expect(JSON.stringify(data)).toContain(ids['door']);
});

it('names can replace ids in lists of a body', async () => {
  const body = { type: 'power_off', vm_ids: ['web'] };
  const call = { operation: 'performBulkVmAction', body, dry_run: true };
  expect((await agent.call('call_write', call)).json.data.effects[0].id).toBe(ids['web']);
});

it('a name can replace an id in a query', async () => {
  const query = { resource_id: 'web' };
  const { json } = await agent.call('call_read', { operation: 'listEvents', query });
  expect(json.data.length).toBeGreaterThan(0);
  for (const { resource } of json.data) expect(resource.id).toBe(ids['web']);
});

it('slugs of the provider are taken as they are', async () => {
  const source = { type: 'image', image_id: 'debian-12' };
  const call = { operation: 'createVm', body: { ...newMachine('slugs'), source }, dry_run: true };
  expect((await agent.call('call_write', call)).isError).toBe(false);
});

it.each([
  ['call_read', { operation: 'getVm', path: { id: 'wbe' } }, 'path/id'],
  [
    'call_write',
    { operation: 'attachVmInterface', path: { id: 'web' }, body: { network_id: 'nett' } },
    'body/network_id',
  ],
])('an unknown name is refused with candidates: %s %j', async (tool, call, at) => {
  const { isError, json } = await agent.call(tool, call);
  expect([isError, json.code]).toEqual([true, 'not_found']);
  expect(json.detail).toContain(at);
  expect(json.candidates[0]).toMatchObject({ id: at === 'path/id' ? ids['web'] : ids['net'] });
});

it('a name that two resources have is refused with both', async () => {
  const payload = { name: 'web', location: 'fra1', policy: 'spread' };
  const group = (await home.send('POST', 'placement-groups', payload)).json().id;
  const call = { operation: 'listEvents', query: { resource_id: 'web' } };
  const { json } = await agent.call('call_read', call);
  expect(json).toMatchObject({ code: 'ambiguous_name', next_step: expect.stringContaining('Ask the user') });
  expect(json.candidates.map(({ id }: { id: string }) => id).sort()).toEqual([group, ids['web']].sort());
  const { data } = (await agent.call('call_read', { operation: 'getVm', path: { id: 'web' } })).json;
  expect(data.id).toBe(ids['web']);
});
