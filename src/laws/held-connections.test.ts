/**
 * Whatever a key holds open ends with the right to it: long-polls, calls that wait for their operation, event streams
 * and consoles. It ends with the problem that a new call gets, also in a process that did not make the change.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MemoryRateLimit } from '../kernel/rate-limit/memory.ts';
import { isAsync } from '../kernel/record.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { dialConsole, refusalOf, type Session } from '../testing/console-client.ts';
import { StreamReader } from '../testing/stream-reader.ts';
import { VpsAccount } from '../testing/vps.ts';
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
  there = await createTestApp({ database: here.database, limiter });
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
  /** The refusal with which it ended. */
  readonly ended: Promise<string>;
}

/** A key that holds connections, and a machine of its account. */
interface Client extends Holder {
  readonly vps: VpsAccount;
  readonly vmId: string;
}

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

const createSession = ({ vmId }: Client): Request => ({
  method: 'POST',
  url: `/flexible-vps/v1/vms/${vmId}/console-sessions`,
  payload: {},
});

const sessionOf = async (client: Client): Promise<Session> =>
  (await send(client, createSession(client))).json();

const consoles: Record<string, (client: Client) => Promise<Held>> = {
  async 'flexible-vps'(client) {
    const socket = dialConsole(await sessionOf(client), port);
    // The prompt of the machine: bytes go both ways.
    await once(socket, 'message');
    const ended = once(socket, 'close').then(([code, reason]) => `${code} ${reason}`);
    return { title: 'console', again: createSession(client), ended };
  },
};

async function prepare(): Promise<Client> {
  const vps = await VpsAccount.open(here);
  const { id } = await vps.vm();
  return { ...(await prepareHolder(here, vps.account)), vps, vmId: id };
}

const stillOpen = Symbol('still open');
const now = <T>(promise: Promise<T>) => Promise.race([promise, Promise.resolve(stillOpen)]);

describe('everything that can be held open is tried here', () => {
  it('every endpoint that waits or streams, and every family with consoles', () => {
    const { endpoints, families } = there.registry;
    const ids = (found: typeof endpoints) => found.map(({ id }) => id).sort();
    expect(Object.keys(polls).sort()).toEqual(ids(endpoints.filter(({ waits }) => waits)));
    expect(Object.keys(streams).sort()).toEqual(ids(endpoints.filter(({ stream }) => stream !== undefined)));
    const withConsoles = families.filter(({ findConsole }) => findConsole !== undefined);
    expect(Object.keys(consoles)).toEqual(withConsoles.map(({ name }) => name));
  });

  it.each(losses)('it ends at $title, and a token from before opens nothing', async ({ take, answer }) => {
    const client = await prepare();
    const unused = await sessionOf(client);
    const changing: Request = {
      method: 'POST',
      url: '/workshop/v1/machines',
      payload: { name: 'waiting' },
    };
    expect(there.registry.endpoints.some((each) => each.id === 'createMachine' && isAsync(each))).toBe(true);
    const waiting = send(client, changing, { prefer: 'wait=60' });
    const held: Held[] = [];
    for (const open of [polls, streams, consoles].flatMap((each) => Object.values(each)))
      held.push(await open(client));
    // The two polls, the call that waits, the stream and the console.
    await expect.poll(() => there.services.waiters.size, OFTEN).toBe(5);

    await take(client);
    const call = async (request: Request) => outcomeOf(await send(client, request));
    await expect.poll(() => call({ ...changing, payload: {} }), OFTEN).toBe(answer);

    for (const { title, again, ended } of held) {
      const refusal = await call(again);
      if (!/^40[13] /.test(refusal)) expect([title, await now(ended)]).toEqual([title, stillOpen]);
      else expect([title, await ended]).toEqual([title, expect.stringContaining(refusal.slice(4))]);
    }
    expect((await waiting).statusCode).toBe(202);

    const unknown = { url: unused.url.replace(/con_.{26}$/, 'con_01jqzv2m7xe9rs5d3k8w4t6y0b'), token: 'x' };
    const like = async (session: Session) => {
      const { status, body } = await refusalOf(dialConsole(session, port));
      return [status, body.replaceAll(/req_[0-9a-z]{26}/g, 'req')];
    };
    expect(await like(unused)).toEqual(await like(unknown));
  });
});
