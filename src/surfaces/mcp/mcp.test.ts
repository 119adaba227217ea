import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { families } from '../../families/index.ts';
import { LIMIT } from '../../kernel/rate-limit/port.ts';
import { createKey, type TestAccount } from '../../testing/accounts.ts';
import type { TestApp } from '../../testing/app.ts';
import { connectMcp, type McpClient, type McpServer, openAssistant } from '../../testing/mcp.ts';

let t: TestApp;
let close: () => Promise<void>;
let mcp: McpServer;
let account: TestAccount;
let key: string;
let agent: McpClient;

beforeAll(async () => {
  const there = await openAssistant();
  ({ t, mcp, agent, close } = there);
  ({ account, key } = there.home);
});
afterAll(() => close?.());

const tokensOf = (value: unknown): number =>
  encode(typeof value === 'string' ? value : JSON.stringify(value)).length;

let serial = 0;
async function createGroup(by = agent): Promise<{ id: string; name: string }> {
  const name = `group-${++serial}`;
  const body = { name, location: 'fra1', policy: 'spread' };
  const { json } = await by.call('call_write', { operation: 'createPlacementGroup', body });
  return { id: json.data.id, name };
}

const groupExists = async (id: string): Promise<boolean> =>
  (await t.call({ url: `/flexible-vps/v1/placement-groups/${id}`, key })).statusCode === 200;

