import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBreak } from './kernel/audit/store.ts';
import { type Db, openDatabase, openPool } from './store/database.ts';
import { type Embedded, openEmbedded } from './store/embedded/embedded.ts';
import { createKey } from './testing/accounts.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';
import { hasEnded } from './testing/has-ended.ts';
import { type ServerProcess, startServer, startServerOrFail } from './testing/server-process.ts';

let temporary: string;
let folder: string;
const running: ServerProcess[] = [];

beforeEach(async () => {
  temporary = await makeTemporaryFolder();
  folder = join(temporary, 'data');
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.end('SIGKILL');
  await removeTemporaryFolder(temporary);
});

async function start(environment: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServerOrFail(folder, environment);
  running.push(server);
  return server;
}

let lastAddress = 0;
/** Calls from a new client address each time, through loopback, which is a trusted proxy here. */
function call(server: ServerProcess, path: string, key: string, method = 'GET'): Promise<Response> {
  lastAddress++;
  const forwarded = `10.9.${(lastAddress >> 8) & 255}.${lastAddress & 255}`;
  return fetch(server.url + path, { method, headers: { 'x-api-key': key, 'x-forwarded-for': forwarded } });
}

/** Runs `work` on the server's embedded database, from a second process of the data folder. */
async function beside<T>(work: (db: Db, embedded: Embedded) => Promise<T>): Promise<T> {
  const embedded = await openEmbedded({ folder });
  const db = openDatabase(openPool({ ...embedded.connection, maxConnections: 4 }));
  try {
    return await work(db, embedded);
  } finally {
    await db.destroy();
    await embedded.close();
  }
}

async function makeKeys(count: number): Promise<string[]> {
  return beside(async (db) => {
    const { id } = await db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
    const owner = await db.selectFrom('members').select('id').executeTakeFirstOrThrow();
    const keys: string[] = [];
    for (let i = 0; i < count; i++) keys.push((await createKey(db, { id, ownerId: owner.id })).id);
    return keys;
  });
}

interface Load {
  readonly acknowledged: string[];
  readonly statuses: Map<number, number>;
  readonly withoutRetryAfter: number;
}

/** Eight clients revoke keys until none is left or the server is gone. They retry after a 503. */
async function revokeAll(
  server: ServerProcess,
  key: string,
  ids: string[],
  onProgress: (done: number) => void,
): Promise<Load> {
  const acknowledged: string[] = [];
  const statuses = new Map<number, number>();
  const waiting = [...ids];
  let withoutRetryAfter = 0;
  const client = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const response = await call(server, `/account/v1/api-keys/${id}`, key, 'DELETE').catch(() => null);
      if (response === null) return;
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      await response.text().catch(() => '');
      if (response.status === 200) acknowledged.push(id);
      else waiting.push(id);
      if (response.status === 503 && response.headers.get('retry-after') === null) withoutRetryAfter++;
      onProgress(acknowledged.length);
    }
  };
  await Promise.all(Array.from({ length: 8 }, client));
  return { acknowledged, statuses, withoutRetryAfter };
}

/**
 * Checks that every acknowledged revocation is stored with exactly one audit entry, and that the audit chain
 * is intact.
 */
async function expectKept(acknowledged: readonly string[]): Promise<void> {
  await beside(async (db) => {
    const { id: accountId } = await db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
    const revoked = await db.selectFrom('api_keys').select('id').where('status', '=', 'revoked').execute();
    const entries = await db
      .selectFrom('audit_entries')
      .select('resource_id')
      .where('action', '=', 'revokeApiKey')
      .where('outcome', '=', 'succeeded')
      .execute();
    const audited = entries.map(({ resource_id }) => resource_id ?? '').sort();
    const kept = revoked.map(({ id }) => id).sort();
    expect(kept).toEqual(expect.arrayContaining([...acknowledged]));
    expect([...new Set(audited)]).toEqual(kept);
    expect(await findBreak(db, accountId)).toBeNull();
  });
}

