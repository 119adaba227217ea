import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';
import { snapshots } from './resource.ts';
import { snapshotExpiry, snapshotSizes } from './schedules.ts';
import type { Snapshot } from './schema.ts';

let app: TestApp;
let mine: VpsAccount;
let vm: Vm;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  mine = await VpsAccount.open(app);
  vm = await mine.vm();
});
afterEach(() => clearFaults(app.services.db));

const path = (id = ''): string => `vms/${vm.id}/snapshots${id === '' ? '' : `/${id}`}`;
const take = (body: object = {}) => mine.send('POST', path(), body);
const read = async (id: string): Promise<Snapshot> => (await mine.send('GET', path(id))).json<Snapshot>();

async function taken(body: object = {}): Promise<Snapshot> {
  const { id } = await mine.do<Snapshot>('POST', path(), body);
  return read(id);
}

async function resourceOf(id: string) {
  const url = '/account/v1/resources?type=snapshot';
  const { data } = (await app.call({ method: 'GET', url, key: mine.key })).json<{
    data: { id: string; status: string; price: { monthly: string } | null; href: string }[];
  }>();
  return data.find((row) => row.id === id);
}

const typesOf = async (): Promise<string[]> =>
  (
    await app.services.db
      .selectFrom('events')
      .select('type')
      .where('account_id', '=', mine.account.id)
      .where('type', 'like', 'snapshot.%')
      .orderBy('sequence')
      .execute()
  ).map(({ type }) => type);

const isAtEngine = async (id: string): Promise<boolean> =>
  (await mine.instance(vm))?.snapshots.some((snapshot) => snapshot.id === id) ?? false;

