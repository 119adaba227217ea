import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { behindProxy, connectMcp, type McpServer, startMcp } from '../../testing/mcp.ts';

const GROUPS = 16;

let t: TestApp;
let mcp: McpServer;
let key: string;

beforeAll(async () => {
  t = await createTestApp({ provider: behindProxy });
  mcp = await startMcp(t);
  ({ key } = await createKey(t.services.db, await createAccount(t.services.db)));
  const labels = Object.fromEntries(
    Array.from({ length: 32 }, (_, i) => [
      `label-${i}`,
      'a value that is long enough to cost many tokens, 63 characters',
    ]),
  );
  for (let i = 0; i < GROUPS; i++) {
    const payload = { name: `group-${i}`, location: 'fra1', policy: 'spread', labels };
    const answer = await t.call({ method: 'POST', url: '/flexible-vps/v1/placement-groups', key, payload });
    expect(answer.statusCode).toBe(201);
  }
});
afterAll(async () => {
  await mcp?.close();
  await t?.close();
});

it('a list beyond the budget comes in more pages, and no row is lost or doubled', async () => {
  const agent = await connectMcp(mcp.url, key);
  const seen: string[] = [];
  let pages = 0;
  for (let cursor: string | null | undefined; cursor !== null; pages++) {
    const { text, json } = await agent.call('call_read', {
      operation: 'listPlacementGroups',
      limit: 50,
      ...(cursor === undefined ? {} : { cursor }),
    });
    expect(encode(text).length).toBeLessThanOrEqual(6_000);
    if (json.next_cursor !== null) expect(json.truncated.rows_in_this_answer).toBe(json.data.length);
    seen.push(...json.data.map((row: { id: string }) => row.id));
    cursor = json.next_cursor;
  }
  expect(pages).toBeGreaterThan(1);
  expect([seen.length, new Set(seen).size]).toEqual([GROUPS, GROUPS]);
  await agent.close();
});

it('with only the members that are needed, the list fits', async () => {
  const agent = await connectMcp(mcp.url, key);
  const call = { operation: 'listPlacementGroups', limit: 50, fields: ['id', 'name'] };
  const { json } = await agent.call('call_read', call);
  expect([json.data.length, json.truncated]).toEqual([GROUPS, undefined]);
  await agent.close();
});
