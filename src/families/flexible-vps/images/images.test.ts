import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeInside } from '../../../engines/compute/sandbox/guest-actions.ts';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { insertOwned } from '../../../resources/owned/store.ts';
import { createAccount, createKey, type TestAccount } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { ended, settle } from '../../../testing/operations.ts';
import { removeFailedImages } from './failed-images.ts';
import { ensureImageAt } from './image-copies.ts';
import { publicRow } from './present.ts';
import { images as imageResource } from './resource.ts';
import { findImageRow } from './store.ts';
import type { ImageRow } from './table.ts';

let t: TestApp;
let account: TestAccount;
let key: string;
let serial = 0;

beforeAll(async () => {
  t = await createTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  account = await createAccount(t.services.db);
  key = (await createKey(t.services.db, account)).key;
});

const images = '/flexible-vps/v1/images';
const send = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) =>
  t.call({ method, url, key, ...(payload === undefined ? {} : { payload }) });
const read = async (id: string) => (await send('GET', `${images}/${id}`)).json();
const engineAt = (location: string) => t.services.compute.at(location) as Sandbox;

async function createVm(): Promise<string> {
  const source = { type: 'image', image_id: 'debian-13' };
  const payload = { name: `web-${++serial}`, location: 'fra1', plan: 'flex-1-1', source };
  const answer = await send('POST', '/flexible-vps/v1/vms', payload);
  expect([answer.statusCode, answer.body]).toEqual([202, expect.anything()]);
  await settle(t);
  return answer.json().id;
}

const capture = (source: object, name = `image-${++serial}`) => send('POST', images, { name, source });

async function captured(vmId: string): Promise<string> {
  const { id } = (await capture({ type: 'vm', vm_id: vmId })).json();
  await settle(t);
  return id;
}

/** Inserts an image that exists only in the tables, not at an engine. */
const insert = async (change: Partial<ImageRow> = {}): Promise<ImageRow> => {
  const row = await insertOwned(t.services.db, 'vps_images', account.id, {
    ...publicRow(t.services.provider.catalogue.images[0]!),
    id: `img_01jqzv2m7xe9rs5d3k8w4t6${String(++serial).padStart(3, '0')}`,
    name: `image-${serial}`,
    source: JSON.stringify({ type: 'url', id: null, url: null }) as never,
    created_at: new Date(),
    ...change,
  });
  return row!;
};

describe('an image of a machine', () => {
  it('202: is captured while the machine runs, shows its operation, and knows its operating system', async () => {
    const vmId = await createVm();
    await writeInside(engineAt('fra1').core, { account: account.id, id: vmId }, '/root/note', 'captured');
    const answer = await capture({ type: 'vm', vm_id: vmId });
    expect(answer.json()).toMatchObject({
      status: 'creating',
      os: { distribution: 'debian', version: '13' },
      default_user: 'debian',
      source: { type: 'vm', id: vmId },
    });
    const vm = (await send('GET', `/flexible-vps/v1/vms/${vmId}`)).json();
    expect(vm).toMatchObject({ status: 'running', operation: { id: answer.json().operation.id } });
    const again = await capture({ type: 'vm', vm_id: vmId });
    expect([again.statusCode, again.json().code]).toEqual([409, 'operation_in_progress']);
    await settle(t);
    const image = await read(answer.json().id);
    expect(image).toMatchObject({
      status: 'available',
      min_disk_gb: 20,
      locations: ['fra1'],
      operation: null,
    });
    const payload = {
      name: 'elsewhere',
      location: 'hel1',
      plan: 'flex-1-1',
      source: { type: 'image', image_id: image.id },
    };
    const made = await send('POST', '/flexible-vps/v1/vms', payload);
    await settle(t);
    expect((await send('GET', `/flexible-vps/v1/vms/${made.json().id}`)).json().status).toBe('running');
  });

  it('422: is refused for a source that does not exist or is inconsistent', async () => {
    const vmId = await createVm();
    const none = vmId.replace(/.$/, vmId.endsWith('0') ? '1' : '0');
    const snap = 'snap_01jqzv2m7xe9rs5d3k8w4t6y0b';
    const cases: [object, string, string][] = [
      [{ type: 'vm', vm_id: none }, '/source/vm_id', 'unknown_reference'],
      [{ type: 'vm' }, '/source/vm_id', 'required'],
      [{ type: 'snapshot', vm_id: vmId, snapshot_id: snap }, '/source/snapshot_id', 'unknown_reference'],
      [{ type: 'snapshot', snapshot_id: snap }, '/source/snapshot_id', 'unknown_reference'],
      [{ type: 'vm', vm_id: vmId, snapshot_id: snap }, '/source/snapshot_id', 'unknown_member'],
      [
        { type: 'backup', backup_id: 'bkp_01jqzv2m7xe9rs5d3k8w4t6y0b' },
        '/source/backup_id',
        'unknown_reference',
      ],
      [{ type: 'url', url: 'https://images.example.com/' }, '/source/architecture', 'required'],
    ];
    for (const [source, pointer, code] of cases) {
      const answer = await capture(source);
      expect([answer.statusCode, answer.json().errors[0]]).toMatchObject([422, { pointer, code }]);
    }
  });

  it('409: is refused for a machine in rescue mode or in error', async () => {
    const vmId = await createVm();
    const change = (set: object) =>
      t.services.db.updateTable('vms').set(set).where('id', '=', vmId).execute();
    await change({ status: 'error' });
    expect((await capture({ type: 'vm', vm_id: vmId })).json()).toMatchObject({
      code: 'invalid_state',
      allowed_states: ['running', 'stopped'],
    });
    await change({ status: 'running', rescue_expires_at: new Date() });
    expect((await capture({ type: 'vm', vm_id: vmId })).json().code).toBe('vm_in_rescue');
  });

  it('409: is refused if its name is taken', async () => {
    const vmId = await createVm();
    const first = await capture({ type: 'vm', vm_id: vmId }, 'golden');
    await settle(t);
    const second = await capture({ type: 'vm', vm_id: vmId }, 'golden');
    expect(second.json()).toMatchObject({ code: 'name_taken', existing_id: first.json().id });
  });

  it('fails with the reason of the engine, and is retried while the engine does not answer', async () => {
    const vmId = await createVm();
    const fail = { kind: 'fail', code: 'engine_failed', detail: 'The pool is full.' } as const;
    await addFault(t.services.db, { call: 'ensureImage', times: 1, effect: fail });
    const id = await captured(vmId);
    expect(await read(id)).toMatchObject({
      status: 'failed',
      failure: { code: 'engine_failed', detail: 'The pool is full.' },
    });
    await clearFaults(t.services.db);
  });
});

