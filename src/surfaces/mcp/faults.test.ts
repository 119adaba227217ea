import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccount, createKey, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { connectMcp, startMcp } from '../../testing/mcp.ts';
import { newMachine } from '../../testing/mcp-tasks/task.ts';
import { buildWorker, startWorker } from '../../testing/worker-process.ts';

let folder: string;
let t: TestApp;
let account: TestAccount;
let key: string;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  t = await createTestApp();
  account = await createAccount(t.services.db);
  ({ key } = await createKey(t.services.db, account));
});
afterAll(async () => {
  await t?.close();
  await removeTemporaryFolder(folder);
});

it('a server that is restarted between two calls answers the same client, which notices nothing', async () => {
  const first = await createTestApp({ database: t.database });
  const old = await startMcp(first);
  const agents = [await connectMcp(old.url, key), await connectMcp(old.url, key, { mode: 'legacy' })];
  for (const agent of agents) await agent.call('call_read', { operation: 'listVms' });
  await old.close();
  for (const agent of agents) await expect(agent.call('get_context')).rejects.toThrow();
  await first.close();
  const second = await createTestApp({ database: t.database });
  const restarted = await startMcp(second, Number(new URL(old.url).port));
  for (const agent of agents) {
    expect((await agent.call('call_read', { operation: 'listVms' })).json.status).toBe(200);
    await agent.close();
  }
  await restarted.close();
  await second.close();
});

it('a wait survives a killed worker, and ends when another worker has finished', async () => {
  const mcp = await startMcp(t);
  const program = await buildWorker(folder);
  const hire = () => startWorker(program, { connection: t.database.connection, leaseSeconds: 2 });
  const killed = await hire();
  const agent = await connectMcp(mcp.url, key);
  const { json } = await agent.call('call_write', { operation: 'createVm', body: newMachine('survivor') });
  const operationId: string = json.operation.id;
  const waiting = agent.call('wait_operations', { operation_ids: [operationId], timeout_seconds: 60 });
  await expect
    .poll(async () => (await t.call({ url: `/account/v1/operations/${operationId}`, key })).json().status)
    .toBe('running');
  await killed.end('SIGKILL');
  const heir = await hire();
  const waited = await waiting;
  expect(waited.json).toMatchObject({ all_done: true, operations: [{ status: 'succeeded' }] });
  await heir.end('SIGTERM');
  await agent.close();
  await mcp.close();
});
