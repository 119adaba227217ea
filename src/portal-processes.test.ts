/** The portal on the running program, as docs/portal.md says: in a process of its own, under its own host name, and switched off. */
import { writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Db, openDatabase, openPool } from './store/database.ts';
import { createAccount, createKey, type TestKey } from './testing/accounts.ts';
import { urlOf } from './testing/command-line.ts';
import { createTestDatabase, type TestDatabase } from './testing/database.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from './testing/folder.ts';
import { createPerson, joinAccount, PASSWORD } from './testing/people.ts';
import { type ServerProcess, startServerOrFail } from './testing/server-process.ts';

const PORTAL = 'https://portal.example.com';

let folder: string;
let database: TestDatabase;
let db: Db;
let key: TestKey;
let email: string;
const running: ServerProcess[] = [];

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  database = await createTestDatabase();
  db = openDatabase(openPool({ ...database.connection, maxConnections: 2 }));
  const account = await createAccount(db);
  key = await createKey(db, account, { approval: 'writes' });
  const person = await createPerson(db);
  email = person.email;
  await joinAccount(db, person, account.id, 'owner');
});
afterAll(async () => {
  for (const server of running) await server.end('SIGTERM');
  await db.destroy();
  await database.drop();
  await removeTemporaryFolder(folder);
});

async function start(name: string, settings: string): Promise<ServerProcess> {
  const file = join(folder, `${name}.yaml`);
  await writeFile(file, settings);
  const server = await startServerOrFail(join(folder, name), {
    HOSTPLANE_CONFIG: file,
    HOSTPLANE_DATABASE_URL: urlOf(database.connection),
    HOSTPLANE_SECRET_KEY: Buffer.alloc(32, 'for tests only').toString('base64'),
  });
  running.push(server);
  return server;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** As a reverse proxy passes it on: with the host name of the browser. */
function ask(
  server: ServerProcess,
  path: string,
  headers: Record<string, string> = {},
  sent?: object,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      method: sent === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(sent && { 'content-type': 'application/json' }) },
    };
    const asked = request(new URL(path, server.url), options, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
    });
    asked.on('error', reject).end(sent && JSON.stringify(sent));
  });
}

const BROWSER = { accept: 'text/html' };

it('the portal in its own process and host name: people sign in there, and the API redirects to it', async () => {
  const portal = await start('portal', `portal: { base_url: '${PORTAL}' }\n`);
  const api = await start('api', `portal: { enabled: false, base_url: '${PORTAL}' }\n`);
  expect(portal.output()).toContain(`portal     ${PORTAL}/portal\n`);
  expect(api.output()).not.toContain('/portal\n');

  const own = { host: 'portal.example.com', origin: PORTAL };
  const body = { email, password: PASSWORD };
  const signedIn = await ask(portal, '/portal/v1/sign-in', own, body);
  expect([signedIn.status, signedIn.body]).toEqual([200, expect.stringContaining('signed_in')]);
  const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
  expect(cookie).toMatch(/^__Host-hp_session=\S+; .*Secure/);
  const me = await ask(portal, '/portal/v1/me', { ...own, cookie: cookie.split(';')[0] ?? '' });
  expect([me.status, me.body]).toEqual([200, expect.stringContaining(email)]);
  const foreign = { host: 'portal.example.com', origin: 'https://api.example.com' };
  expect((await ask(portal, '/portal/v1/sign-in', foreign, body)).status).toBe(403);

  for (const path of ['/portal', '/portal/sign-in', '/portal/v1/me'])
    expect([path, (await ask(api, path, BROWSER)).status]).toEqual([path, 404]);
  expect((await ask(api, '/', BROWSER)).headers.location).toBe(`${PORTAL}/portal`);
  expect((await ask(api, '/account/v1/whoami', { 'x-api-key': key.key })).status).toBe(200);
  const group = { name: 'group-1', policy: 'spread', location: 'fra1' };
  const approval = await ask(api, '/flexible-vps/v1/placement-groups', { 'x-api-key': key.key }, group);
  expect(JSON.parse(approval.body)).toMatchObject({
    code: 'approval_required',
    approve_url: expect.stringMatching(/^https:\/\/portal\.example\.com\/portal\/approvals\/op_/),
  });
});

it('without the portal in any process, its paths answer 404, and pages name the command line instead', async () => {
  const off = await start('off', 'portal: { enabled: false }\n');
  for (const path of ['/portal', '/portal/v1/site', '/portal/outbox'])
    expect([path, (await ask(off, path, BROWSER)).status]).toEqual([path, 404]);
  const index = await ask(off, '/', BROWSER);
  expect([index.status, index.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const group = { name: 'group-2', policy: 'spread', location: 'fra1' };
  const approval = await ask(off, '/flexible-vps/v1/placement-groups', { 'x-api-key': key.key }, group);
  expect(JSON.parse(approval.body).approve_url).toMatch(/\/docs\/approvals#op_/);
});