describe('a copy of an image', () => {
  it('is made once in a location that does not have the image, with the same content', async () => {
    const id = await captured(await createVm());
    const row = (await findImageRow(t.services.db, account.id, id))!;
    const { signal } = new AbortController();
    const ref = { account: account.id, id };
    expect(await engineAt('ams1').observeImage(ref)).toBeNull();
    await ensureImageAt(t.services, row, 'ams1', signal);
    await ensureImageAt(t.services, row, 'ams1', signal);
    expect(await engineAt('ams1').observeImage(ref)).toMatchObject({
      state: 'available',
      sha256: row.sha256,
    });
    const lost = { ...row, locations: [] };
    await expect(ensureImageAt(t.services, lost, 'hel1', signal)).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(ensureImageAt(t.services, row, 'mars1', signal)).rejects.toThrow('No engine serves mars1');
  });

  it('is refused if the location uses another file format', async () => {
    const id = await captured(await createVm());
    const row = (await findImageRow(t.services.db, account.id, id))!;
    const engine = engineAt('ams1');
    const compute = {
      ...t.services.compute,
      at: (location: string) =>
        location === 'ams1'
          ? Object.create(engine, { imageFormats: { value: ['tarball'] } })
          : engineAt(location),
    };
    const { signal } = new AbortController();
    await expect(ensureImageAt({ ...t.services, compute }, row, 'ams1', signal)).rejects.toMatchObject({
      code: 'unsupported_format',
    });
    expect(await engine.observeImage({ account: account.id, id })).toBeNull();
  });
});

