import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildHolder, Holder, type HolderAnswer } from '../../testing/database-holder.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { hasEnded } from '../../testing/has-ended.ts';
import { isRoot, runAs } from './account.ts';
import { settle } from './data-folder.ts';
import { openEmbedded } from './embedded.ts';
import { isPostmaster, readPidFile } from './postmaster.ts';

let programs: string;
let program: string;
let folder: string;
let holders: Holder[];

beforeAll(async () => {
  programs = await makeTemporaryFolder();
  program = await buildHolder(programs);
});

afterAll(() => removeTemporaryFolder(programs));

beforeEach(async () => {
  folder = await makeTemporaryFolder();
  holders = [];
});

afterEach(async () => {
  await Promise.all(holders.map((holder) => holder.kill()));
  await removeTemporaryFolder(folder);
});

function startHolder(): Holder {
  const holder = new Holder(program);
  holders.push(holder);
  return holder;
}

function asOpen(answer: HolderAnswer): Extract<HolderAnswer, { event: 'open' }> {
  if (answer.event !== 'open') throw new Error(JSON.stringify(answer));
  return answer;
}

async function query(connection: pg.ClientConfig, text: string): Promise<unknown[]> {
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client.query({ text, rowMode: 'array' });
  await client.end();
  return rows.flat();
}

describe('processes around one embedded database', () => {
  it('adopt the server that a killed process left, with everything that was acknowledged', async () => {
    const holder = startHolder();
    const left = asOpen(await holder.open(folder));
    await holder.claim();
    await query(left.connection, 'create table kept as select 42 as answer');
    await holder.kill();
    const embedded = await openEmbedded({ folder });
    expect(embedded.adopted).toBe(true);
    expect(embedded.pid).toBe(left.pid);
    await embedded.claimServer();
    expect(await query(embedded.connection, 'select answer from kept')).toEqual([42]);
    await embedded.close();
    expect(await isPostmaster(left.pid, join(left.home, 'cluster'))).toBe(false);
  });

  it('refuse to be a second server and name the first', async () => {
    const [first, second] = [startHolder(), startHolder()];
    await first.open(folder);
    await second.open(folder);
    expect(await first.claim()).toEqual({ event: 'claim' });
    expect(await second.claim()).toEqual({
      event: 'fault',
      message: expect.stringContaining(`process ${first.pid} at http://127.0.0.1:8080`),
    });
    await first.kill();
    await expect.poll(() => second.claim()).toEqual({ event: 'claim' });
  });

  it('agree on one server when all of them start first', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => startHolder().open(folder)));
    const opened = answers.map(asOpen);
    expect(new Set(opened.map(({ pid }) => pid)).size).toBe(1);
    expect(opened.filter(({ adopted }) => !adopted)).toHaveLength(1);
    const clusters = (await readdir(join(folder, 'postgres'))).filter((name) => name.startsWith('cluster'));
    expect(clusters).toEqual(['cluster']);
  });

  it('come and go at the same time without ever finding it closed', async () => {
    async function comeAndGo(holder: Holder): Promise<void> {
      for (let round = 0; round < 6; round++) {
        const { connection } = asOpen(await holder.open(folder));
        expect(await query(connection, 'select 1')).toEqual([1]);
        expect(await holder.close()).toEqual({ event: 'close' });
      }
    }
    await Promise.all([comeAndGo(startHolder()), comeAndGo(startHolder()), comeAndGo(startHolder())]);
    expect(await readPidFile(join(folder, 'postgres', 'cluster'))).toBeUndefined();
  });

  it('are not misled by the pid file of a server that died', async () => {
    const holder = startHolder();
    const { pid, home } = asOpen(await holder.open(folder));
    await holder.kill();
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isPostmaster(pid, join(home, 'cluster'))).toBe(false);
    expect(await readPidFile(join(home, 'cluster'))).toMatchObject({ pid });
    const embedded = await openEmbedded({ folder });
    expect(embedded.adopted).toBe(false);
    await embedded.close();
  });

  it('are not misled by a pid file whose process is another program now', async () => {
    const first = await openEmbedded({ folder });
    const pidFile = join(first.home, 'cluster', 'postmaster.pid');
    const [, ...rest] = (await readFile(pidFile, 'utf8')).split('\n');
    await first.close();
    const { account } = await settle(folder);
    const other: ChildProcess = spawn('sleep', ['60'], { ...runAs(account), cwd: '/' });
    await once(other, 'spawn');
    await writeFile(pidFile, [other.pid, ...rest].join('\n'));
    const second = await openEmbedded({ folder });
    expect(second.adopted).toBe(false);
    await second.close();
    other.kill();
  });

  it('do not lose their socket when the server of a deleted data folder ends', async () => {
    const holder = startHolder();
    const deleted = asOpen(await holder.open(folder));
    await holder.kill();
    await rm(deleted.home, { recursive: true });
    const embedded = await openEmbedded({ folder });
    expect(embedded.adopted).toBe(false);
    process.kill(deleted.pid, 'SIGQUIT');
    await expect.poll(() => hasEnded(deleted.pid)).toBe(true);
    expect(await query(embedded.connection, 'select 1')).toEqual([1]);
    await embedded.close();
  });
});

describe.skipIf(!isRoot())('an ordinary user (needs root, to become one)', () => {
  it('owns the whole database, and root can use it later', async ({ skip }) => {
    const user = { uid: 65534, gid: 65534 };
    const probe = spawnSync(process.execPath, ['--version'], { ...user, cwd: '/' });
    skip(probe.status !== 0, `the user nobody cannot run ${process.execPath}`);
    await chown(folder, user.uid, user.gid);
    const holder = new Holder(await buildHolder(join(folder, 'program'), 'copy'), user);
    holders.push(holder);
    const data = join(folder, 'data');
    const { adopted, home, connection } = asOpen(await holder.open(data));
    expect(adopted).toBe(false);
    for (const path of [data, home, join(home, 'cluster'), join(home, 'socket')]) {
      expect(await stat(path)).toMatchObject({ ...user, mode: 0o40700 });
    }
    await query(connection, 'create table kept as select 42 as answer');
    expect(await holder.claim()).toEqual({ event: 'claim' });
    expect(await holder.close()).toEqual({ event: 'close' });
    const embedded = await openEmbedded({ folder: data });
    expect(embedded.adopted).toBe(false);
    expect(await query(embedded.connection, 'select answer from kept')).toEqual([42]);
    expect((await stat(`/proc/${embedded.pid}`)).uid).toBe(user.uid);
    await embedded.close();
  });

  it('is told whose database it is, if it is not its own', async ({ skip }) => {
    const user = { uid: 65534, gid: 65534 };
    const { account } = await settle(folder);
    skip(account?.uid === user.uid, 'root itself uses the user nobody here');
    const embedded = await openEmbedded({ folder });
    await embedded.close();
    const holder = new Holder(await buildHolder(join(folder, 'program'), 'copy'), user);
    holders.push(holder);
    const told = { event: 'fault', message: expect.stringMatching(/belongs to \w+.*HOSTPLANE_DATA/) };
    expect(await holder.open(folder)).toEqual(told);
    await settle(join(folder, 'data'));
    expect(await holder.open(join(folder, 'data'))).toEqual(told);
  });
});
