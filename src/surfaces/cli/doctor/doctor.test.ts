import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase, openPool } from '../../../store/database.ts';
import { runCommand, urlOf } from '../../../testing/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../../testing/folder.ts';
import { findRedis, NO_REDIS, startRedis } from '../../../testing/redis.ts';
import type { Finding } from './check.ts';
import { checkDataFolder, checkImports, checkNode, checkOpenFiles } from './machine.ts';
import { checkPort, checkTls } from './network.ts';

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
  await removeTemporaryFolder(folder);
});

async function examine(env: Record<string, string>) {
  const { code, out } = await runCommand(['doctor', '--json'], { env: { HOSTPLANE_PORT: '0', ...env } });
  const { healthy, checks } = JSON.parse(out) as { healthy: boolean; checks: Finding[] };
  const statusOf = (name: string) => checks.find((check) => check.name === name)?.status;
  return { code, healthy, checks, statusOf };
}

describe('doctor', () => {
  it('finds no fault in a database of its own', async () => {
    const { code, healthy, checks, statusOf } = await examine({
      HOSTPLANE_DATABASE_URL: urlOf(database.connection),
    });
    const failed = checks.filter(({ status, name }) => status === 'failed' && name !== 'Open files');
    expect(failed).toEqual([]);
    expect(healthy ? 0 : 1).toBe(code);
    const looked = [
      ...['Database', 'Migrations', 'Clock', 'Rights', 'Schema', 'Writes', 'Notifications'],
      ...['Secret key', 'Operations'],
    ];
    expect(looked.map(statusOf)).toEqual(looked.map(() => 'ok'));
    expect(statusOf('Data folder')).toBe('skipped');
  });

  it('reports missing migrations and how to run them', async () => {
    const db = openDatabase(openPool({ ...database.connection, maxConnections: 1 }));
    await sql`create table kept as select * from kysely_migration`.execute(db);
    await sql`delete from kysely_migration`.execute(db);
    const { code, checks } = await examine({ HOSTPLANE_DATABASE_URL: urlOf(database.connection) });
    await sql`insert into kysely_migration select * from kept`.execute(db);
    await sql`drop table kept`.execute(db);
    await db.destroy();
    expect(code).toBe(1);
    expect(checks).toContainEqual({
      name: 'Migrations',
      status: 'failed',
      detail: expect.stringMatching(/^0001-foundation, .* not applied\.$/),
      fix: 'Run: hostplane admin migrate',
    });
  });

  it('prints for people how to fix each fault', async () => {
    const env = {
      HOSTPLANE_PORT: '0',
      HOSTPLANE_DATABASE_URL: `postgres://nobody@localhost/none?host=${folder}`,
      HOSTPLANE_REDIS_URL: 'redis://127.0.0.1:1',
    };
    const { code, out } = await runCommand(['doctor'], { env });
    expect(code).toBe(1);
    expect(out).toMatch(/^✓ Node/m);
    expect(out).toMatch(/^✗ Database .*\n +fix: Check that the server runs/m);
    expect(out).toMatch(/^✗ Redis .*\n +fix: Start it/m);
    expect(out).toMatch(/^– Clock +needs the database/m);
    expect(out).toMatch(/checks failed\.\n$/);
  });

  it('shows every fault of the configuration', async () => {
    const { code, checks } = await examine({ HOSTPLANE_PORT: 'eighty', HOSTPLANE_HOST: '0.0.0.0' });
    const faults = checks.filter(({ name, status }) => name === 'Configuration' && status === 'failed');
    expect([code, faults.length]).toEqual([1, 2]);
    for (const { fix } of faults) expect(fix).toBeTruthy();
  });

  it('checks Redis', async ({ skip }) => {
    skip(findRedis() === undefined, NO_REDIS);
    const redis = await startRedis();
    const { statusOf } = await examine({
      HOSTPLANE_DATABASE_URL: urlOf(database.connection),
      HOSTPLANE_REDIS_URL: redis?.url ?? '',
    });
    await redis?.stop();
    expect(statusOf('Redis')).toBe('ok');
  });

  it('reports that there is no embedded database yet, and creates none', async () => {
    const env = { HOSTPLANE_DATA: join(folder, 'empty', 'data') };
    const { checks, statusOf } = await examine(env);
    expect(statusOf('PostgreSQL programs')).toBe('ok');
    expect(statusOf('Database')).toBe('skipped');
    expect(checks.find(({ name }) => name === 'Data folder')?.detail).toContain('created at the first start');
  });

  it('looks into the embedded database that migrate made', async () => {
    const env = { HOSTPLANE_DATA: join(folder, 'data') };
    const migrated = await runCommand(['migrate'], { env });
    expect(migrated).toMatchObject({ code: 0, out: expect.stringMatching(/^Done: 0001-foundation, /) });
    expect((await runCommand(['migrate'], { env })).out).toContain('up to date');
    const { statusOf } = await examine(env);
    expect(['Data folder', 'Database', 'Migrations'].map(statusOf)).toEqual(['ok', 'ok', 'ok']);
    expect((await runCommand(['accounts', 'list', '--json'], { env })).out).toBe('[]\n');
  });
});

