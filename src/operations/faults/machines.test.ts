/** Two workers create machines. One of them is paused for longer than its lease and then resumed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createWorld, type World } from '../../laws/walk.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { allEnded } from '../../testing/final-tables.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { operationOf } from '../../testing/operations.ts';
import { buildWorker, startWorker, type WorkerProcess } from '../../testing/worker-process.ts';

const LEASE_SECONDS = 2;
const MACHINES = 24;
/** The worker is paused once it holds this many operations at their last step. */
const ENOUGH = 5;

let folder: string;
let t: TestApp;
let world: World;
const workers: WorkerProcess[] = [];

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  const program = await buildWorker(folder);
  t = await createTestApp({ works: false });
  world = await createWorld(t);
  const task = { connection: t.database.connection, leaseSeconds: LEASE_SECONDS };
  workers.push(...(await Promise.all([startWorker(program, task), startWorker(program, task)])));
});
afterAll(async () => {
  for (const worker of workers) await worker.end('SIGKILL');
  await t.close();
  await removeTemporaryFolder(folder);
});

let serial = 0;

async function order(): Promise<string> {
  const payload = {
    name: `pair-${++serial}`,
    location: 'fra1',
    plan: 'flex-1-1',
    source: { type: 'image', image_id: 'ubuntu-24.04' },
    user_data: '#cloud-config\n',
  };
  const url = '/flexible-vps/v1/vms';
  const answer = await t.call({ method: 'POST', url, payload, key: world.key.key });
  expect(answer.statusCode, answer.body).toBe(202);
  return answer.json<{ id: string }>().id;
}

/**
 * The operations that this worker holds at their last step, whose end emits the event and starts the billing.
 */
const heldBy = async ({ pid }: WorkerProcess): Promise<string[]> =>
  (
    await t.services.db
      .selectFrom('operations')
      .select('id')
      .where('lease_owner', 'like', `${pid}-%`)
      .where('finished_at', 'is', null)
      .where('step', '=', 'boot')
      .execute()
  ).map(({ id }) => id);

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(20);
}

const countOf = async (query: ReturnType<typeof sql<{ id: string; count: number }>>) =>
  (await query.execute(t.services.db)).rows.filter(({ count }) => count !== 1);

it('no machine is created, reported, counted or billed twice', async () => {
  const [paused, other] = workers as [WorkerProcess, WorkerProcess];
  const ids: string[] = [];
  for (let i = 0; i < MACHINES; i++) ids.push(await order());
  await until(async () => (await heldBy(paused)).length >= ENOUGH);
  paused.signal('SIGSTOP');
  const left = await heldBy(paused);
  expect(left.length).toBeGreaterThan(0);
  await allEnded(t.services.db, 240_000);
  paused.signal('SIGCONT');
  // The other worker has ended, so once another machine is created the paused worker is running again.
  await other.end('SIGTERM');
  ids.push(await order());
  await allEnded(t.services.db, 240_000);

  const outcomes = await Promise.all(left.map((id) => operationOf(t, id)));
  expect(outcomes.map(({ status }) => status)).toEqual(left.map(() => 'succeeded'));
  expect(outcomes.filter(({ attempt }) => attempt > 1).length, 'taken over').toBeGreaterThan(0);

  const { db } = t.services;
  const vms = await db.selectFrom('vms').select(['id', 'status']).execute();
  expect(vms.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(vms.filter(({ status }) => status !== 'running')).toEqual([]);
  const machines = await db.selectFrom('sandbox_things').select('id').where('kind', '=', 'machine').execute();
  expect(machines.map(({ id }) => id).sort()).toEqual([...ids].sort());

  const room = await sql<{ vcpus: number }>`select sum(used_vcpus)::int as vcpus from sandbox_hosts`.execute(
    db,
  );
  expect(room.rows[0]?.vcpus, 'room taken at the engine').toBe(ids.length);
  const told = sql<{ id: string; count: number }>`
    select v.id, count(e.id)::int as count from vms v
    left join events e on e.resource_id = v.id and e.type = 'vm.created' group by v.id`;
  expect(await countOf(told), 'machines that were told of more than once').toEqual([]);
  const spans = sql<{ id: string; count: number }>`
    select v.id, count(s.id)::int as count from vms v
    left join meter_spans s on s.resource_id = v.id and s.ended_at is null group by v.id`;
  expect(await countOf(spans), 'machines that are paid for more than once').toEqual([]);
}, 600_000);