describe('a snapshot', () => {
  it('costs at most what its dry run shows, and the dry run says so', async () => {
    const dry = await mine.send('POST', `${path()}?dry_run=true`, {});
    const detail = `The price depends on the size of the finished snapshot; this is the most it can cost, for ${vm.disk_gb} GB.`;
    expect(dry.json().warnings).toEqual([{ code: 'cost_follows_size', detail }]);
    const { id } = await taken();
    const monthly = Number((await resourceOf(id))?.price?.monthly);
    expect(monthly).toBeLessThanOrEqual(Number(dry.json().cost.monthly));
  });

  it('is taken of a running machine, which keeps running', async () => {
    const answer = await take({ name: 'first', labels: { env: 'test' }, description: 'before' });
    expect(answer.statusCode, answer.body).toBe(202);
    const accepted = answer.json<Snapshot>();
    expect(accepted).toMatchObject({ status: 'creating', name: 'first', size_bytes: null, vm_id: vm.id });
    expect(accepted.operation).toMatchObject({ type: 'snapshot.create', status: 'queued' });
    expect(await mine.readVm(vm.id)).toMatchObject({
      status: 'running',
      operation: { id: accepted.operation?.id },
    });
    await settle(app);
    const ready = await read(accepted.id);
    expect(ready).toMatchObject({
      status: 'available',
      operation: null,
      disk_gb: 80,
      consistency: 'filesystem',
      created_by: 'user',
      labels: { env: 'test' },
    });
    expect(ready.size_bytes).toBeGreaterThan(0);
    expect(await isAtEngine(ready.id)).toBe(true);
    expect(await resourceOf(ready.id)).toMatchObject({
      status: 'available',
      price: { monthly: expect.any(String) },
      href: `https://api.example.test/flexible-vps/v1/${path(ready.id)}`,
    });
    expect(await typesOf()).toEqual(['snapshot.created']);
  });

  it('gets a name from the time, and another one if that is taken', async () => {
    const one = await taken();
    expect(one.name).toMatch(/^snap-\d{8}-\d{6}(-\d+)?$/);
    await app.services.db
      .updateTable('vm_snapshots')
      .set({ name: sql<string>`'snap-' || to_char(now() at time zone 'utc', 'YYYYMMDD-HH24MISS')` })
      .where('id', '=', one.id)
      .execute();
    const two = await taken();
    expect(two.name).not.toBe((await read(one.id)).name);
  });

  it.each([
    ['never', 'crash'],
    ['auto', 'filesystem'],
    ['require', 'filesystem'],
  ])('with quiesce %s has the consistency %s', async (quiesce, consistency) => {
    expect(await taken({ quiesce })).toMatchObject({ consistency });
  });

  it('409: with quiesce require is refused without a guest agent', async () => {
    await app.services.db.updateTable('vms').set({ guest_agent: null }).where('id', '=', vm.id).execute();
    const answer = await take({ quiesce: 'require' });
    expect(answer.json()).toMatchObject({ code: 'guest_agent_unavailable', agent_last_seen_at: null });
    expect((await take({ quiesce: 'auto' })).statusCode).toBe(202);
  });

  it('409: needs a unique name among the snapshots of its machine', async () => {
    const { id } = await taken({ name: 'same' });
    expect((await take({ name: 'same' })).json()).toMatchObject({ code: 'name_taken', existing_id: id });
    const other = await mine.vm();
    expect((await mine.send('POST', `vms/${other.id}/snapshots`, { name: 'same' })).statusCode).toBe(202);
  });

  it('409: is refused beyond ten, not counting failed ones', async () => {
    await app.services.db
      .insertInto('vm_snapshots')
      .values(
        Array.from({ length: 10 }, (_, i) => ({
          id: snapshots.newId(),
          account_id: mine.account.id,
          vm_id: vm.id,
          name: `s-${i}`,
          status: i === 0 ? 'failed' : 'available',
          disk_gb: 80,
          created_by: 'user' as const,
        })),
      )
      .execute();
    await mine.do('POST', path(), { name: 'tenth' });
    expect((await take()).json()).toMatchObject({
      code: 'quota_exceeded',
      limit_id: 'flexible-vps.snapshots-per-vm',
      used: 10,
    });
  });

  it.each([
    ['too soon', 3_500_000],
    ['too late', 367 * 86_400_000],
    ['in the past', -1000],
  ])('422: does not expire %s', async (_, ahead) => {
    const answer = await take({ expires_at: new Date(Date.now() + ahead).toISOString() });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().errors).toMatchObject([{ pointer: '/expires_at', code: 'out_of_range' }]);
  });

  it('409: is refused while another operation runs', async () => {
    const { operation } = (await take()).json<Snapshot>();
    const again = await take();
    expect(again.json()).toMatchObject({ code: 'operation_in_progress', operation_id: operation?.id });
    expect(again.headers['retry-after']).toBeDefined();
  });

  it('404: is visible only to its account and under its machine', async () => {
    const { id } = await taken();
    const other = await mine.vm();
    expect((await mine.send('GET', `vms/${other.id}/snapshots/${id}`)).statusCode).toBe(404);
    const stranger = await VpsAccount.open(app);
    expect((await stranger.send('GET', path())).statusCode).toBe(404);
    expect((await stranger.send('GET', path(id))).statusCode).toBe(404);
    expect((await mine.send('GET', `vms/${other.id}/snapshots`)).json()).toMatchObject({ data: [] });
  });
});

