/** What a model is told when its address has sent too many requests. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMIT } from '../../kernel/rate-limit/port.ts';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, freshAddress, type TestApp } from '../../testing/app.ts';
import { behindProxy, type McpServer, startMcp } from '../../testing/mcp.ts';

let t: TestApp;
let mcp: McpServer;
let key: string;

beforeAll(async () => {
  t = await createTestApp({ provider: behindProxy });
  mcp = await startMcp(t);
  ({ key } = await createKey(t.services.db, await createAccount(t.services.db)));
});
afterAll(async () => {
  await mcp?.close();
  await t?.close();
});

/** Sends one message from an address that has this many requests left. */
async function send(left: number, method: string, params: object): Promise<string> {
  const address = freshAddress();
  for (let i = 0; i < LIMIT - left; i++) await t.services.limiter.take(address);
  const answer = await fetch(`${mcp.url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-api-key': key,
      'x-forwarded-for': address,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const message = JSON.parse((await answer.text()).replace(/^[^{]*/, ''));
  return (message.result.content ?? message.result.contents)[0].text;
}

it.each([
  ['search_operations', { query: 'server' }],
  ['describe_operations', { ids: ['listVms'] }],
  ['wait_operations', { operation_ids: ['op_1'], timeout_seconds: 0 }],
])('%s beyond the rate limit says how long to wait', async (name, given) => {
  const answer = JSON.parse(await send(0, 'tools/call', { name, arguments: given }));
  expect(answer).toMatchObject({ code: 'rate_limited', retry_after_seconds: expect.any(Number) });
});

it('an operation that cannot be read because of the rate limit is not reported as done', async () => {
  const given = { operation_ids: ['op_1', 'op_2'], timeout_seconds: 0 };
  const answer = JSON.parse(await send(1, 'tools/call', { name: 'wait_operations', arguments: given }));
  expect(answer.all_done).toBe(false);
  expect(answer.operations[1]).toMatchObject({
    code: 'rate_limited',
    next_step: expect.stringMatching(/^Wait retry_after_seconds, then repeat the call/),
    retry_after_seconds: expect.any(Number),
  });
});

it('the page of the account says that it could not be read, instead of showing nothing', async () => {
  const page = JSON.parse(await send(0, 'resources/read', { uri: 'hostplane://account' }));
  expect(page.resources).toMatchObject({ code: 'rate_limited' });
});

it('a confirmation whose state cannot be read says so, and can be used later', async () => {
  const body = { name: 'guard' };
  const made = await send(50, 'tools/call', {
    name: 'call_write',
    arguments: { operation: 'createVpsFirewall', body },
  });
  const call = { operation: 'deleteVpsFirewall', path: { id: JSON.parse(made).data.id } };
  const destroy = async (left: number, more: object) =>
    JSON.parse(await send(left, 'tools/call', { name: 'call_destructive', arguments: { ...call, ...more } }));
  const { confirm_with: confirm } = await destroy(50, {});
  // The request itself counts, its rehearsal does not: the read after it is one too many.
  expect(await destroy(1, { confirm })).toMatchObject({
    code: 'rate_limited',
    retry_after_seconds: expect.any(Number),
  });
  expect((await destroy(50, { confirm })).code).toBeUndefined();
});
