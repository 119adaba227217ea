/** A thousand sessions that come in the same moment: each gets its answer. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { createTestApp, freshAddress, type TestApp } from '../../testing/app.ts';
import { behindProxy, type McpServer, startMcp } from '../../testing/mcp.ts';
import { newMachine } from '../../testing/mcp-tasks/task.ts';
import { settle } from '../../testing/operations.ts';

const SESSIONS = 1_000;
/** Clients and server share one process here, and perhaps a busy machine. */
const TIMEOUT_MS = 300_000;

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

function send(name: string, given: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(`${mcp.url}/mcp`, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-api-key': key,
        'x-forwarded-for': freshAddress(),
      },
    });
    asked.once('response', (answer) => text(answer).then(resolve, reject));
    asked.on('error', reject);
    asked.end(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
    );
  });
}

it.each([
  ['call_read', { operation: 'listVms' }],
  ['get_context', {}],
])(
  '%s: 1,000 sessions at once get their answer',
  async (tool, given) => {
    const answers = await Promise.all(Array.from({ length: SESSIONS }, () => send(tool, given)));
    const refused = answers.filter((answer) => answer.includes('isError'));
    expect([refused.length, refused[0] ?? '']).toEqual([0, '']);
  },
  TIMEOUT_MS,
);

it(
  'wait_operations: 1,000 sessions that wait for the same operation are told its end',
  async () => {
    const created = await send('call_write', { operation: 'createVm', body: newMachine('awaited') });
    const id = /op_[0-9a-z]{26}/.exec(created)?.[0] ?? '';
    const given = { operation_ids: [id], timeout_seconds: 60 };
    const waiting = Array.from({ length: SESSIONS }, () => send('wait_operations', given));
    await expect.poll(() => t.services.waiters.size, { timeout: TIMEOUT_MS }).toBe(SESSIONS);
    await settle(t);
    const answers = await Promise.all(waiting);
    const missed = answers.filter((answer) => !answer.includes('succeeded'));
    expect([missed.length, missed[0] ?? '']).toEqual([0, '']);
  },
  TIMEOUT_MS,
);