describe('single checks of the doctor', () => {
  it('of Node', () => {
    expect(checkNode('20.18.3').status).toBe('failed');
    expect(checkNode('18.20.0').status).toBe('failed');
    for (const version of ['20.19.0', '22.0.0', '24.1.0']) expect(checkNode(version).status).toBe('ok');
  });

  it('of open files', () => {
    expect(checkOpenFiles('1024')).toMatchObject({
      status: 'failed',
      fix: expect.stringContaining('ulimit'),
    });
    expect(checkOpenFiles('4096').status).toBe('ok');
    expect(checkOpenFiles('unlimited').status).toBe('ok');
    expect(checkOpenFiles('').status).toBe('skipped');
  });

  it('of the data folder', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may write everywhere');
    const closed = join(folder, 'closed');
    await mkdir(closed);
    await chmod(closed, 0o500);
    expect(await checkDataFolder(join(closed, 'data'))).toMatchObject({ status: 'failed' });
  });

  it('of the disk for imports: enough room, or none beside what is kept free', async () => {
    const at = (importFolder: string, keep_free_percent: number) =>
      checkImports({
        imports: { folder: importFolder, keep_free_percent, account_share_percent: 50 },
        database: { url: null, url_file: null, folder, pool_size: 1 },
      });
    expect(await at(folder, 0)).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('50 % of it for one account'),
    });
    expect(await at(folder, 100)).toMatchObject({
      status: 'failed',
      fix: expect.stringContaining('imports.folder'),
    });
  });

  it('of the port: free, ours, or somebody else’s', async () => {
    const other = createServer((socket) => socket.resume().end('220 mail\r\n')).listen(0, '127.0.0.1');
    const ours = createHttpServer((_, response) => response.end('{"status":"ok"}')).listen(0, '127.0.0.1');
    await Promise.all([once(other, 'listening'), once(ours, 'listening')]);
    const at = (server: { address(): unknown }) => ({
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      tls: null,
    });
    const [taken, answering] = [at(other), at(ours)];
    expect(await checkPort(taken)).toMatchObject({
      status: 'failed',
      fix: expect.stringContaining('HOSTPLANE_PORT'),
    });
    expect(await checkPort(answering)).toMatchObject({
      status: 'ok',
      detail: expect.stringContaining('answers'),
    });
    other.close();
    ours.close();
    await Promise.all([once(other, 'close'), once(ours, 'close')]);
    expect(await checkPort(taken)).toMatchObject({ status: 'ok', detail: expect.stringContaining('free') });
    expect(await checkPort({ ...taken, host: '192.0.2.1' })).toMatchObject({ status: 'failed' });
  });

  it('of the certificate: holds, about to expire, expired, missing', async ({ skip }) => {
    const certificate = join(folder, 'tls.crt');
    const key = join(folder, 'tls.key');
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-subj', '/CN=localhost', '-days', '10', '-keyout', key, '-out', certificate],
    ]);
    skip(made.status !== 0, 'no openssl on this machine');
    const day = 86_400_000;
    const inDays = (days: number) => new Date(Date.now() + days * day);
    expect(await checkTls({ certificate, key })).toMatchObject({ status: 'ok' });
    expect(await checkTls({ certificate, key }, inDays(11))).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('expired'),
    });
    expect(await checkTls({ certificate, key }, inDays(4))).toMatchObject({
      status: 'failed',
      detail: expect.stringContaining('expires'),
    });
    expect((await checkTls({ certificate, key }, inDays(-1))).status).toBe('failed');
    expect((await checkTls({ certificate, key: join(folder, 'none') })).status).toBe('failed');
    await writeFile(certificate, 'not a certificate');
    expect((await checkTls({ certificate, key })).status).toBe('failed');
    expect((await checkTls(null)).status).toBe('skipped');
  });
});
