import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { newId } from '../../../kernel/ids.ts';
import type { ServerOptions } from '../../../surfaces/http/server.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { dialConsole, refusalOf, type Session } from '../../../testing/console-client.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';
import { consoleSessionUpkeep } from './console-line.ts';

/** Long enough for a busy machine to answer a ping. */
const BEAT_MS = 500;

let app: TestApp;
let vps: VpsAccount;
let vm: Vm;
let port: number;
const opened: WebSocket[] = [];

beforeAll(async () => {
  app = await createTestApp();
  port = await listen(app);
});
beforeEach(async () => {
  vps = await VpsAccount.open(app);
  vm = await vps.vm();
});
afterEach(async () => {
  for (const socket of opened.splice(0)) socket.terminate();
  await clearFaults(app.services.db);
});
afterAll(() => app.close());

async function listen({ app: server }: TestApp): Promise<number> {
  await server.listen({ port: 0, host: '127.0.0.1' });
  return (server.server.address() as AddressInfo).port;
}

/** Another server on the same database, like another process. */
const another = (server: ServerOptions = {}) => createTestApp({ database: app.database, server });

const ask = (body: object = {}, headers = {}) =>
  vps.send('POST', `vms/${vm.id}/console-sessions`, body, headers);

async function session(body: object = {}): Promise<Session> {
  const answer = await ask(body);
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json<Session>();
}

function dial(given: Session, at = port): WebSocket {
  const socket = dialConsole(given, at);
  opened.push(socket);
  return socket;
}

/** A client that records the output of a console and can wait for a text in it. */
class Terminal {
  readonly socket: WebSocket;
  heard = '';
  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (said: Buffer) => {
      this.heard += said.toString();
    });
  }
  async until(text: string | RegExp): Promise<void> {
    while (this.heard.search(text) < 0) await once(this.socket, 'message');
  }
  async type(line: string): Promise<string> {
    const before = this.heard.length;
    this.socket.send(`${line}\n`);
    while (!/# $/.test(this.heard.slice(before))) await once(this.socket, 'message');
    return this.heard.slice(before);
  }
}

async function connected(given: Session): Promise<Terminal> {
  const terminal = new Terminal(dial(given));
  await once(terminal.socket, 'open');
  return terminal;
}

async function refused(socket: WebSocket): Promise<{ status: number | undefined; code: string }> {
  const { status, body } = await refusalOf(socket);
  return { status, code: (JSON.parse(body) as { code: string }).code };
}

const rows = () =>
  app.services.db.selectFrom('console_sessions').selectAll().where('vm_id', '=', vm.id).execute();

