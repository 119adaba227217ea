/**
 * Whatever a key holds open ends with the right to it: long-polls, calls that wait for their operation, event streams,
 * and what calls hand out (consoles, download links), before and in the middle of its use. It ends with the problem that
 * a new call gets, also in a process that did not make the change.
 */
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MemoryRateLimit } from '../kernel/rate-limit/memory.ts';
import { isAsync } from '../kernel/record.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { makeLargeBackup } from '../testing/large-backup.ts';
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

beforeAll(async () => {
  // All clients share the loopback address. A clock that jumps ahead keeps them below the rate limit.
  let clock = 0;
  const limiter = new MemoryRateLimit({ now: () => (clock += 1000) });
  here = await createTestApp();
  there = await createTestApp({ database: here.database, limiter, provider: slowDownloads });
  await there.app.listen({ port: 0, host: LOOPBACK });
  port = (there.app.server.address() as AddressInfo).port;
});
/** Ends what is still held, so that the next test counts only its own. */
afterEach(async () => {
  await here.services.db.updateTable('api_keys').set({ status: 'revoked' }).execute();
  await expect.poll(() => there.services.waiters.size, OFTEN).toBe(0);
});
afterAll(async () => {
  await there.close();
  await here.close();
});

interface Request {
  readonly method: 'GET' | 'POST';
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
}

/** A key that holds connections, with a machine and a backup of its account. */
interface Client extends Holder, Ids {}

const send = ({ key }: Holder, request: Request, headers: Record<string, string> = {}) =>
  there.call({ ...request, key: key.key, remoteAddress: LOOPBACK, headers });

async function poll(client: Client, title: string, again: Request): Promise<Held> {
  return { title, again, ended: send(client, again, { prefer: 'wait=60' }).then(outcomeOf) };
}

async function startMachine(client: Client): Promise<string> {
  const payload = { name: `m-${client.key.publicId.toLowerCase()}` };
  const answer = await send(client, { method: 'POST', url: '/workshop/v1/machines', payload });
  return answer.json().operation.id;
}

const EVENTS = '/account/v1/events?since=now&types=price.change_announced';

/** By endpoint: how to hold a call of it. No worker runs, so an operation does not end. */
const polls: Record<string, (client: Client) => Promise<Held>> = {
  listEvents: (client) => poll(client, 'listEvents', { method: 'GET', url: EVENTS }),
  getOperation: async (client) => {
    const url = `/account/v1/operations/${await startMachine(client)}`;
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

const callFor = (client: Client, { urlOf }: Handed): Request => ({
  method: 'POST',
  url: urlOf(client),
  payload: {},
});

async function handOut(client: Client, each: Handed): Promise<unknown> {
  const answer = await send(client, callFor(client, each));
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json();
}

async function openHanded(client: Client, [title, each]: [string, Handed]): Promise<Held> {
  const { ended } = await each.open(await handOut(client, each), port);
  return { title, again: callFor(client, each), ended, tellsReason: each.tellsReason };
}

async function prepare(): Promise<Client> {
  const vps = await VpsAccount.open(here);
  const { id } = await vps.vm();
  const backupId = await makeLargeBackup(vps);
  return { ...(await prepareHolder(here, vps.account)), vmId: id, backupId };
}

const stillOpen = Symbol('still open');
const now = <T>(promise: Promise<T>) => Promise.race([promise, Promise.resolve(stillOpen)]);

describe('everything that can be held open is tried here', () => {
  it('every endpoint that waits or streams, and every secret that an answer contains', () => {
    const { endpoints } = there.registry;
    const ids = (found: typeof endpoints) => found.map(({ id }) => id).sort();
    expect(Object.keys(polls).sort()).toEqual(ids(endpoints.filter(({ waits }) => waits)));
    expect(Object.keys(streams).sort()).toEqual(ids(endpoints.filter(({ stream }) => stream !== undefined)));
    expect([...Object.keys(handed), ...exemptFrom('secretsOfResources')].sort()).toEqual(handingOut);
  });

  it.each(losses)('it ends at $title, and a token from before opens nothing', async ({ take, answer }) => {
    const client = await prepare();
    const unused: [string, Handed, unknown][] = [];
    for (const [title, each] of Object.entries(handed))
      unused.push([title, each, await handOut(client, each)]);
    const changing: Request = {
      method: 'POST',
      url: '/workshop/v1/machines',
      payload: { name: 'waiting' },
    };
    expect(there.registry.endpoints.some((each) => each.id === 'createMachine' && isAsync(each))).toBe(true);
    const waiting = send(client, changing, { prefer: 'wait=60' });
    const held: Held[] = [];
    for (const open of [polls, streams].flatMap((each) => Object.values(each))) held.push(await open(client));
    for (const each of Object.entries(handed)) held.push(await openHanded(client, each));
    // All of these, and the call that waits.
    await expect.poll(() => there.services.waiters.size, OFTEN).toBe(held.length + 1);

    await take(client);
    const call = async (request: Request) => outcomeOf(await send(client, request));
    await expect.poll(() => call({ ...changing, payload: {} }), OFTEN).toBe(answer);

    for (const { title, again, ended, tellsReason = true } of held) {
      const refusal = await call(again);
      const reason = tellsReason ? expect.stringContaining(refusal.slice(4)) : 'cut off';
      if (!/^40[13] /.test(refusal)) expect([title, await now(ended)]).toEqual([title, stillOpen]);
      else expect([title, await ended]).toEqual([title, reason]);
    }
    expect((await waiting).statusCode).toBe(202);

    for (const [title, each, answer] of unused)
      expect([title, await each.refusal(answer, port)]).toEqual([
        title,
        await each.refusal(each.unknown(answer), port),
      ]);
  });
});