describe('a snapshot that fails', () => {
  it('is kept as failed, costs nothing, and is deleted a day later, also at the engine', async () => {
    const { db } = app.services;
    await addFault(db, {
      call: 'ensureSnapshot',
      target: vm.id,
      effect: { kind: 'fail', code: 'engine_failed', detail: 'No space left.' },
    });
    const failed = await taken({ name: 'unlucky' });
    expect(failed).toMatchObject({ status: 'failed', operation: null, size_bytes: null });
    expect(await typesOf()).toEqual(['snapshot.failed']);
    expect(await resourceOf(failed.id)).toMatchObject({ status: 'failed', price: null });
    expect((await mine.readVm(vm.id)).status).toBe('running');
    await snapshotExpiry.run(app.services);
    expect((await read(failed.id)).status).toBe('failed');
    await db
      .updateTable('vm_snapshots')
      .set({ failed_at: new Date(Date.now() - 25 * 3_600_000) })
      .where('id', '=', failed.id)
      .execute();
    await snapshotExpiry.run(app.services);
    await settle(app);
    expect((await mine.send('GET', path(failed.id))).statusCode).toBe(404);
    expect(await resourceOf(failed.id)).toBeUndefined();
  });

  it('because the engine does not answer is retried, and taken once', async () => {
    await addFault(app.services.db, {
      call: 'ensureSnapshot',
      target: vm.id,
      effect: { kind: 'fail_after' },
    });
    const { id, operation } = (await take()).json<Snapshot>();
    await settle(app);
    expect(await read(id)).toMatchObject({ status: 'creating' });
    await clearFaults(app.services.db);
    await wake(operation?.id);
    expect(await read(id)).toMatchObject({ status: 'available' });
    expect((await mine.instance(vm))?.snapshots).toHaveLength(1);
  });

  it('is not available just because the engine claims it', async () => {
    await addFault(app.services.db, {
      call: 'ensureSnapshot',
      target: vm.id,
      effect: { kind: 'lie' },
    });
    const { id, operation } = (await take()).json<Snapshot>();
    await settle(app);
    expect(await read(id)).toMatchObject({ status: 'creating' });
    await clearFaults(app.services.db);
    await wake(operation?.id);
    expect(await read(id)).toMatchObject({ status: 'available' });
  });

  it('leaves nothing when it is cancelled before it has begun', async () => {
    const { id, operation } = (await take()).json<Snapshot>();
    const url = `/account/v1/operations/${operation?.id}/cancel`;
    await app.call({ method: 'POST', url, key: mine.key });
    expect((await mine.send('GET', path(id))).statusCode).toBe(404);
    expect(await resourceOf(id)).toBeUndefined();
  });

  it('leaves nothing when it is cancelled', async () => {
    await addFault(app.services.db, {
      call: 'ensureSnapshot',
      target: vm.id,
      effect: { kind: 'fail_after' },
    });
    const { id, operation } = (await take({ name: 'unwanted' })).json<Snapshot>();
    await settle(app);
    expect(await isAtEngine(id)).toBe(true);
    const url = `/account/v1/operations/${operation?.id}/cancel`;
    const answer = await app.call({ method: 'POST', url, key: mine.key });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    await clearFaults(app.services.db);
    await settle(app);
    expect((await mine.send('GET', path(id))).statusCode).toBe(404);
    expect(await isAtEngine(id)).toBe(false);
    expect(await resourceOf(id)).toBeUndefined();
    expect((await take({ name: 'unwanted' })).statusCode).toBe(202);
  });
});

/** Makes an operation that waits for a retry due now, and runs it. */
async function wake(operationId: string | undefined): Promise<void> {
  await app.services.db
    .updateTable('operations')
    .set({ run_at: sql`now()` })
    .where('id', '=', operationId ?? '')
    .execute();
  await settle(app);
}