async function gone(): Promise<void> {
  while ((await rows()).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a console', () => {
  it('connects to the shell of the machine in both directions', async () => {
    const terminal = await connected(await session({ type: 'serial' }));
    expect(terminal.socket.protocol).toBe('hostplane.console');
    await terminal.until(/automatic login.*# $/s);
    expect(await terminal.type('hostname')).toContain(vm.hostname);
    await terminal.type('echo still here > /root/note');
    expect(await terminal.type('cat /root/note')).toContain('still here');
    terminal.socket.send('exit\n');
    const [code] = await once(terminal.socket, 'close');
    expect(code).toBe(1000);
    await gone();
  });

  it('records who requested it, and stores only a hash of the token', async () => {
    const answer = await ask({ ttl_seconds: 60 });
    expect(answer.headers['cache-control']).toBe('no-store');
    const { url, token, protocol, expires_at } = answer.json();
    expect({ protocol, isSecure: url.startsWith('wss://api.example.test/console/con_') }).toEqual({
      protocol: 'serial',
      isSecure: true,
    });
    expect(new Date(expires_at).getTime() - Date.now()).toBeLessThanOrEqual(60_000);
    const events = await app.services.db
      .selectFrom('events')
      .select('type')
      .where('resource_id', '=', vm.id)
      .where('type', '=', 'vm.console_opened')
      .execute();
    expect(events).toHaveLength(1);
    const terminal = await connected({ url, token });
    const kept = JSON.stringify(await rows());
    expect(kept).not.toContain(token);
    expect(app.logged.join('')).not.toContain(token);
    expect(app.logged.join('')).toContain(new URL(url).pathname);
    terminal.socket.close();
    await gone();
  });

  it('is repeated without its token for the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': vm.id };
    const first = await ask({}, headers);
    const again = await ask({}, headers);
    expect(again.json()).toEqual({ ...first.json(), token: null, secret_returned_before: true });
  });

  it('404: can be opened once, before its expiry, and with its own token only', async () => {
    const first = await session();
    const other = await session();
    const { socket } = await connected(first);
    const second = await refused(dial(first));
    expect(second).toEqual({ status: 404, code: 'not_found' });
    expect(await refused(dial({ url: other.url, token: first.token }))).toEqual(second);
    expect(
      await refused(
        dial({ url: `${other.url.slice(0, -26)}01jqzv2m7xe9rs5d3k8w4t6y0b`, token: other.token }),
      ),
    ).toEqual(second);
    const bare = new WebSocket(`ws://127.0.0.1:${port}${new URL(other.url).pathname}?token=${other.token}`);
    bare.on('error', () => undefined);
    expect(await refused(bare)).toEqual(second);
    await app.services.db
      .updateTable('console_sessions')
      .set({ expires_at: new Date(0) })
      .execute();
    expect(await refused(dial(other))).toEqual(second);
    expect(socket.readyState).toBe(WebSocket.OPEN);
  });

  it('409: a sixth session of one machine is refused until one is closed or has expired', async () => {
    const sessions = [];
    for (let i = 0; i < 5; i++) sessions.push(await session());
    const { socket } = await connected(sessions[0]!);
    const full = await ask();
    expect(full.statusCode).toBe(409);
    expect(full.json()).toMatchObject({ code: 'quota_exceeded', limit: 5, used: 5 });
    socket.close();
    while ((await rows()).length > 4) await new Promise((resolve) => setTimeout(resolve, 5));
    await session();
    await app.services.db
      .updateTable('console_sessions')
      .set({ expires_at: new Date(0) })
      .execute();
    await consoleSessionUpkeep.run(app.services);
    expect(await rows()).toEqual([]);
  });

  it('counts as open while a client is connected, and no longer after its process died', async () => {
    const beating = await another({ consoleBeatMilliseconds: BEAT_MS });
    await once(dial(await session(), await listen(beating)), 'open');
    const { db } = app.services;
    await db
      .updateTable('console_sessions')
      .set({ expires_at: new Date(0), seen_at: new Date(0) })
      .execute();
    // The next heartbeat of the connection updates `seen_at`.
    while ((await rows())[0]!.seen_at!.getTime() === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    await consoleSessionUpkeep.run(app.services);
    expect(await rows()).toHaveLength(1);
    await beating.close();
  });

  it('is closed when its machine is deleted', async () => {
    const beating = await another({ consoleBeatMilliseconds: BEAT_MS });
    const socket = dial(await session(), await listen(beating));
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await vps.send('DELETE', `vms/${vm.id}`);
    await settle(app);
    const [code] = await closed;
    expect([1000, 1001]).toContain(code);
    await beating.close();
  });

  it('503: an engine that does not answer does not use up the token', async () => {
    const given = await session();
    await addFault(app.services.db, { target: vm.id, call: 'openConsole', effect: { kind: 'unreachable' } });
    expect(await refused(dial(given))).toEqual({ status: 503, code: 'engine_unavailable' });
    await clearFaults(app.services.db);
    await connected(given);
  });

  it('409: is refused for a stopped machine, and if the engine has no graphical console', async () => {
    const graphical = await ask({ type: 'graphical' });
    expect(graphical.statusCode).toBe(409);
    expect(graphical.json()).toMatchObject({
      code: 'capability_missing',
      capability: 'graphicalConsole',
      detail: expect.stringContaining('serial console'),
    });
    const given = await session();
    await vps.do('POST', `vms/${vm.id}/actions`, { type: 'power_off' });
    expect((await ask()).json()).toMatchObject({ code: 'vm_not_running', current_state: 'stopped' });
    expect(await refused(dial(given))).toEqual({ status: 409, code: 'vm_not_running' });
  });

  it('is closed when the server stops', async () => {
    const other = await another();
    const socket = dial(await session(), await listen(other));
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await other.close();
    const [code] = await closed;
    expect(code).toBe(1001);
    await gone();
  });
});

