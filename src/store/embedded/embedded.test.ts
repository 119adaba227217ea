import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { type Embedded, type EmbeddedEvent, type EmbeddedOptions, openEmbedded } from './embedded.ts';
import { isPostmaster } from './postmaster.ts';

let folder: string;
let opened: Embedded[];

beforeEach(async () => {
  folder = await makeTemporaryFolder();
  opened = [];
});

afterEach(async () => {
  await Promise.all(opened.map((embedded) => embedded.close()));
  await removeTemporaryFolder(folder);
});

async function open(options: Partial<EmbeddedOptions> = {}): Promise<Embedded> {
  const embedded = await openEmbedded({ folder: join(folder, 'data'), ...options });
  opened.push(embedded);
  return embedded;
}

async function query(embedded: Embedded, text: string): Promise<unknown[]> {
  const client = new pg.Client(embedded.connection);
  await client.connect();
  const { rows } = await client.query({ text, rowMode: 'array' });
  await client.end();
  return rows.flat();
}

/** Collects the reported events and lets a test wait for the next event of a kind. */
function listen() {
  const events: EmbeddedEvent[] = [];
  const waiting: (() => void)[] = [];
  return {
    events,
    onEvent(event: EmbeddedEvent) {
      events.push(event);
      for (const wake of waiting.splice(0)) wake();
    },
    async until(kind: EmbeddedEvent['kind']): Promise<void> {
      while (!events.some((event) => event.kind === kind)) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}

describe('an embedded database', () => {
  it('is created at the first start: durable, UTF-8, private, with a socket only', async () => {
    const embedded = await open();
    expect(embedded.adopted).toBe(false);
    expect(
      await query(
        embedded,
        `select name || '=' || setting from pg_settings
          where name in ('fsync', 'listen_addresses', 'server_encoding', 'data_directory_mode', 'TimeZone') order by 1`,
      ),
    ).toEqual([
      'TimeZone=UTC',
      'data_directory_mode=0700',
      'fsync=on',
      'listen_addresses=',
      'server_encoding=UTF8',
    ]);
    const cluster = await stat(join(embedded.home, 'cluster'));
    expect(cluster.mode & 0o777).toBe(0o700);
    expect(cluster.uid).not.toBe(0);
    expect((await stat(embedded.connection.host)).mode & 0o777).toBe(0o700);
  });

  it('keeps its data when started again', async () => {
    const first = await open();
    await query(first, 'create table kept as select 42 as answer');
    await first.close();
    const second = await open();
    expect(second.adopted).toBe(false);
    expect(second.pid).not.toBe(first.pid);
    expect(await query(second, 'select answer from kept')).toEqual([42]);
  });

  it('is shared, and stopped by the last process', async () => {
    const [first, second] = [await open(), await open()];
    const cluster = join(first.home, 'cluster');
    expect(second.adopted).toBe(true);
    expect(second.pid).toBe(first.pid);
    await first.close();
    expect(await query(second, 'select 1')).toEqual([1]);
    await second.close();
    expect(await isPostmaster(second.pid, cluster)).toBe(false);
    await expect(stat(join(cluster, 'postmaster.pid'))).rejects.toThrow(/ENOENT/);
  });

  it('may be closed twice', async () => {
    const embedded = await open();
    await Promise.all([embedded.close(), embedded.close()]);
    await embedded.close();
  });

  it('allows one server, and names it to a second one', async () => {
    const [first, second] = [await open(), await open()];
    await first.claimServer({ address: 'http://127.0.0.1:8080' });
    await first.claimServer();
    await expect(second.claimServer()).rejects.toThrow(
      new RegExp(`already runs on .*data: process ${process.pid}.*kill ${process.pid}.*HOSTPLANE_DATA`),
    );
    await first.close();
    await second.claimServer();
  });

  it('is restarted with its data when PostgreSQL is killed', async () => {
    const { events, onEvent, until } = listen();
    const embedded = await open({ onEvent });
    await embedded.claimServer();
    await query(embedded, 'create table kept as select 42 as answer');
    const killed = embedded.pid;
    process.kill(killed, 'SIGKILL');
    await until('restored');
    expect(events.map((event) => event.kind)).toEqual(['lost', 'restored']);
    expect(embedded.pid).not.toBe(killed);
    expect(await query(embedded, 'select answer from kept')).toEqual([42]);
    const other = await open();
    await expect(other.claimServer()).rejects.toThrow(`process ${process.pid}`);
  });

  it('reports that another server took over', async () => {
    const { onEvent, until } = listen();
    const [first, second] = [await open({ onEvent }), await open()];
    await first.claimServer();
    const [backend] = await query(
      first,
      "select pid from pg_stat_activity where application_name like 'hostplane serve %'",
    );
    const thief = new pg.Client(second.connection);
    await thief.connect();
    const taken = thief.query('select pg_advisory_lock($1, $2)', [0x686f7374, 2]);
    await query(second, `select pg_terminate_backend(${Number(backend)})`);
    await taken;
    await until('superseded');
    await thief.end();
  });

  it('reports why it does not start, from its log', async () => {
    await expect(open({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
      /does not start[\s\S]*postgres\.log[\s\S]*invalid value for parameter "shared_buffers"/,
    );
  });

  it('uses another folder for its socket when the path is too long', async () => {
    const deep = join(folder, 'a-rather-long-name-'.repeat(6), 'data');
    const embedded = await open({ folder: deep });
    expect(embedded.connection.host.startsWith(deep)).toBe(false);
    expect((await stat(embedded.connection.host)).mode & 0o777).toBe(0o700);
    expect(await query(embedded, 'select 1')).toEqual([1]);
    const again = await open({ folder: deep });
    expect(again.pid).toBe(embedded.pid);
    await again.close();
    await embedded.close();
    await rm(embedded.connection.host, { recursive: true });
  });

  it('writes its log beside the cluster', async () => {
    const embedded = await open();
    expect(await readFile(join(embedded.home, 'postgres.log'), 'utf8')).toContain(
      'ready to accept connections',
    );
  });
});
