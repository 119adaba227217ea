/**
 * Whatever a key holds open ends with the right to it: long-polls, calls that wait for their operation, event streams,
 * tools of MCP that wait, and what calls and tools hand out (consoles, download links), before and in the middle of its
 * use. It ends with the problem that a new call gets, also in a process that did not make the change.
 */
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MemoryRateLimit } from '../kernel/rate-limit/memory.ts';
import { isAsync } from '../kernel/record.ts';
import { toolFor } from '../surfaces/mcp/describe.ts';
import { type ToolName, tools } from '../surfaces/mcp/tools.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { makeLargeBackup } from '../testing/large-backup.ts';
import { connectMcp, type McpClient, type McpServer, startMcp } from '../testing/mcp.ts';
import { StreamReader } from '../testing/stream-reader.ts';
import { VpsAccount } from '../testing/vps.ts';
import { exemptFrom } from './exemptions.ts';
import { type Handed, handed, handingOut, type Ids, slowDownloads } from './handed-out.ts';
import { type Holder, losses, prepareHolder } from './lost-rights.ts';
import { outcomeOf } from './responses.ts';

const OFTEN = { interval: 10 };
const LOOPBACK = '127.0.0.1';

/** Two apps on one database, like two processes. `here` makes the change, and `there` holds the connections. */
let here: TestApp;
let there: TestApp;
let port: number;
let mcp: McpServer;

beforeAll(async () => {
  // All clients share the loopback address. A clock that jumps ahead keeps them below the rate limit.
  let clock = 0;
  const limiter = new MemoryRateLimit({ now: () => (clock += 1000) });
  here = await createTestApp();
  there = await createTestApp({ database: here.database, limiter, provider: slowDownloads });
  await there.app.listen({ port: 0, host: LOOPBACK });
  port = (there.app.server.address() as AddressInfo).port;
  mcp = await startMcp(there);
});
/** Ends what is still held, so that the next test counts only its own. */
afterEach(async () => {
  await here.services.db.updateTable('api_keys').set({ status: 'revoked' }).execute();
  await expect.poll(() => there.services.waiters.size, OFTEN).toBe(0);
});
afterAll(async () => {
  await mcp.close();
  await there.close();
  await here.close();
});

interface Request {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly payload?: object;
}

interface Held {
  readonly title: string;
  /** The call that a client would make to hold the same again. */
  readonly again: Request;
  /** The refusal with which it ended, if the client learns it. */
  readonly ended: Promise<string>;
  readonly tellsReason?: boolean;
  /** What it answers instead of a refusal: a change that has begun goes on. */
  readonly answer?: string;
}

/** A key that holds connections, with a machine and a backup of its account. */
interface Client extends Holder, Ids {
  readonly assistant: McpClient;
}

const send = ({ key }: Holder, request: Request, headers: Record<string, string> = {}) =>
  there.call({ ...request, key: key.key, remoteAddress: LOOPBACK, headers });

async function poll(client: Client, title: string, again: Request): Promise<Held> {
  return { title, again, ended: send(client, again, { prefer: 'wait=60' }).then(outcomeOf) };
}

const MACHINES = '/workshop/v1/machines';

const nameOf = ({ key }: Client, mark: string): string => `${mark}-${key.publicId.toLowerCase()}`;

async function startMachine(client: Client, mark: string): Promise<{ id: string; operationId: string }> {
  const payload = { name: nameOf(client, mark) };
  const { id, operation } = (await send(client, { method: 'POST', url: MACHINES, payload })).json();
  return { id, operationId: operation.id };
}

const EVENTS = '/account/v1/events?since=now&types=price.change_announced';

/** By endpoint: how to hold a call of it. No worker runs, so an operation does not end. */
const polls: Record<string, (client: Client) => Promise<Held>> = {
  listEvents: (client) => poll(client, 'listEvents', { method: 'GET', url: EVENTS }),
  getOperation: async (client) => {
    const url = `/account/v1/operations/${(await startMachine(client, 'm')).operationId}`;
    return poll(client, 'getOperation', { method: 'GET', url });
  },
};

