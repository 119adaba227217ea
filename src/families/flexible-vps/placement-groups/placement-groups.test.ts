import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Call } from '../../../kernel/call.ts';
import type { FieldError } from '../../../kernel/problems/problem.ts';
import { outcomeOf } from '../../../laws/responses.ts';
import { rowsOf } from '../../../laws/rows.ts';
import type { ProviderConfig } from '../../../provider/schema.ts';
import { lockOwned } from '../../../resources/owned/store.ts';
import type { Db } from '../../../store/database.ts';
import { transact } from '../../../store/transaction.ts';
import { createAccount, createKey, type TestAccount, type TestKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import type { VmState } from '../vms/lifecycle.ts';
import { vms } from '../vms/resource.ts';
import { type PlacementGroup, placementGroups } from './endpoints.ts';
import { requirePlacementGroup } from './references.ts';
import { placementOf } from './store.ts';

const collection = '/flexible-vps/v1/placement-groups';

/** The location ams1 exists, but has no compute engine. */
function withoutMachinesInAms1(config: ProviderConfig): ProviderConfig {
  const locations = config.catalogue.locations.map((location) =>
    location.slug === 'ams1' ? { ...location, compute: null } : location,
  );
  return { ...config, catalogue: { ...config.catalogue, locations } };
}

let app: TestApp;
let account: TestAccount;
let key: TestKey;
let serial = 0;

beforeAll(async () => {
  app = await createTestApp({ provider: withoutMachinesInAms1 });
});
afterAll(() => app.close());
beforeEach(async () => {
  account = await createAccount(app.services.db);
  key = await createKey(app.services.db, account);
});

const post = (payload: object) => app.call({ method: 'POST', url: collection, payload, key: key.key });

async function make(more: object = {}): Promise<PlacementGroup> {
  const response = await post({ name: `group-${++serial}`, location: 'fra1', ...more });
  expect([response.statusCode, response.json().errors]).toEqual([201, undefined]);
  return response.json<PlacementGroup>();
}

const get = async (id: string) =>
  (await app.call({ url: `${collection}/${id}`, key: key.key })).json<PlacementGroup>();

const remove = (id: string, headers: Record<string, string> = {}) =>
  app.call({ method: 'DELETE', url: `${collection}/${id}`, headers, key: key.key });

/** Inserts only the row of a machine; the engine has no such machine. */
async function addVm(groupId: string, status: VmState = 'running', db: Db = app.services.db) {
  const id = vms.newId();
  const name = `vm-${++serial}`;
  await db
    .insertInto('vms')
    .values({
      id,
      account_id: account.id,
      name,
      status,
      location: 'fra1',
      plan: 'flex-2-4',
      requested: { location: 'fra1', plan: 'flex-2-4' },
      vcpus: 2,
      memory_mb: 4096,
      disk_gb: 40,
      architecture: 'amd64',
      hostname: name,
      source: { type: 'image', id: 'ubuntu-24.04' },
      boot_mode: 'uefi',
      secure_boot: false,
      placement_group_id: groupId,
      seed: 'one',
      configuration: {},
    })
    .execute();
  return { id, name };
}

async function events(): Promise<string[]> {
  const rows = (await rowsOf({ app, account, key }, 'events')) as { type: string; resource_id: string }[];
  return rows.map(({ type, resource_id }) => `${type} ${resource_id}`);
}

describe('creating a placement group', () => {
  it('201: has the policy spread and is strict by default', async () => {
    const group = await make({ name: 'web', labels: { env: 'prod' } });
    expect(group).toEqual({
      id: group.id,
      name: 'web',
      labels: { env: 'prod' },
      location: 'fra1',
      policy: 'spread',
      strict: true,
      vm_ids: [],
      etag: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await get(group.id)).toEqual(group);
    expect(await events()).toEqual([`placement_group.created ${group.id}`]);
    expect(await make({ policy: 'compact', strict: false })).toMatchObject({
      policy: 'compact',
      strict: false,
    });
  });

  it.each(['nowhere', 'ams1'])('422 unknown_reference: no machines can run in %s', async (location) => {
    const response = await post({ name: 'no', location });
    expect(response.json().errors).toMatchObject([{ pointer: '/location', code: 'unknown_reference' }]);
  });
});

describe('the machines of a placement group', () => {
  it('are listed in the order in which they joined, without those that are being deleted', async () => {
    const { id } = await make();
    const [a, b] = [await addVm(id), await addVm(id, 'stopped')];
    await addVm(id, 'deleting');
    await addVm((await make()).id);
    expect((await get(id)).vm_ids).toEqual([a.id, b.id]);
    const list = await app.call({ url: `${collection}?location=fra1&sort=created_at`, key: key.key });
    expect(list.json<{ data: PlacementGroup[] }>().data.map(({ vm_ids }) => vm_ids.length)).toEqual([2, 1]);
  });

  it('change the ETag of the group when they join or leave', async () => {
    const { id, etag } = await make();
    const headers = { 'if-none-match': `"${etag}"` };
    const read = () => app.call({ url: `${collection}/${id}`, headers, key: key.key });
    expect((await read()).statusCode).toBe(304);
    await addVm(id, 'deleting');
    expect((await read()).statusCode).toBe(304);
    await addVm(id);
    expect((await read()).statusCode).toBe(200);
    expect(outcomeOf(await remove(id, { 'if-match': `"${etag}"` }))).toBe('412 etag_mismatch');
  });

  it('are passed to the engine', async () => {
    const { id } = await make({ policy: 'compact', strict: false });
    const [own, other] = [await addVm(id), await addVm(id)];
    const { db } = app.services;
    expect(await placementOf(db, id, own.id)).toEqual({
      groupId: id,
      policy: 'compact',
      strict: false,
      others: [other.id],
    });
    expect(await placementOf(db, null, own.id)).toBeNull();
    expect(await placementOf(db, placementGroups.newId(), own.id)).toBeNull();
  });
});

describe('deleting a placement group', () => {
  it('409 resource_in_use: is refused with the names of its machines', async () => {
    const { id } = await make();
    const vms = [await addVm(id), await addVm(id, 'error')];
    const response = await remove(id);
    expect(outcomeOf(response)).toBe('409 resource_in_use');
    expect(response.json()).toMatchObject({
      used_by: vms.map((vm) => ({ type: 'vm', ...vm })),
      used_by_count: 2,
    });
    expect(await events()).toHaveLength(1);
  });

  it('204: succeeds if all its machines are being deleted', async () => {
    const { id, name } = await make();
    const vm = await addVm(id, 'deleting');
    expect((await remove(id)).statusCode).toBe(204);
    expect(outcomeOf(await remove(id))).toBe('404 not_found');
    const rows = (await rowsOf({ app, account, key }, 'vms')) as {
      id: string;
      placement_group_id: unknown;
    }[];
    expect(rows).toMatchObject([{ id: vm.id, placement_group_id: null, version: 2 }]);
    expect(await rowsOf({ app, account, key }, 'resources')).toEqual([]);
    expect(await events()).toEqual([`placement_group.created ${id}`, `placement_group.deleted ${id}`]);
    await make({ name });
  });
});

describe('a reference to a placement group', () => {
  const join = (id: string, location = 'fra1', ownVmId?: string) =>
    transact(app.services.db, (db) => {
      const call = { db, caller: { account }, services: app.services } as unknown as Call;
      return requirePlacementGroup(call, id, location, '/placement_group_id', ownVmId);
    });
  const refusal = async (refused: Promise<unknown>) => {
    const problem = await refused.then(
      () => ({ code: 'none', errors: [], extra: {} }),
      (error: { code: string; errors: FieldError[]; extra: object }) => error,
    );
    return { code: problem.code, at: problem.errors.map((e) => `${e.pointer} ${e.code}`), ...problem.extra };
  };

  it('returns the group', async () => {
    const { id } = await make();
    expect(await join(id)).toMatchObject({ id, location: 'fra1', vm_ids: [] });
  });

  it('422 unknown_reference: a group that is not there or belongs to others', async () => {
    const { id } = await make();
    account = await createAccount(app.services.db);
    for (const unknown of [placementGroups.newId(), id])
      expect(await refusal(join(unknown))).toEqual({
        code: 'validation_failed',
        at: ['/placement_group_id unknown_reference'],
      });
  });

  it('422 location_mismatch: a group of another location', async () => {
    const { id } = await make();
    expect(await refusal(join(id, 'hel1'))).toEqual({
      code: 'validation_failed',
      at: ['/placement_group_id location_mismatch'],
    });
  });

  it('409 quota_exceeded: is refused for the eleventh machine', async () => {
    const { id } = await make();
    const vms = [];
    for (let i = 0; i < 10; i++) vms.push(await addVm(id));
    expect(await refusal(join(id))).toEqual({
      code: 'quota_exceeded',
      at: [],
      limit_id: 'flexible-vps.vms-per-placement-group',
      limit: 10,
      used: 10,
      requested: 1,
    });
    expect(await refusal(join(id, 'fra1', vms[3]?.id))).toMatchObject({ code: 'none' });
  });

  it('locks the group: a concurrent deletion or join waits and then sees the result', async () => {
    const { id } = await make();
    const { db } = app.services;
    const waits = async () => {
      const { rows } = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        db,
      );
      expect(rows).toHaveLength(1);
    };
    let removal = Promise.resolve('');
    await transact(db, async (tx) => {
      await lockOwned(tx, 'placement_groups', account.id, { by: 'id', value: id }, {});
      removal = remove(id).then(outcomeOf);
      await vi.waitFor(waits, { timeout: 120_000 });
      await addVm(id, 'creating', tx);
    });
    expect(await removal).toBe('409 resource_in_use');
  });
});
