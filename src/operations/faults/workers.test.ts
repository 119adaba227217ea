import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { allEnded, expectWhole } from '../../testing/final-tables.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { extendMachineKind } from '../../testing/machines.ts';
import { ended, operationOf, startMixed, startOn } from '../../testing/operations.ts';
import { buildWorker, startWorker, type WorkerProcess } from '../../testing/worker-process.ts';

const LEASE_SECONDS = 2;
const OPERATIONS = 1000;
const KILLS = 20;

let folder: string;
let program: string;
let t: TestApp;
let accounts: TestAccount[];
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  program = await buildWorker(folder);
  t = await createTestApp({ works: false });
  accounts = [];
  for (let i = 0; i < 5; i++) accounts.push(await createAccount(t.services.db));
});
afterAll(async () => {
  for (const worker of workers) await worker.end('SIGKILL');
  await t.close();
  await removeTemporaryFolder(folder);
});

async function hire(place: number): Promise<void> {
  workers[place] = await startWorker(program, {
    connection: t.database.connection,
    leaseSeconds: LEASE_SECONDS,
  });
}

describe('two workers on one database', () => {
  beforeAll(async () => {
    await Promise.all([hire(0), hire(1)]);
  });

  it('killed twenty times during 1,000 operations lose none, double none and leave none stuck', async () => {
    const hired = [Promise.resolve(), Promise.resolve()];
    for (let i = 0; i < KILLS; i++) {
      const place = i % 2;
      const started = startMixed(t, accounts, OPERATIONS / KILLS);
      await hired[place];
      await sleep(Math.random() * 400);
      await workers[place]!.end('SIGKILL');
      hired[place] = hire(place);
      await started;
    }
    await Promise.all(hired);
    await allEnded(t.services.db);
    const { count } = await t.services.db
      .selectFrom('operations')
      .select(sql<number>`count(*)`.as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(OPERATIONS);
    await expectWhole(t.services.db, t.registry);
    const again = await sql`select 1 from operations where attempt > 1`.execute(t.services.db);
    expect(again.rows.length, 'operations that a second worker took over').toBeGreaterThan(0);
  }, 300_000);

  it('a worker that is paused for longer than its lease does nothing twice', async () => {
    const [paused, other] = workers as [WorkerProcess, WorkerProcess];
    const subjects = Array.from({ length: 20 }, (_, i) => `mac_paused_${i}`);
    const slow = { behaviours: ['extend', 'verify'].map((step) => ({ step, does: 'slow' as const })) };
    const started = [];
    for (const [i, subject] of subjects.entries())
      started.push(await startOn(t, accounts[i % accounts.length]!, extendMachineKind, subject, slow));
    await until(async () => (await heldBy(paused)).length > 0);
    paused.signal('SIGSTOP');
    const left = await heldBy(paused);
    expect(left.length).toBeGreaterThan(0);
    for (const { id } of started) await ended(t, id);
    paused.signal('SIGCONT');
    // The other worker has ended, so once a new operation succeeds the paused worker is running again.
    await other.end('SIGTERM');
    const later = await startOn(t, accounts[0]!, extendMachineKind, 'mac_later', slow);
    expect(await ended(t, later.id)).toMatchObject({ status: 'succeeded' });
    await expectWhole(t.services.db, t.registry);
    const outcomes = await Promise.all(left.map((id) => operationOf(t, id)));
    expect(outcomes.every(({ status }) => status === 'succeeded')).toBe(true);
    expect(outcomes.some(({ attempt }) => attempt > 1)).toBe(true);
  });
});

const heldBy = async ({ pid }: WorkerProcess): Promise<string[]> =>
  (
    await t.services.db
      .selectFrom('operations')
      .select('id')
      .where('lease_owner', 'like', `${pid}-%`)
      .where('finished_at', 'is', null)
      .execute()
  ).map(({ id }) => id);

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(20);
}