const streams: Record<string, (client: Client) => Promise<Held>> = {
  async listEvents(client) {
    const reader = await StreamReader.open(port, EVENTS, { 'x-api-key': client.key.key });
    const ended = reader
      .end()
      .then(({ text }) => /event: end\ndata: {"code":"(.*)"}/.exec(text)?.[1] ?? text);
    return { title: 'stream of listEvents', again: { method: 'GET', url: EVENTS }, ended };
  },
};

/** By tool of MCP: how to let it wait. A tool that changes something answers that the change has begun. */
const mcpWaits: Partial<Record<ToolName, (client: Client) => Promise<Held>>> = {
  async wait_operations(client) {
    const { operationId: id } = await startMachine(client, 'w');
    const ended = client.assistant.call('wait_operations', { operation_ids: [id], timeout_seconds: 60 });
    const again: Request = { method: 'GET', url: `/account/v1/operations/${id}` };
    return { title: 'wait_operations', again, ended: ended.then(({ text }) => text) };
  },
  async call_write({ assistant }) {
    const payload = { name: 'written' };
    const given = { operation: 'createMachine', body: payload, wait_seconds: 60 };
    const ended = assistant.call('call_write', given).then(({ json }) => String(json.status));
    return { title: 'call_write', again: { method: 'POST', url: MACHINES, payload }, ended, answer: '202' };
  },
  async call_destructive(client) {
    const { id } = await startMachine(client, 'd');
    const call = { operation: 'deleteMachine', path: { id } };
    const { json: asked } = await client.assistant.call('call_destructive', call);
    const given = { ...call, confirm: asked.confirm_with, wait_seconds: 60 };
    const ended = client.assistant.call('call_destructive', given).then(({ json }) => String(json.status));
    return {
      title: 'call_destructive',
      again: { method: 'DELETE', url: `${MACHINES}/${id}` },
      ended,
      answer: '202',
    };
  },
};

const callFor = (client: Client, { urlOf }: Handed): Request => ({
  method: 'POST',
  url: urlOf(client),
  payload: {},
});

/** Hands the secret out in each way that there is: by a call, and by a tool of MCP. */
async function handOut(
  client: Client,
  id: string,
  each: Handed,
): Promise<[title: string, answer: unknown][]> {
  const answer = await send(client, callFor(client, each));
  expect(answer.statusCode, answer.body).toBe(201);
  const endpoint = there.registry.endpoints.find((record) => record.id === id)!;
  const path = { id: each.resourceOf(client) };
  const { json } = await client.assistant.call(toolFor(endpoint), { operation: id, path, body: {} });
  expect(json).toMatchObject({ status: 201 });
  return [
    [id, answer.json()],
    [`${id} by MCP`, json.data],
  ];
}

async function prepare(): Promise<Client> {
  const vps = await VpsAccount.open(here);
  const { id } = await vps.vm();
  const backupId = await makeLargeBackup(vps);
  const holder = await prepareHolder(here, vps.account);
  return { ...holder, vmId: id, backupId, assistant: await connectMcp(mcp.url, holder.key.key) };
}

const stillOpen = Symbol('still open');
const now = <T>(promise: Promise<T>) => Promise.race([promise, Promise.resolve(stillOpen)]);

/** Secrets that nobody has used, with the refusal that each has to get. */
class Unused {
  readonly #secrets: [title: string, each: Handed, answer: unknown][] = [];

  static async of(client: Client): Promise<Unused> {
    const unused = new Unused();
    for (const [id, each] of Object.entries(handed))
      for (const [title, answer] of await handOut(client, id, each))
        unused.#secrets.push([title, each, answer]);
    return unused;
  }