describe('deleting a snapshot', () => {
  it('removes it from the engine, the lists and the inventory', async () => {
    const { id } = await taken();
    const answer = await mine.send('DELETE', path(id));
    expect(answer.statusCode, answer.body).toBe(202);
    expect(answer.json()).toMatchObject({ status: 'deleting', operation: { type: 'snapshot.delete' } });
    await settle(app);
    expect((await mine.send('GET', path(id))).statusCode).toBe(404);
    expect(await isAtEngine(id)).toBe(false);
    expect(await resourceOf(id)).toBeUndefined();
    expect(await typesOf()).toEqual(['snapshot.created', 'snapshot.deleted']);
  });

  it('waits for the operation of the machine', async () => {
    const { id } = await taken();
    const second = (await take()).json<Snapshot>();
    expect((await mine.send('DELETE', path(id))).statusCode).toBe(202);
    await settle(app);
    expect((await mine.send('GET', path(id))).statusCode).toBe(404);
    expect(await read(second.id)).toMatchObject({ status: 'available' });
  });

  it('409: is refused while it is being taken; repeating the deletion returns the same operation', async () => {
    const { id, operation } = (await take()).json<Snapshot>();
    const early = await mine.send('DELETE', path(id));
    expect(early.json()).toMatchObject({ code: 'operation_in_progress', operation_id: operation?.id });
    await settle(app);
    const first = await mine.send('DELETE', path(id));
    expect(first.statusCode).toBe(202);
    const again = await mine.send('DELETE', path(id));
    expect(again.statusCode).toBe(202);
    expect(again.headers['operation-location']).toBe(first.headers['operation-location']);
  });

  it('409: is refused while a machine is being created from it, and not afterwards', async () => {
    const { id } = await taken();
    const copy = await mine.send('POST', 'vms', {
      name: `copy-${Date.now()}`,
      location: 'fra1',
      plan: 'flex-2-4',
      source: { type: 'snapshot', snapshot_id: id },
    });
    expect(copy.statusCode, copy.body).toBe(202);
    const refused = await mine.send('DELETE', path(id));
    expect(refused.json()).toMatchObject({
      code: 'resource_in_use',
      used_by: [{ type: 'vm', id: copy.json<Vm>().id }],
      used_by_count: 1,
    });
    await settle(app);
    expect((await mine.send('DELETE', path(id))).statusCode).toBe(202);
  });

  it('leaves it available if the engine refuses', async () => {
    const { id } = await taken();
    await addFault(app.services.db, {
      call: 'removeSnapshot',
      target: vm.id,
      times: 1,
      effect: { kind: 'fail', code: 'engine_failed', detail: 'Told to.' },
    });
    await mine.do('DELETE', path(id));
    expect(await read(id)).toMatchObject({ status: 'available', operation: null });
    expect(await resourceOf(id)).toMatchObject({ status: 'available' });
    await mine.do('DELETE', path(id));
    expect((await mine.send('GET', path(id))).statusCode).toBe(404);
  });

  it('412: is refused with an old ETag', async () => {
    const { id } = await taken();
    const answer = await mine.send('DELETE', path(id), undefined, { 'if-match': '"stale"' });
    expect(answer.statusCode).toBe(412);
  });
});

describe('the schedules of snapshots', () => {
  it('delete expired snapshots once, and nothing else', async () => {
    const soon = new Date(Date.now() + 2 * 3_600_000).toISOString();
    const expiring = await taken({ name: 'short', expires_at: soon });
    expect(expiring.expires_at).toBe(soon);
    const lasting = await taken({ name: 'long' });
    await snapshotExpiry.run(app.services);
    expect((await read(expiring.id)).status).toBe('available');
    await app.services.db
      .updateTable('vm_snapshots')
      .set({ expires_at: sql`now() - interval '1 second'` })
      .where('id', '=', expiring.id)
      .execute();
    await snapshotExpiry.run(app.services);
    await snapshotExpiry.run(app.services);
    const deleting = await read(expiring.id);
    expect(deleting).toMatchObject({
      status: 'deleting',
      operation: { type: 'snapshot.delete', actor: { kind: 'system' } },
    });
    await settle(app);
    expect((await mine.send('GET', path(expiring.id))).statusCode).toBe(404);
    expect(await read(lasting.id)).toMatchObject({ status: 'available' });
  });

  it('update the size and price of a snapshot', async () => {
    const { id, etag } = await taken();
    const before = await resourceOf(id);
    await app.services.db.updateTable('vm_snapshots').set({ size_bytes: 1 }).where('id', '=', id).execute();
    await snapshotSizes.run(app.services);
    const after = await read(id);
    expect(after.size_bytes).toBeGreaterThan(1);
    expect(after.etag).toBe(etag);
    expect((await resourceOf(id))?.price).toEqual(before?.price);
  });
});
