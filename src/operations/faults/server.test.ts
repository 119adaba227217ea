import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { families } from '../../families/index.ts';
import { buildRegistry } from '../../kernel/registry.ts';
import { type Db, openDatabase, openPool } from '../../store/database.ts';
import { type Embedded, openEmbedded } from '../../store/embedded/embedded.ts';
import { createAccount, createKey } from '../../testing/accounts.ts';
import { allEnded, expectWhole } from '../../testing/final-tables.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { isLong } from '../../testing/long-form.ts';
import { workshop } from '../../testing/widgets.ts';
import { buildWorker, startWorker, type WorkerProcess } from '../../testing/worker-process.ts';

const OPERATIONS = isLong ? 1000 : 400;
const KILLS = isLong ? 20 : 8;
/** Many, because the operations of a killed server wait until its lease ends, and their clients with them. */
const CLIENTS = 16;

let folder: string;
let program: string;
/** The server that runs, or the next one while it starts. */
let server: Promise<WorkerProcess>;
let embedded: Embedded;
let db: Db;

const startServer = (): Promise<WorkerProcess> =>
  startWorker(program, { folder: join(folder, 'data'), leaseSeconds: 2 });

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  program = await buildWorker(folder);
  server = startServer();
  await server;
  embedded = await openEmbedded({ folder: join(folder, 'data') });
  db = openDatabase(openPool({ ...embedded.connection, maxConnections: 4 }));
});
afterAll(async () => {
  await (await server)?.end('SIGKILL');
  await db?.destroy();
  await embedded?.close();
  await removeTemporaryFolder(folder);
});

let lastAddress = 0;
const freshAddress = (): string => {
  lastAddress++;
  return `10.8.${(lastAddress >> 8) & 255}.${lastAddress & 255}`;
};

/**
 * Calls as a careful client does: retries under one Idempotency-Key until the answer is neither 409 nor 503. Only a
 * POST has such a key. A DELETE whose answer was lost may have been carried out when it is repeated: then it is 404.
 */
async function insist(key: string, method: string, path: string, body?: unknown): Promise<{ id: string }> {
  const idempotencyKey = randomUUID();
  let lostAnswers = 0;
  for (;;) {
    const { url } = await server;
    const answer = await fetch(url + path, {
      method,
      headers: {
        'x-api-key': key,
        'x-forwarded-for': freshAddress(),
        'idempotency-key': idempotencyKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => null);
    const text = await answer?.text().catch(() => null);
    if (answer?.status === 202 && text != null) return JSON.parse(text) as { id: string };
    if (answer == null || text == null) lostAnswers++;
    if (answer?.status === 404 && method === 'DELETE' && lostAnswers > 0) return { id: '' };
    if (answer != null && text != null && ![409, 503].includes(answer.status))
      throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    await sleep(50);
  }
}

it(`a server killed ${KILLS} times during ${OPERATIONS} operations loses none, doubles none and leaves none stuck`, async () => {
  let asked = 0;
  const act = async (key: string, machine: string, action: string) => {
    asked++;
    return insist(key, 'POST', `/workshop/v1/machines/${machine}/actions`, { action });
  };
  const client = async (place: number): Promise<void> => {
    const { key } = await createKey(db, await createAccount(db));
    for (let i = 0; asked < OPERATIONS; i++) {
      asked++;
      const { id } = await insist(key, 'POST', '/workshop/v1/machines', { name: `m-${place}-${i}` });
      if (asked < OPERATIONS) await act(key, id, 'extend');
      if (asked < OPERATIONS && i % 3 === 0) await act(key, id, 'restart');
      if (asked >= OPERATIONS || i % 3 !== 1) continue;
      asked++;
      await insist(key, 'DELETE', `/workshop/v1/machines/${id}`);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(i)));
  for (let i = 0; i < KILLS; i++) {
    // Spreads the kills over the whole run, independent of the speed of this machine.
    while (asked < (i * OPERATIONS) / KILLS) await sleep(5);
    await sleep(Math.random() * 200);
    const killed = (await server).end('SIGKILL');
    server = killed.then(startServer);
    await server;
  }
  await clients;
  await allEnded(db);
  const { rows } = await sql<{ status: string; count: number }>`
    select status, count(*) as count from operations group by 1`.execute(db);
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(OPERATIONS);
  expect(rows.map(({ status }) => status).sort()).toEqual(['cancelled', 'succeeded']);
  await expectWhole(db, buildRegistry([...families, workshop]));

  const standing = await sql<{ id: string }>`select machine_id as id from machine_room order by 1`.execute(
    db,
  );
  const machines = await sql<{ id: string }>`
    select id from machines where status = 'running' order by 1`.execute(db);
  expect(standing.rows).toEqual(machines.rows);
  const others = await sql`select id, status from machines where status <> 'running'`.execute(db);
  expect(others.rows).toEqual([]);
});