  async expectRefused(): Promise<void> {
    for (const [title, each, answer] of this.#secrets)
      expect([title, await each.refusal(answer, port)]).toEqual([
        title,
        await each.refusal(each.unknown(answer), port),
      ]);
  }
}

async function openAll(client: Client): Promise<Held[]> {
  const held: Held[] = [];
  for (const [id, each] of Object.entries(handed))
    for (const [title, answer] of await handOut(client, id, each)) {
      const { ended } = await each.open(answer, port);
      held.push({ title, again: callFor(client, each), ended, tellsReason: each.tellsReason });
    }
  return held;
}

async function expectEnded({ title, again, ended, tellsReason = true, answer }: Held, client: Client) {
  const refusal = outcomeOf(await send(client, again));
  const reason = answer ?? (tellsReason ? expect.stringContaining(refusal.slice(4)) : 'cut off');
  if (!/^40[13] /.test(refusal)) expect([title, await now(ended)]).toEqual([title, stillOpen]);
  else expect([title, await ended]).toEqual([title, reason]);
}

describe('everything that can be held open is tested here', () => {
  it('every endpoint that waits or streams, and every secret that an answer contains', () => {
    const { endpoints } = there.registry;
    const ids = (found: typeof endpoints) => found.map(({ id }) => id).sort();
    expect(Object.keys(polls).sort()).toEqual(ids(endpoints.filter(({ waits }) => waits)));
    expect(Object.keys(streams).sort()).toEqual(ids(endpoints.filter(({ stream }) => stream !== undefined)));
    expect([...Object.keys(handed), ...exemptFrom('secretsOfResources')].sort()).toEqual(handingOut);
  });

  it('every tool of MCP that waits', () => {
    const waiting = tools.filter(({ input }) =>
      Object.keys(input.properties).some((name) => /_seconds$/.test(name)),
    );
    expect(Object.keys(mcpWaits).sort()).toEqual(waiting.map(({ name }) => name).sort());
  });

  it.each(losses)(
    'a held connection ends after $title, and an older token is refused',
    async ({ take, answer }) => {
      const client = await prepare();
      const unused = await Unused.of(client);
      const changing: Request = { method: 'POST', url: MACHINES, payload: { name: 'waiting' } };
      expect(there.registry.endpoints.some((each) => each.id === 'createMachine' && isAsync(each))).toBe(
        true,
      );
      const waiting = send(client, changing, { prefer: 'wait=60' });
      const held = await openAll(client);
      for (const open of [polls, streams, mcpWaits].flatMap((each) => Object.values(each)))
        held.push(await open(client));
      // All of these, and the call that waits.
      await expect.poll(() => there.services.waiters.size, OFTEN).toBe(held.length + 1);

      await take(client);
      const call = async (request: Request) => outcomeOf(await send(client, request));
      await expect.poll(() => call({ ...changing, payload: {} }), OFTEN).toBe(answer);
      for (const each of held) await expectEnded(each, client);
      expect((await waiting).statusCode).toBe(202);
      await unused.expectRefused();
    },
  );
});

describe('a token that a call handed out', () => {
  it('ends when only its product is switched off, and nothing else ends', async () => {
    const client = await prepare();
    const unused = await Unused.of(client);
    const held = [...(await openAll(client)), await polls['listEvents']!(client)];
    await here.services.db
      .updateTable('account_products')
      .set({ enabled: false })
      .where('account_id', '=', client.account.id)
      .where('family', '=', 'flexible-vps')
      .execute();
    const [{ again }] = held as [Held];
    await expect
      .poll(async () => outcomeOf(await send(client, again)), OFTEN)
      .toBe('403 product_not_enabled');
    for (const each of held) await expectEnded(each, client);
    await unused.expectRefused();
  });

  it('ends with its resource, also while it is in use', async () => {
    const client = await prepare();
    const unused = await Unused.of(client);
    const held = await openAll(client);
    // No worker runs: it ends when the deletion begins.
    for (const each of Object.values(handed)) {
      const url = each.urlOf(client).replace(/\/[^/]+$/, '');
      const deleted = await here.call({ method: 'DELETE', url, key: client.key.key });
      expect(deleted.statusCode, deleted.body).toBe(202);
    }
    for (const { title, ended, tellsReason } of held)
      expect([title, await ended]).toEqual([title, tellsReason ? '1001 The machine is gone.' : 'cut off']);
    await unused.expectRefused();
  });
});
