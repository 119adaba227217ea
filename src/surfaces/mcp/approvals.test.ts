import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approveRequest, denyRequest } from '../../portal-api/approvals/decision.ts';
import { createKey, type TestAccount } from '../../testing/accounts.ts';
import type { TestApp } from '../../testing/app.ts';
import { connectMcp, type McpServer, openAssistant } from '../../testing/mcp.ts';
import { staff } from '../../testing/portal.ts';

let t: TestApp;
let close: () => Promise<void>;
let mcp: McpServer;
let account: TestAccount;
let key: string;

beforeAll(async () => {
  const there = await openAssistant();
  ({ t, mcp, close } = there);
  ({ account, key } = there.home);
});
afterAll(() => close?.());

async function createGroup(): Promise<{ id: string }> {
  const payload = { name: 'group', location: 'fra1', policy: 'spread' };
  return (await t.call({ method: 'POST', url: '/flexible-vps/v1/placement-groups', payload, key })).json();
}

const groupExists = async (id: string): Promise<boolean> =>
  (await t.call({ url: `/flexible-vps/v1/placement-groups/${id}`, key })).statusCode === 200;

describe('a call', () => {
  it('that needs approval says so, and waits for the decision of a person', async () => {
    const { key: careful } = await createKey(t.services.db, account, { approval: 'destructive' });
    const held = await connectMcp(mcp.url, careful);
    const { id } = await createGroup();
    const call = { operation: 'deletePlacementGroup', path: { id } };
    const { json: first } = await held.call('call_destructive', call);
    const asked = await held.call('call_destructive', { ...call, confirm: first.confirm_with });
    expect(asked.json).toMatchObject({
      code: 'approval_required',
      approve_url: expect.stringMatching(/^https?:.*op_/),
      next_call: { tool: 'wait_operations' },
    });
    const operationId = asked.json.operation_id;
    const waiting = held.call('wait_operations', { operation_ids: [operationId], timeout_seconds: 60 });
    await approveRequest(
      t.services.db,
      staff,
      { account_id: account.id, operation_id: operationId },
      t.registry,
    );
    const { json } = await waiting;
    expect(json).toMatchObject({
      all_done: true,
      operations: [{ status: 'succeeded', next_step: expect.stringContaining(operationId) }],
    });
    expect(await groupExists(id)).toBe(true);
    const done = await held.call('call_destructive', { ...call, approval_id: operationId });
    expect([done.json.status, await groupExists(id)]).toEqual([204, false]);
    await held.close();
  });

  it('that opens a firewall needs approval like one that destroys, and no second confirmation after it', async () => {
    const { key: careful } = await createKey(t.services.db, account, { approval: 'destructive' });
    const held = await connectMcp(mcp.url, careful);
    const url = '/flexible-vps/v1/firewalls';
    const { id } = (await t.call({ method: 'POST', url, payload: { name: 'web' }, key })).json();
    const call = { operation: 'updateVpsFirewall', path: { id }, body: { default_in: 'allow' } };
    const { json: first } = await held.call('call_write', call);
    const { json: asked } = await held.call('call_write', { ...call, confirm: first.confirm_with });
    expect(asked.code).toBe('approval_required');
    const input = { account_id: account.id, operation_id: asked.operation_id };
    await approveRequest(t.services.db, staff, input, t.registry);
    const done = await held.call('call_write', { ...call, approval_id: asked.operation_id });
    expect(done.json.status).toBe(202);
    expect((await t.call({ url: `${url}/${id}`, key })).json().default_in).toBe('allow');
    await held.close();
  });

  it('that a person refuses is not made', async () => {
    const { key: careful } = await createKey(t.services.db, account, { approval: 'writes' });
    const held = await connectMcp(mcp.url, careful);
    const call = { operation: 'createPlacementGroup', body: { name: 'never', location: 'fra1' } };
    const { operation_id } = (await held.call('call_write', call)).json;
    await denyRequest(
      t.services.db,
      staff,
      { account_id: account.id, operation_id, reason: 'No.' },
      t.registry,
    );
    const { json } = await held.call('wait_operations', { operation_ids: [operation_id] });
    expect(json.operations[0]).toMatchObject({
      status: 'failed',
      next_step: expect.stringContaining('Not approved'),
    });
    const again = await held.call('call_write', { ...call, approval_id: operation_id });
    expect(again.isError).toBe(true);
    await held.close();
  });
});
