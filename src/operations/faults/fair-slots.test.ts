/** A worker process serves everybody else while a foreign server sends almost nothing, or the engine of a location hangs. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../engines/sandbox/store.ts';
import type { OperationView } from '../../kernel/operations/schema.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { makeTemporaryFolder, removeTemporaryFolder } from '../../testing/folder.ts';
import { ended } from '../../testing/operations.ts';
import {
  type Answering,
  createReceiver,
  type Receiver,
  receiverCertificate,
} from '../../testing/receiver.ts';
import { VpsAccount } from '../../testing/vps.ts';
import { buildWorker, startWorker, type WorkerProcess } from '../../testing/worker-process.ts';

const ACCOUNTS = 11;
const IMPORTS_EACH = 3;
const VOLUMES_EACH = 4;
/** More than a worker ever runs at once for one account, location and kind. */
const IGNORANT_GUESTS = 40;
/** Often enough for any least rate of a download that counts bytes over a minute, and it never ends. */
const DRIP_MS = 200;

let t: TestApp;
let folder: string;
let worker: WorkerProcess;
let receiver: Receiver;
let crowd: VpsAccount[];
let bystander: VpsAccount;
let machine: string;
let owner: VpsAccount;
let machines: string[];
let serial = 0;
const drips = new Set<NodeJS.Timeout>();

const drip: Answering = (response) => {
  response.writeHead(200, { 'content-length': 100_000_000 });
  const timer = setInterval(() => response.write(Buffer.alloc(4096)), DRIP_MS);
  drips.add(timer);
  response.on('close', () => clearInterval(timer));
};

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  const program = await buildWorker(folder);
  const egress = { allow: ['127.0.0.0/8'], deny: [], addresses: [], ca: receiverCertificate };
  let section: TestApp['services']['provider']['egress'] | undefined;
  t = await createTestApp({
    provider: (config) => {
      section = { ...config.egress, ...egress };
      return { ...config, egress: section };
    },
  });
  receiver = await createReceiver();
  receiver.answer(drip);
  crowd = [];
  for (let i = 0; i < ACCOUNTS; i++) crowd.push(await VpsAccount.open(t));
  bystander = await VpsAccount.open(t);
  machine = (await bystander.vm({ location: 'ams1' })).id;
  owner = await VpsAccount.open(t);
  machines = await openMachines(owner, IGNORANT_GUESTS + 1);
  const task = { connection: t.database.connection, leaseSeconds: 30, egress: section! };
  worker = await startWorker(program, task);
});
afterEach(() => clearFaults(t.services.db));
afterAll(async () => {
  await worker.end('SIGKILL');
  for (const timer of drips) clearInterval(timer);
  await receiver.close();
  await t.close();
  await removeTemporaryFolder(folder);
});

async function openMachines(account: VpsAccount, count: number): Promise<string[]> {
  const lifted = { account_id: account.account.id, limit_id: 'flexible-vps.vms', value: count };
  await t.services.db.insertInto('account_limits').values(lifted).execute();
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await account.vm({ plan: 'flex-1-1' })).id);
  return ids;
}

async function begin(account: VpsAccount, path: string, body: object): Promise<string> {
  const answer = await account.send('POST', path, body);
  expect(answer.statusCode, answer.body).toBe(202);
  const { operation, ...own } = answer.json<{ id: string; operation?: OperationView }>();
  return operation?.id ?? own.id;
}

const volume = (account: VpsAccount, location: string): Promise<string> =>
  begin(account, 'volumes', { name: `v-${++serial}`, location, size_gb: 10 });

async function unfinished(type: string): Promise<{ all: number; running: number }> {
  const rows = await t.services.db
    .selectFrom('operations')
    .select('lease_owner')
    .where('type', '=', type)
    .where('finished_at', 'is', null)
    .execute();
  return { all: rows.length, running: rows.filter(({ lease_owner }) => lease_owner !== null).length };
}

describe('another account creates a volume and stops a machine', () => {
  it('while 33 imports of 11 accounts wait for a server that drips', async () => {
    for (const account of crowd)
      for (let i = 0; i < IMPORTS_EACH; i++)
        await begin(account, 'isos', {
          name: `i-${++serial}`,
          url: `https://localhost:${receiver.port}/a.iso`,
        });
    await expect
      .poll(async () => (await unfinished('iso.create')).running, { timeout: 60_000 })
      .toBeGreaterThan(1);
    for (const id of [
      await volume(bystander, 'ams1'),
      await begin(bystander, `vms/${machine}/actions`, { type: 'power_off' }),
    ])
      expect(await ended(t, id)).toMatchObject({ status: 'succeeded' });
    expect((await unfinished('iso.create')).all).toBe(ACCOUNTS * IMPORTS_EACH);
  }, 120_000);

  it('although both are those of an account whose other guests ignore the request to shut down', async () => {
    const [listening, ...ignorant] = machines as [string, ...string[]];
    const shutDown = (id: string) =>
      begin(owner, `vms/${id}/actions`, { type: 'shutdown', timeout_seconds: 600 });
    for (const target of ignorant)
      await addFault(t.services.db, { target, effect: { kind: 'ignore_shutdown' } });
    for (const id of ignorant) await shutDown(id);
    for (const id of [await volume(owner, 'fra1'), await shutDown(listening)])
      expect(await ended(t, id)).toMatchObject({ status: 'succeeded' });
    expect((await unfinished('vm.shutdown')).all).toBe(IGNORANT_GUESTS);
  }, 120_000);

  it('while the engine of another location answers nobody', async () => {
    await addFault(t.services.db, { location: 'fra1', effect: { kind: 'hang' } });
    for (const account of crowd) for (let i = 0; i < VOLUMES_EACH; i++) await volume(account, 'fra1');
    await expect
      .poll(async () => (await unfinished('volume.create')).running, { timeout: 60_000 })
      .toBeGreaterThan(31);
    for (const id of [
      await volume(bystander, 'ams1'),
      await begin(bystander, `vms/${machine}/actions`, { type: 'power_on' }),
    ])
      expect(await ended(t, id)).toMatchObject({ status: 'succeeded' });
    expect((await unfinished('volume.create')).all).toBe(ACCOUNTS * VOLUMES_EACH);
  }, 120_000);
});