const post = (headers: Record<string, string>, body: string, path = '/mcp') =>
  fetch(`${mcp.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-forwarded-for': `192.0.2.${++serial % 250}`,
      ...headers,
    },
    body,
  });

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

describe('the tools', () => {
  it('are seven, take at most 1,100 tokens, and have the right hints', async () => {
    const { tools } = await agent.client.listTools();
    expect(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint]),
    ).toEqual([
      ['get_context', true, undefined],
      ['search_operations', true, undefined],
      ['describe_operations', true, undefined],
      ['call_read', true, undefined],
      ['call_write', false, false],
      ['call_destructive', false, true],
      ['wait_operations', true, undefined],
    ]);
    expect(tokensOf({ tools })).toBeLessThanOrEqual(1_100);
  });

  it('exclude writing ones for every value of X-MCP-Readonly except a clear no', async () => {
    const canWrite = async (value: string) =>
      (await (await post({ 'x-api-key': key, 'x-mcp-readonly': value }, LIST)).text()).includes('call_write');
    for (const value of ['TRUE', '1', 'on', 'enabled'])
      expect([value, await canWrite(value)]).toEqual([value, false]);
    for (const value of ['false', '0']) expect([value, await canWrite(value)]).toEqual([value, true]);
  });

  it.each(['/mcp/readonly', '/mcp'])('exclude writing ones in read-only mode (%s)', async (path) => {
    const headers: Record<string, string> = path === '/mcp' ? { 'x-mcp-readonly': 'true' } : {};
    const reader = await connectMcp(mcp.url, key, { path, headers });
    const { tools } = await reader.client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('call_write');
    expect(tools).toHaveLength(5);
    const { id, name } = await createGroup();
    const refused = await reader.call('call_destructive', {
      operation: 'deletePlacementGroup',
      path: { id },
      confirm: name,
    });
    expect([refused.isError, refused.json.code]).toEqual([true, 'read_only_mode']);
    expect(await groupExists(id)).toBe(true);
    const { json } = await reader.call('search_operations', { query: 'create a placement group' });
    expect(json.hits[0].call_with).toBe('nothing: read-only mode');
    await reader.close();
  });

  it('show the caller, its address and the remaining limits', async () => {
    const { json } = await agent.call('get_context');
    const callable = families.map(({ name, endpoints: { length } }) => [name, `${length}/${length}`]);
    expect(json).toMatchObject({
      account: { id: account.id, status: 'active' },
      role: 'owner',
      rate: { limit: LIMIT },
      mode: 'read and write',
      callable: Object.fromEntries(callable),
    });
    expect(json.locations).toContain('fra1');
  });

  it('find operations that the key may not call, with the missing permission', async () => {
    const { key: weak } = await createKey(t.services.db, account, { permissions: ['flexible-vps:vms:read'] });
    const reader = await connectMcp(mcp.url, weak);
    const asked = await reader.call('search_operations', { query: 'delete a server' });
    expect(asked.json.not_callable).toContainEqual({
      operation: 'deleteVm',
      missing: 'flexible-vps:vms:delete',
    });
    const all = await reader.call('search_operations', { query: 'delete a server', callable_only: false });
    expect(all.json.hits[0]).toMatchObject({ operation: 'deleteVm', missing: 'flexible-vps:vms:delete' });
    await reader.close();
  });

  it('stay within their budgets, for every operation', async () => {
    const ids = t.registry.endpoints.map(({ id }) => id);
    const described = await agent.call('describe_operations', { ids: ['createVm'] });
    expect(tokensOf(described.text)).toBeLessThanOrEqual(2_000);
    for (let i = 0; i < ids.length; i += 5) {
      const { text, json } = await agent.call('describe_operations', { ids: ids.slice(i, i + 5) });
      expect(tokensOf(text)).toBeLessThanOrEqual(6_000);
      expect(json.operations.length + (json.truncated?.not_described.length ?? 0)).toBe(
        ids.slice(i, i + 5).length,
      );
    }
    for (const query of ['server', 'create a network', 'bill', '', 'ip address of a machine', 'delete']) {
      const { text, json } = await agent.call('search_operations', { query, callable_only: false });
      expect([query, tokensOf(text) <= 900]).toEqual([query, true]);
      expect(json.hits.length).toBe(8);
    }
  });
});

describe('a request', () => {
  it('without a key is refused with what to do, like every call of the API', async () => {
    const answer = await post({}, LIST);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(await answer.json()).toMatchObject({
      code: 'api_key_missing',
      next_step: expect.stringContaining('X-API-Key'),
    });
  });

  it.each([
    ['Host', { host: 'evil.example' }, 400],
    ['Origin', { origin: 'https://evil.example' }, 400],
    ['Origin', { origin: 'null' }, 400],
    ['Origin', { origin: 'https://api.example.test' }, 200],
    ['Origin', { origin: 'http://localhost:3000' }, 200],
  ])('from a page of another site is refused (%s)', async (_, headers, status) => {
    const answer = await mcp.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: {
        'x-api-key': key,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        host: '127.0.0.1',
        ...headers,
      },
      payload: LIST,
    });
    expect(answer.statusCode).toBe(status);
  });

  it.each([
    ['is no JSON', '{"jsonrpc":', 400, -32_700],
    ['names a member twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 400, -32_700],
    ['is nested too deeply', `${'['.repeat(40)}${']'.repeat(40)}`, 400, -32_700],
    ['is no JSON-RPC', '{"hello":1}', 400, -32_600],
  ])('whose body %s gets a clear JSON-RPC error', async (_, body, status, code) => {
    const answer = await post({ 'x-api-key': key }, body);
    const { error } = (await answer.json()) as { error: { code: number; message: string } };
    expect([answer.status, error.message !== '']).toEqual([status, true]);
    expect([code, -32_700]).toContain(error.code);
  });

  it('with an unknown version of the protocol gets the versions that exist', async () => {
    const answer = await post({ 'x-api-key': key, 'mcp-protocol-version': '1999-01-01' }, LIST);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toMatch(/version/i);
    const wish = { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const greeting = await post(
      { 'x-api-key': key },
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: wish }),
    );
    expect(await greeting.text()).toContain('"protocolVersion":"2025-');
  });

  it('that is too large is refused before it is read', async () => {
    const answer = await post({ 'x-api-key': key }, JSON.stringify({ x: 'x'.repeat(2_000_000) }));
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      413,
      'payload_too_large',
    ]);
  });

  it('to an unknown method or tool gets an error of the protocol', async () => {
    await expect(agent.client.callTool({ name: 'delete_everything', arguments: {} })).rejects.toThrow(
      /no tool/,
    );
    const answer = await post(
      { 'x-api-key': key },
      JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'no/such' }),
    );
    expect(await answer.text()).toContain('-32601');
  });
});

describe('a call', () => {
  it('is accepted only by the tool of its class', async () => {
    const { id } = await createGroup();
    for (const [tool, operation] of [
      ['call_read', 'deletePlacementGroup'],
      ['call_write', 'deletePlacementGroup'],
      ['call_read', 'createPlacementGroup'],
      ['call_destructive', 'listVms'],
    ] as const) {
      const { isError, json } = await agent.call(tool, { operation, path: { id } });
      expect([isError, json.code]).toEqual([true, 'wrong_tool']);
    }
    expect(await groupExists(id)).toBe(true);
  });

  it.each(t0())('with wrong arguments is refused with what to do: %s', async (_, tool, given, code) => {
    const { isError, json } = await agent.call(tool, given);
    expect([isError, json.code]).toEqual([true, code]);
    expect(json.next_step).toMatch(/\.$/);
  });

  it('is in the audit log with its source, also if it was refused', async () => {
    const { id } = await createGroup();
    await createGroup();
    await agent.call('call_write', {
      operation: 'createPlacementGroup',
      body: { name: 'x y', location: 'fra1' },
    });
    await t.services.audit.flush();
    const { data } = (await t.call({ url: '/account/v1/audit-log?limit=20', key })).json();
    const created = data.find((entry: { resource: { id: string } | null }) => entry.resource?.id === id);
    expect(created).toMatchObject({ source: 'mcp', action: 'createPlacementGroup', outcome: 'succeeded' });
    expect(data).toContainEqual(
      expect.objectContaining({ source: 'mcp', outcome: 'rejected', problem_code: 'validation_failed' }),
    );
  });

  it('beyond the rate limit is refused with a result that says how long to wait', async () => {
    const limited = await connectMcp(mcp.url, key, { headers: { 'x-forwarded-for': '198.51.100.77' } });
    for (let i = 0; i < LIMIT; i++) await t.services.limiter.take('198.51.100.77');
    const { isError, json } = await limited.call('call_read', { operation: 'listVms' });
    expect([isError, json.code]).toEqual([true, 'rate_limited']);
    expect(json.retry_after_seconds).toBeGreaterThan(0);
    const stranger = await post({ 'x-forwarded-for': '198.51.100.77' }, LIST);
    expect(stranger.status).toBe(429);
  });

  it('counts once for the rate limit, however it was made', async () => {
    const counted = await connectMcp(mcp.url, key, { headers: { 'x-forwarded-for': '198.51.100.78' } });
    const left = async () => (await counted.call('get_context')).json.rate.left as number;
    const before = await left();
    await counted.call('call_read', { operation: 'listVms' });
    // get_context itself makes two calls: who am I, and the locations.
    expect(before - (await left())).toBe(3);
    await counted.close();
  });

  it('counts once for each message of a batch', async () => {
    const params = { name: 'call_read', arguments: { operation: 'getWhoami' } };
    const batch = (length: number) =>
      JSON.stringify(
        Array.from({ length }, (_, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params })),
      );
    const headers = { 'x-api-key': key, 'x-forwarded-for': '198.51.100.79' };
    const answer = await post(headers, batch(10));
    expect(answer.headers.get('ratelimit')).toContain(`r=${LIMIT - 10};`);
    expect((await answer.text()).match(/isError/g)).toBeNull();
    const tooMany = await post(headers, batch(LIMIT));
    expect(tooMany.status).toBe(429);
    expect(await tooMany.json()).toMatchObject({ code: 'rate_limited' });
  });

  it('that is refused has a small answer', async () => {
    const long = 'ä€漢'.repeat(2_000);
    const refusals = [
      await agent.call('call_write', { operation: 'createVm', body: { [long]: 1 } }),
      await agent.call('call_read', { operation: 'listVms', query: { [long]: 1 } }),
      await agent.call('search_operations', { [long]: 1 }),
    ];
    for (const { isError, text } of refusals)
      expect([isError, tokensOf(text) <= 6_000]).toEqual([true, true]);
  });
});

function t0(): [string, string, object, string][] {
  return [
    ['unknown operation', 'call_read', { operation: 'listVm' }, 'unknown_operation'],
    ['missing path', 'call_read', { operation: 'getVm' }, 'malformed_request'],
    ['path of another call', 'call_read', { operation: 'listVms', path: { id: 'x' } }, 'malformed_request'],
    ['unknown argument', 'call_read', { operation: 'listVms', force: true }, 'validation_failed'],
    ['wrong type', 'wait_operations', { operation_ids: 'op_1' }, 'validation_failed'],
    ['unknown filter', 'call_read', { operation: 'listVms', query: { colour: 'red' } }, 'validation_failed'],
    [
      'foreign id',
      'call_read',
      { operation: 'getVm', path: { id: 'vm_01jqzv2m7xe9rs5d3k8w4t6y0b' } },
      'not_found',
    ],
    [
      'path that climbs',
      'call_read',
      { operation: 'getVm', path: { id: '../../account/v1/whoami' } },
      'not_found',
    ],
    ['wrong cursor', 'call_read', { operation: 'listVms', cursor: 'abc' }, 'invalid_cursor'],
    ['unknown family', 'search_operations', { family: 'cars' }, 'unknown_family'],
  ];
}
