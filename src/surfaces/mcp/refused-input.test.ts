/** What a model is told if the input of a tool is wrong: in words of the tools, and what to send instead. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKey } from '../../testing/accounts.ts';
import type { TestApp } from '../../testing/app.ts';
import { connectMcp, type McpClient, type McpServer, openAssistant } from '../../testing/mcp.ts';
import type { VpsAccount } from '../../testing/vps.ts';

let t: TestApp;
let close: () => Promise<void>;
let mcp: McpServer;
let agent: McpClient;
let home: VpsAccount;
let firewall: { readonly id: string };

const rule = (i: number) => ({
  direction: 'in',
  action: 'allow',
  protocol: 'tcp',
  ports: [String(1000 + i)],
  remote_cidrs: Array.from({ length: 8 }, (_, n) => `198.51.${i}.${n * 4}/30`),
});

beforeAll(async () => {
  ({ t, mcp, home, agent, close } = await openAssistant());
  const body = { name: 'large', rules: Array.from({ length: 100 }, (_, i) => rule(i)) };
  firewall = (await agent.call('call_write', { operation: 'createVpsFirewall', body })).json.data;
});
afterAll(() => close?.());

it('wait_operations without ids says what to send, in our own words', async () => {
  const { isError, json } = await agent.call('wait_operations', { operation_ids: [] });
  expect(isError).toBe(true);
  expect(json).toMatchObject({
    code: 'validation_failed',
    detail: 'One field is not valid: /operation_ids.',
    next_step: expect.stringContaining('Send operation_ids: the ids of one to 20 operations'),
  });
  expect(json.customer_text).toBeUndefined();
});

it.each(['delete_vm', 'delete-vm', 'DeleteVm', 'deletevm'])(
  'describe_operations says that there is no operation %s, and which one is near',
  async (name) => {
    const { json } = await agent.call('describe_operations', { ids: ['getVm', name] });
    expect(json.operations).toMatchObject([{ operation: 'getVm' }]);
    expect(json.unknown).toMatchObject({
      code: 'unknown_operation',
      next_step: expect.stringMatching(/^Did you mean deleteVm\?/),
    });
    const place = name === 'deletevm' ? name : 'with the name at ids/1';
    expect(json.unknown.detail).toBe(`There is no operation ${place}.`);
  },
);

it('the text of left_out in a row of a list is read with the call that the answer names', async () => {
  const list = { operation: 'listVpsFirewalls', query: { name: 'large' }, fields: ['rules'] };
  const { json } = await agent.call('call_read', list);
  const cursor = json.data[0].rules.at(-1).left_out;
  expect(json.truncated.next_step).toContain('read them with call_read getVpsFirewall');
  const refused = await agent.call('call_read', { ...list, cursor });
  expect([refused.isError, refused.json.code]).toEqual([true, 'invalid_cursor']);
  expect(refused.json.next_step).toContain('call_read getVpsFirewall, the id of the row, and cursor');
  const part = { operation: 'getVpsFirewall', path: { id: firewall.id }, cursor };
  const { data } = (await agent.call('call_read', part)).json;
  expect(data.rules[1]).toMatchObject({ ports: [rule(json.data[0].rules.length - 1).ports[0]] });
});

it('our own sentences stand in detail, and names that somebody chose do not', async () => {
  const plan = {
    name: 'm',
    location: 'fra1',
    plan: 'flex-9-9',
    source: { type: 'image', image_id: 'none-1' },
  };
  const { json: wrong } = await agent.call('call_write', { operation: 'createVm', body: plan });
  const details = wrong.errors.map(({ detail }: { detail: string }) => detail).join(' ');
  expect(details).toContain('There is no plan "…"; did you mean flex-1-1? There are: flex-1-1,');
  expect(details).toContain('There is no image "…". Valid: windows-server-2025,');
  const again = { operation: 'createVpsFirewall', body: { name: 'large' } };
  const { json: taken } = await agent.call('call_write', again);
  expect(taken.detail).toMatch(
    /^The firewall fw_\w+ already has the name …\. call_read getVpsFirewall with path/,
  );
  expect(taken.customer_text.detail).toContain('already has the name large.');
  const { key } = await createKey(t.services.db, home.account, { permissions: ['flexible-vps:vms:read'] });
  const reader = await connectMcp(mcp.url, key);
  const { json: denied } = await reader.call('call_write', again);
  await reader.close();
  expect(denied.detail).toMatch(
    /^This call needs flexible-vps:firewalls:write; the key has flexible-vps:vms:read/,
  );
  expect(denied.customer_text).toBeUndefined();
});

it.each([
  ['if_match', { if_match: 'old', body: { description: 'x' } }],
  ['an etag in the body', { body: { description: 'x', etag: 'old' } }],
])('an old version in %s is refused in words of the tool', async (_, more) => {
  const call = { operation: 'updateVpsFirewall', path: { id: firewall.id }, ...more };
  const { json, text } = await agent.call('call_write', call);
  expect(json).toMatchObject({ status: 412, code: 'etag_mismatch' });
  expect(text).toContain('if_match');
  expect(text).not.toMatch(/If-(None-)?Match|ETag/);
});
