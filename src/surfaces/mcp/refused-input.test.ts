/** What a model is told if the input of a tool is wrong: in words of the tools, and what to send instead. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { behindProxy, connectMcp, type McpClient, type McpServer, startMcp } from '../../testing/mcp.ts';
import { VpsAccount } from '../../testing/vps.ts';

let t: TestApp;
let mcp: McpServer;
let agent: McpClient;
let firewall: { readonly id: string };

const rule = (i: number) => ({
  direction: 'in',
  action: 'allow',
  protocol: 'tcp',
  ports: [String(1000 + i)],
  remote_cidrs: Array.from({ length: 8 }, (_, n) => `198.51.${i}.${n * 4}/30`),
});

beforeAll(async () => {
  t = await createTestApp({ provider: behindProxy });
  mcp = await startMcp(t);
  const { key } = await VpsAccount.open(t);
  agent = await connectMcp(mcp.url, key);
  const body = { name: 'large', rules: Array.from({ length: 100 }, (_, i) => rule(i)) };
  firewall = (await agent.call('call_write', { operation: 'createVpsFirewall', body })).json.data;
});
afterAll(async () => {
  await agent?.close();
  await mcp?.close();
  await t?.close();
});

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