describe('deleteImage', () => {
  it('202: removes the image from every location', async () => {
    const id = await captured(await createVm());
    const row = (await findImageRow(t.services.db, account.id, id))!;
    await ensureImageAt(t.services, row, 'ams1', new AbortController().signal);
    const answer = await send('DELETE', `${images}/${id}`);
    expect(answer.json()).toMatchObject({ status: 'deleting', operation: { type: 'image.delete' } });
    const again = await send('DELETE', `${images}/${id}`);
    expect([again.statusCode, again.json().operation.id]).toEqual([202, answer.json().operation.id]);
    await settle(t);
    expect((await send('GET', `${images}/${id}`)).statusCode).toBe(404);
    for (const engine of t.services.compute.all)
      expect(await engine.observeImage({ account: account.id, id })).toBeNull();
    expect((await send('GET', `/account/v1/resources?type=image`)).json().data).toEqual([]);
  });

  it('200: a dry run shows how much cost is saved', async () => {
    const id = await captured(await createVm());
    await imageResource.change(t.services.db, id, { size_bytes: 100 * 2 ** 30 }, t);
    const answer = await send('DELETE', `${images}/${id}?dry_run=true`);
    expect(answer.json().cost).toEqual({
      hourly: '-0.002055',
      monthly: '-1.50',
      currency: 'EUR',
      lines: [],
    });
  });

  it('409: is refused for an image of the provider, and while a machine is being created from the image', async () => {
    expect((await send('DELETE', `${images}/debian-13`)).json().code).toBe('resource_protected');
    const vmId = await createVm();
    const id = await captured(vmId);
    const image = JSON.stringify({ id });
    await t.services.db
      .updateTable('vms')
      .set({ status: 'creating', image: sql`${image}::jsonb` as never })
      .where('id', '=', vmId)
      .execute();
    expect((await send('DELETE', `${images}/${id}`)).json()).toMatchObject({
      code: 'resource_in_use',
      used_by: [{ type: 'vm', id: vmId }],
      used_by_count: 1,
    });
  });

  it('happens automatically 7 days after an image failed', async () => {
    const age = (days: number) => new Date(Date.now() - days * 86_400_000);
    const old = await insert({ status: 'failed', failed_at: age(7.1) });
    const young = await insert({ status: 'failed', failed_at: age(6.9) });
    await removeFailedImages.run(t.services);
    await settle(t);
    expect((await send('GET', `${images}/${old.id}`)).statusCode).toBe(404);
    expect((await read(young.id)).status).toBe('failed');
  });
});

describe('listImages', () => {
  const list = async (query: string): Promise<{ id: string; kind: string; name: string }[]> =>
    (await send('GET', `${images}?limit=200&${query}`)).json().data;
  const ids = async (query: string) => (await list(query)).map(({ id }) => id);

  it('200: lists images of the provider and of the account in one order, and filters both', async () => {
    const row = await insert({ architecture: 'arm64', name: 'b-own', labels: { env: 'prod' } });
    const all = await list('sort=name');
    expect(all.map(({ name }) => name)).toEqual(all.map(({ name }) => name).sort());
    expect((await ids('sort=-created_at'))[0]).toBe(row.id);
    expect(await ids('kind=custom')).toEqual([row.id]);
    expect(await ids('kind=public')).not.toContain(row.id);
    expect((await ids('architecture=arm64')).sort()).toEqual(
      ['debian-13-arm64', row.id, 'ubuntu-24.04-arm64'].sort(),
    );
    expect(await ids('os=windows')).toEqual(['windows-server-2025']);
    expect((await ids('os=debian')).sort()).toEqual(['debian-12', 'debian-13', 'debian-13-arm64']);
    expect(await ids('label_selector=env%3Dprod')).toEqual([row.id]);
    expect(await ids('name=b-own')).toEqual([row.id]);
    expect(await ids('status=failed')).toEqual([]);
  });

  it('200: hides deprecated images unless asked for, and always hides removed ones', async () => {
    const { catalogue } = t.services.provider;
    const [first, second, ...rest] = catalogue.images;
    const changed = [
      { ...first!, deprecated_at: '2026-01-01' },
      { ...second!, deprecated_at: '2026-01-01', removed_at: '2026-02-01' },
      ...rest,
    ];
    const { provider } = t.services;
    Object.assign(t.services, { provider: { ...provider, catalogue: { ...catalogue, images: changed } } });
    expect(await ids('')).toHaveLength(rest.length);
    expect(await ids('include_deprecated=true')).toHaveLength(rest.length + 1);
    expect(await read(second!.slug)).toMatchObject({
      slug: second!.slug,
      removed_at: '2026-02-01T00:00:00.000Z',
    });
    Object.assign(t.services, { provider });
  });

  it('an image has a monthly price by its size', async () => {
    const id = await captured(await createVm());
    const [row] = (await send('GET', `/account/v1/resources?ids=${id}`)).json().data;
    expect(row.price).toMatchObject({ monthly: '0.00', currency: 'EUR' });
    const estimate = await send('POST', '/account/v1/pricing/estimate', {
      items: [
        {
          resource_type: 'vm',
          configuration: { location: 'fra1', plan: 'flex-1-1', source: { type: 'image', image_id: id } },
        },
      ],
    });
    expect([estimate.statusCode, estimate.body]).toEqual([200, expect.anything()]);
  });
});

it('the operation of a deleted image can still be read', async () => {
  const id = await captured(await createVm());
  const { operation } = (await send('DELETE', `${images}/${id}`)).json();
  await settle(t);
  expect((await ended(t, operation.id)).status).toBe('succeeded');
});