describe('npm start', () => {
  it('creates a demo account, keeps everything over a restart, and stops all processes it started', async () => {
    const first = await start();
    const key = first.apiKey ?? '';
    expect(key).toMatch(/^hpk1_/);
    const whoami = await call(first, '/account/v1/whoami', key);
    expect(whoami.status).toBe(200);
    await expect.poll(first.output).toContain(`"address":"${first.url}"`);
    const account = (await whoami.json()) as { account: { id: string } };
    const postmaster = await beside(async (_, embedded) => embedded.pid);
    expect(await first.end('SIGTERM')).toBe(0);
    expect(hasEnded(postmaster)).toBe(true);

    const second = await start();
    expect(second.output()).not.toContain(key);
    const again = await call(second, '/account/v1/whoami', key);
    expect(await again.json()).toMatchObject({ account: account.account });
    expect(await second.end('SIGINT')).toBe(0);
  });

  it('greets a person at a terminal without JSON, and then logs one plain line per request', async () => {
    const terminal = 'Object.defineProperty(process.stderr, "isTTY", { value: true })';
    const server = await start({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURI(terminal)}` });
    await call(server, '/account/v1/whoami', server.apiKey ?? '');
    await expect
      .poll(server.output)
      .toMatch(/\n\d\d:\d\d:\d\d info {2}request .*path=\/account\/v1\/whoami status=200/);
    expect(server.output()).not.toContain('{"level"');
    expect(server.output()).toContain('Its API key is shown only this once');
    const { port } = new URL(server.url);
    expect(server.output()).toContain(`portal     http://localhost:${port}/portal\n`);
    const link = new RegExp(`http://localhost:${port}/portal/welcome#(\\S{43})`).exec(server.output());
    const headers = { origin: `http://localhost:${port}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ token: link?.[1], password: 'four unrelated words here' });
    const address = `http://localhost:${port}/portal/v1/welcome`;
    const welcome = await fetch(address, { method: 'POST', headers, body });
    expect([welcome.status, await welcome.json()]).toEqual([200, { status: 'signed_in' }]);
  });

  it('refuses a second server on the same folder and names the first, with the port that it really has', async () => {
    const first = await start();
    const document = (await (await fetch(`${first.url}/openapi.json`)).json()) as { servers: object[] };
    expect(document.servers).toEqual([{ url: first.url }]);
    const second = await startServer(folder);
    const name = `process ${first.pid} at ${first.url}`;
    expect(second).toMatchObject({ exitCode: 1, output: expect.stringContaining(name) });
    expect((await fetch(`${first.url}/healthz`)).status).toBe(200);
  });

  it('refuses a port in use with what to do, leaves nothing running, and has shown no key', async () => {
    const first = await start();
    const other = join(temporary, 'other');
    const second = await startServer(other, { HOSTPLANE_PORT: new URL(first.url).port });
    expect(second).toMatchObject({ exitCode: 1, output: expect.stringContaining('HOSTPLANE_PORT') });
    const third = await startServerOrFail(other);
    running.push(third);
    expect(third.apiKey).toMatch(/^hpk1_/);
  });
});

describe('under load', () => {
  it('kill -9 loses nothing that was acknowledged', async () => {
    const server = await start();
    const key = server.apiKey ?? '';
    const ids = await makeKeys(400);
    const load = await revokeAll(server, key, ids, (done) => {
      if (done === 120) void server.end('SIGKILL');
    });
    expect(load.acknowledged.length).toBeGreaterThanOrEqual(120);
    expect(load.acknowledged.length).toBeLessThan(400);
    const next = await start();
    expect((await call(next, '/account/v1/whoami', key)).status).toBe(200);
    await expectKept(load.acknowledged);
    const rest = await revokeAll(next, key, ids, () => undefined);
    expect([...rest.statuses.keys()]).toEqual([200]);
    await expectKept(ids);
  });

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'PostgreSQL ended by %s: 503 with Retry-After, and service resumes afterwards',
    async (signal) => {
      const server = await start();
      const key = server.apiKey ?? '';
      const ids = await makeKeys(400);
      const postmaster = await beside(async (_, embedded) => embedded.pid);
      const load = await revokeAll(server, key, ids, (done) => {
        if (done === 100 && !hasEnded(postmaster)) process.kill(postmaster, signal);
      });
      expect([...load.statuses.keys()].sort()).toEqual([200, 503]);
      expect(load.withoutRetryAfter).toBe(0);
      expect(load.acknowledged.toSorted()).toEqual(ids.toSorted());
      await expectKept(load.acknowledged);
    },
  );
});