describe('the console of a key that loses its permission', () => {
  const setStatus = (status: 'active' | 'suspended') =>
    app.services.db
      .updateTable('api_keys')
      .set({ status })
      .where('public_id', '=', vps.key.split('_')[1] ?? '')
      .execute();
  /** Resolves when this many consoles watch the right of their key. */
  const watched = (count: number) => expect.poll(() => app.services.waiters.size).toBe(count);

  it('is closed with a code and a reason that say what happened, and leaves no session', async () => {
    const { socket } = await connected(await session());
    await watched(1);
    const closed = once(socket, 'close');
    await setStatus('suspended');
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([1008, 'api_key_suspended: API key suspended.']);
    await gone();
  });

  it('passes on nothing more from a client that does not answer the close frame', async () => {
    const silent = dial(await session());
    await once(silent, 'message');
    silent.pause();
    await watched(1);
    await setStatus('suspended');
    await watched(0);
    silent.send('echo late > /root/late\n');
    await gone();
    await setStatus('active');
    await expect.poll(async () => (await ask()).statusCode).toBe(201);
    const terminal = await connected(await session());
    await terminal.until(/# $/);
    expect(await terminal.type('cat /root/late')).toContain('No such file');
  });

  it('is closed even if the notification of the change was lost', async () => {
    const { db } = app.services;
    const { socket } = await connected(await session());
    await watched(1);
    const closed = once(socket, 'close');
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like '%listen'`.execute(db);
    await setStatus('suspended');
    expect((await closed)[0]).toBe(1008);
  });

  const stopAll = (keys_suspended: boolean) =>
    app.services.db
      .updateTable('accounts')
      .set({ keys_suspended })
      .where('id', '=', vps.account.id)
      .execute();

  it.each<[string, () => Promise<unknown>, () => Promise<unknown>]>([
    ['of the key', () => setStatus('suspended'), () => setStatus('active')],
    ['of all keys', () => stopAll(true), () => stopAll(false)],
  ])(
    '404: a token from before a suspension %s stays invalid after it ends, and a new one works',
    async (_, suspend, resume) => {
      const given = await session();
      await suspend();
      await expect.poll(async () => (await ask()).statusCode).toBe(401);
      await resume();
      await expect.poll(async () => (await ask()).statusCode).toBe(201);
      expect(await refused(dial(given))).toEqual({ status: 404, code: 'not_found' });
      await connected(await session());
    },
  );

  it('404: is refused from an address that the allowlist does not contain', async () => {
    const { db } = app.services;
    const given = await session();
    await db
      .insertInto('ip_allowlist_entries')
      .values({
        id: newId('allowlist_entry'),
        account_id: vps.account.id,
        cidr: '10.0.0.0/8',
        created_by: 'a test',
      })
      .execute();
    await db.insertInto('ip_allowlists').values({ account_id: vps.account.id, mode: 'enforce' }).execute();
    const fromLoopback = () =>
      app.call({ url: '/account/v1/whoami', key: vps.key, remoteAddress: '127.0.0.1' });
    await expect.poll(async () => (await fromLoopback()).statusCode).toBe(403);
    // The other calls of the key come from 10.0.0.0/8, the websocket comes from 127.0.0.1.
    expect((await ask()).statusCode).toBe(201);
    expect(await refused(dial(given))).toEqual({ status: 404, code: 'not_found' });
  });
});
