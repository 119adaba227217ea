/** Forty tasks, done by a scripted client against a running server. */
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { behindProxy, connectMcp, type McpServer, startMcp } from '../../testing/mcp.ts';
import { changing } from '../../testing/mcp-tasks/changing.ts';
import { reading } from '../../testing/mcp-tasks/reading.ts';
import type { Desk, Machine } from '../../testing/mcp-tasks/task.ts';
import { traps } from '../../testing/mcp-tasks/traps.ts';
import { VpsAccount } from '../../testing/vps.ts';

const tasks = [...reading, ...changing, ...traps];

let app: TestApp;
let mcp: McpServer;
let home: VpsAccount;
let machines: Desk['machines'];
let foreignId: string;

beforeAll(async () => {
  app = await createTestApp({ provider: behindProxy, works: true });
  mcp = await startMcp(app);
  home = await VpsAccount.open(app);
  const stranger = await VpsAccount.open(app);
  const [web, db, stopped, foreign] = await Promise.all([
    machine(home, 'web-1'),
    machine(home, 'db-1'),
    machine(home, 'stop-1', { start: false }),
    machine(stranger, 'm'),
    ...Array.from({ length: 9 }, (_, i) => machine(home, `more-${i}`)),
  ]);
  machines = { web, db, stopped };
  foreignId = foreign.id;
});
afterAll(async () => {
  await mcp?.close();
  await app?.close();
});

async function machine(owner: VpsAccount, name: string, more: object = {}): Promise<Machine> {
  const body = {
    name,
    location: 'fra1',
    plan: 'flex-1-1',
    source: { type: 'image', image_id: 'ubuntu-24.04' },
    ...more,
  };
  const answer = await owner.send('POST', 'vms', body, { prefer: 'wait=60' });
  expect([name, answer.statusCode]).toEqual([name, 200]);
  return answer.json<Machine>();
}

const tokensOf = (text: string): number => encode(text).length;

describe('an assistant', () => {
  it('has 40 tasks, ten of them traps', () => {
    expect([tasks.length, traps.length]).toEqual([40, 10]);
  });

  it.each(tasks)('$name', async ({ calls, tokens, run }) => {
    const agent = await connectMcp(mcp.url, home.key);
    await run({
      app,
      mcp,
      account: home.account,
      key: home.key,
      agent,
      machines,
      foreignId,
      read: async (path) =>
        (
          await app.call({ url: path.startsWith('/') ? path : `/flexible-vps/v1/${path}`, key: home.key })
        ).json(),
      machine: (name, labels = {}) => machine(home, name, { labels }),
    });
    const used = agent.calls.map(({ text }) => tokensOf(text));
    expect(agent.calls.length).toBeLessThanOrEqual(calls);
    expect(used.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(tokens);
    expect(Math.max(...used)).toBeLessThanOrEqual(6_000);
    await agent.close();
  });
});
