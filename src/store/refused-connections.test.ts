import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { openCuttableNetwork } from '../testing/cuttable-network.ts';
import { createDatabaseOn, type TestDatabase } from '../testing/database.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../testing/folder.ts';
import { administer, startPostgres, type TestPostgres } from '../testing/postgres.ts';
import { openDatabase, openPool } from './database.ts';
import { isUnavailable } from './unavailable.ts';

let folder: string;
let hba: string;
let urlFile: string;
let postgres: TestPostgres;
let database: TestDatabase;
let t: TestApp;
let key: string;

const admit = (method: string): Promise<void> =>
  writeFile(hba, `local all ${postgresUser} trust\nlocal all app ${method}\n`);
let postgresUser = 'all';

const urlFor = (password: string): string =>
  `postgres://app:${password}@localhost:${postgres.port}/${database.name}?host=${encodeURIComponent(postgres.host)}`;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  await chmod(folder, 0o755);
  hba = join(folder, 'hba.conf');
  urlFile = join(folder, 'url');
  await admit('scram-sha-256');
  postgres = await startPostgres({ settings: { hba_file: hba } });
  postgresUser = postgres.user;
  database = await createDatabaseOn(postgres);
  await administer(postgres, "create role app login password 'one'");
  const direct = openDatabase(openPool({ ...database.connection, maxConnections: 1 }));
  await sql`grant all on all tables in schema public to app`.execute(direct);
  await sql`grant all on all sequences in schema public to app`.execute(direct);
  key = (await createKey(direct, await createAccount(direct))).key;
  await direct.destroy();
  await admit('scram-sha-256');
  await administer(postgres, 'select pg_reload_conf()');
  await writeFile(urlFile, `${urlFor('one')}\n`);
  const connection = { connectionString: urlFor('one'), urlFile };
  t = await createTestApp({ database: { ...database, connection: connection as never } });
});
afterAll(async () => {
  await t?.close();
  await postgres?.stop();
  await removeTemporaryFolder(folder);
});

const endSessions = (): Promise<void> =>
  administer(postgres, "select pg_terminate_backend(pid) from pg_stat_activity where usename like 'app%'");

async function ask() {
  const answer = await t.call({ url: '/account/v1/whoami', key });
  return [
    answer.statusCode,
    answer.statusCode === 200 ? null : answer.json().code,
    answer.headers['retry-after'],
  ];
}

/** A database can be renamed only while nobody is connected, and the app tries to connect all the time. */
async function rename(from: string, to: string): Promise<void> {
  for (;;) {
    await endSessions();
    if (await administer(postgres, `alter database ${from} rename to ${to}`).catch(() => true)) continue;
    return;
  }
}

async function inDatabase(statements: string): Promise<void> {
  const direct = openDatabase(openPool({ ...database.connection, maxConnections: 1 }));
  await sql.raw(statements).execute(direct);
  await direct.destroy();
}

const run = (statement: string) => () => administer(postgres, statement);
const setHba = (method: string) => async () => {
  await admit(method);
  await administer(postgres, 'select pg_reload_conf()');
};

describe('a database that refuses connections is unavailable: 503 with Retry-After', () => {
  const refusals: [string, () => Promise<void>, () => Promise<void>][] = [
    ['the password was changed', run("alter role app password 'two'"), run("alter role app password 'one'")],
    ['the role may not log in', run('alter role app nologin'), run('alter role app login')],
    ['the role is missing', run('alter role app rename to app_old'), run('alter role app_old rename to app')],
    [
      'the database is missing',
      () => rename(database.name, 'elsewhere'),
      () => rename('elsewhere', database.name),
    ],
    [
      'all connections are taken',
      run('alter role app connection limit 0'),
      run('alter role app connection limit -1'),
    ],
    [
      'the database accepts no connections',
      () => administer(postgres, `alter database ${database.name} allow_connections false`),
      () => administer(postgres, `alter database ${database.name} allow_connections true`),
    ],
    [
      'the right to connect was revoked',
      () => administer(postgres, `revoke connect on database ${database.name} from public`),
      () => administer(postgres, `grant connect on database ${database.name} to public`),
    ],
    ['pg_hba.conf rejects us', setHba('reject'), setHba('scram-sha-256')],
  ];

  it.each(refusals)('%s', async (_, lockOut, letIn) => {
    expect(await ask()).toEqual([200, null, undefined]);
    await lockOut();
    await endSessions();
    await expect.poll(ask).toEqual([503, 'engine_unavailable', '2']);
    expect((await t.running.health.check())['database']).toMatchObject({ status: 'down' });
    await letIn();
    await expect.poll(ask).toEqual([200, null, undefined]);
  });

  it.each([
    ['the right to use the schema was revoked', 'revoke all on schema public from public'],
    ['the tables are in no schema of the search path', 'alter role app set search_path = elsewhere'],
  ])('%s', async (_, lockOut) => {
    await inDatabase(lockOut);
    await endSessions();
    await expect.poll(ask).toEqual([503, 'engine_unavailable', '2']);
    await inDatabase('grant usage on schema public to public; alter role app reset search_path');
    await endSessions();
    await expect.poll(ask).toEqual([200, null, undefined]);
  });

  const failureOf = async (url: string): Promise<unknown> => {
    const away = openDatabase(openPool({ connectionString: url }));
    const error = await sql`select 1`.execute(away).catch((reason: unknown) => reason);
    await away.destroy();
    return error;
  };

  it('TLS is refused', async () => {
    const network = await openCuttableNetwork(database.connection);
    const url = `postgres://app:one@127.0.0.1:${network.connection.port}/${database.name}?sslmode=require`;
    const error = await failureOf(url);
    await network.close();
    expect([isUnavailable(error), String(error)]).toEqual([true, expect.stringContaining('SSL')]);
  });

  it.each(['57P03', '57P01', 'XX000'])('the server refuses with %s', async (code) => {
    const fields = Buffer.from(`SFATAL\0C${code}\0Mthe database system is starting up\0\0`);
    const head = Buffer.from('E\0\0\0\0');
    head.writeInt32BE(fields.length + 4, 1);
    const server = createServer((socket) =>
      socket.once('data', () => socket.end(Buffer.concat([head, fields]))),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const error = await failureOf(`postgres://app@127.0.0.1:${(server.address() as AddressInfo).port}/x`);
    server.close();
    expect([isUnavailable(error), (error as { code?: string }).code]).toEqual([true, code]);
  });
});

describe('the file with the URL', () => {
  it('is read again for each connection, so that a new password needs no restart', async () => {
    await administer(postgres, "alter role app password 'three'");
    await writeFile(urlFile, urlFor('three'));
    await endSessions();
    await expect.poll(ask).toEqual([200, null, undefined]);
    await expect
      .poll(async () => (await t.running.health.check())['notifications'])
      .toEqual({ status: 'ok' });
  });

  it.each([
    ['is half written', 'postg'],
    ['names a certificate that does not exist', 'postgres://app@localhost/x?sslrootcert=/nowhere/ca.pem'],
    ['is empty', ''],
  ])('%s: the last valid URL is still used', async (_, text) => {
    await writeFile(urlFile, text);
    await endSessions();
    await expect.poll(ask).toEqual([200, null, undefined]);
  });
});
