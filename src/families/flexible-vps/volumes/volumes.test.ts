import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { diskOf, writeInside } from '../../../engines/compute/sandbox/guest-actions.ts';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { runKind } from '../../../testing/run-kind.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import { vms } from '../vms/resource.ts';
import type { Vm } from '../vms/schema.ts';
import { detachVolumeKind } from './attach-kinds.ts';
import type { Volume } from './schema.ts';

let app: TestApp;
let mine: VpsAccount;
let serial = 0;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  mine = await VpsAccount.open(app);
});
afterEach(() => clearFaults(app.services.db));

const engine = () => app.services.compute.at('fra1') as Sandbox;
const ask = (body: object = {}) =>
  mine.send('POST', 'volumes', { name: `v-${++serial}`, location: 'fra1', size_gb: 10, ...body });
const read = async (id: string): Promise<Volume> => (await mine.send('GET', `volumes/${id}`)).json<Volume>();
async function made(body: object = {}): Promise<Volume> {
  const { id } = await mine.do<Volume>('POST', 'volumes', {
    name: `v-${++serial}`,
    location: 'fra1',
    size_gb: 10,
    ...body,
  });
  return read(id);
}
const act = (id: string, body: object) => mine.send('POST', `volumes/${id}/actions`, body);
async function acted(id: string, body: object): Promise<Volume> {
  const answer = await act(id, body);
  expect(answer.statusCode, answer.body).toBe(202);
  await settle(app);
  return read(id);
}
const seen = (id: string) => engine().observeVolume({ account: mine.account.id, id });
const ref = ({ id }: Pick<Vm, 'id'>) => ({ account: mine.account.id, id });
const write = (vm: Vm, volume: Volume, text: string) =>
  writeInside(engine().core, ref(vm), volume.device_path ?? '', text);
const content = async (vm: Vm, volume: Volume) =>
  (await diskOf(engine().core, ref(vm)))[volume.device_path ?? ''];

const typesOf = async (prefix = 'volume.'): Promise<string[]> =>
  (
    await app.services.db
      .selectFrom('events')
      .select('type')
      .where('account_id', '=', mine.account.id)
      .where('type', 'like', `${prefix}%`)
      .orderBy('sequence')
      .execute()
  ).map(({ type }) => type);

describe('a new volume', () => {
  it('is empty and detached, and is billed by its size', async () => {
    const dry = await mine.send('POST', 'volumes?dry_run=true', {
      name: 'd',
      location: 'fra1',
      size_gb: 100,
    });
    expect(dry.json()).toMatchObject({ valid: true, cost: { monthly: '4.40' } });
    const volume = await made({ size_gb: 100 });
    expect(volume).toMatchObject({
      status: 'available',
      vm_id: null,
      kind: 'block',
      tier: 'standard',
      online_resize: true,
      operation: null,
    });
    expect(volume.device_path).toBe(`/dev/disk/by-id/scsi-${volume.id}`);
    expect(await seen(volume.id)).toMatchObject({ sizeGb: 100, instance: null });
    expect(await typesOf()).toEqual(['volume.created']);
  });

  it('can be attached immediately', async () => {
    const vm = await mine.vm();
    const volume = await made({ vm_id: vm.id });
    expect(volume).toMatchObject({ status: 'attached', vm_id: vm.id });
    expect(await seen(volume.id)).toMatchObject({ instance: vm.id });
    expect((await mine.readVm(vm.id)).volume_ids).toEqual([volume.id]);
    expect(await typesOf()).toEqual(['volume.created', 'volume.attached']);
  });

  it('422: is refused with a tier, machine, snapshot or location that does not fit', async () => {
    const pointers = async (body: object) =>
      (await ask(body)).json<{ errors: { pointer: string; code: string }[] }>().errors;
    expect(await pointers({ location: 'nowhere' })).toMatchObject([
      { pointer: '/location', code: 'unknown_reference' },
    ]);
    expect(await pointers({ tier: 'fast', location: 'hel1' })).toMatchObject([
      { pointer: '/tier', code: 'location_mismatch' },
    ]);
    const vm = await mine.vm();
    expect(await pointers({ vm_id: vm.id, location: 'ams1' })).toMatchObject([
      { pointer: '/vm_id', code: 'location_mismatch' },
    ]);
    expect(await pointers({ vm_id: vms.newId() })).toMatchObject([
      { pointer: '/vm_id', code: 'unknown_reference' },
    ]);
  });

  it('409: is refused with the reason if the location does not have its kind', async () => {
    const answer = await ask({ kind: 'filesystem' });
    expect(answer.json()).toMatchObject({
      code: 'capability_missing',
      capability: 'fileSystemVolumes',
      detail: expect.stringContaining('raw devices'),
    });
  });

  it('has failed and costs nothing if it cannot be attached to its machine', async () => {
    const vm = await mine.vm();
    await addFault(app.services.db, {
      call: 'ensureVolumeAttached',
      times: 1,
      effect: { kind: 'fail', code: 'engine_failed', detail: 'Told to.' },
    });
    const volume = await made({ vm_id: vm.id });
    expect(volume).toMatchObject({
      status: 'error',
      status_reason: 'engine_failed',
      vm_id: null,
      provisioned_at: null,
    });
    const spans = await app.services.db
      .selectFrom('meter_spans')
      .select('resource_id')
      .where('resource_id', '=', volume.id)
      .execute();
    expect(spans).toEqual([]);
    await mine.do('DELETE', `volumes/${volume.id}`);
    expect(await seen(volume.id)).toBeNull();
  });
});

describe('attaching and detaching', () => {
  it('moves the data from one machine to another', async () => {
    const [one, two] = [await mine.vm(), await mine.vm()];
    const volume = await made();
    expect(await acted(volume.id, { type: 'attach', vm_id: one.id })).toMatchObject({
      status: 'attached',
      vm_id: one.id,
    });
    await write(one, volume, 'precious');
    const refused = await act(volume.id, { type: 'attach', vm_id: two.id });
    expect(refused.json()).toMatchObject({ code: 'already_attached', attached_to: one.id });
    const moved = await acted(volume.id, { type: 'attach', vm_id: two.id, move: true });
    expect(moved).toMatchObject({ status: 'attached', vm_id: two.id });
    expect(await content(two, volume)).toBe('precious');
    expect(await content(one, volume)).toBeUndefined();
    expect((await mine.readVm(one.id)).volume_ids).toEqual([]);
    expect(await acted(volume.id, { type: 'detach' })).toMatchObject({ status: 'available', vm_id: null });
    expect(await typesOf()).toEqual([
      'volume.created',
      'volume.attached',
      'volume.detached',
      'volume.attached',
      'volume.detached',
    ]);
  });

  it('changes nothing if the volume already has that state', async () => {
    const vm = await mine.vm();
    const volume = await made({ vm_id: vm.id });
    const again = await act(volume.id, { type: 'attach', vm_id: vm.id });
    expect(again.json()).toMatchObject({ status: 'succeeded', result: { changed: false } });
    const free = await made();
    const freed = await act(free.id, { type: 'detach' });
    expect(freed.json()).toMatchObject({ status: 'succeeded', result: { changed: false } });
  });

  it('waits for the operation of the machine, and a repeated call returns the same operation', async () => {
    const vm = await mine.vm();
    const volume = await made();
    await mine.send('POST', `vms/${vm.id}/actions`, { type: 'restart' });
    const first = await act(volume.id, { type: 'attach', vm_id: vm.id });
    expect(first.json()).toMatchObject({ status: 'queued' });
    const second = await act(volume.id, { type: 'attach', vm_id: vm.id });
    expect(second.json<{ id: string }>().id).toBe(first.json<{ id: string }>().id);
    expect(await read(volume.id)).toMatchObject({ status: 'attaching', vm_id: vm.id });
    const other = await act(volume.id, { type: 'detach' });
    expect(other.json()).toMatchObject({ code: 'operation_in_progress' });
    await settle(app);
    expect(await read(volume.id)).toMatchObject({ status: 'attached' });
  });

  it('fails if the guest does not release the volume, unless it is forced', async () => {
    const vm = await mine.vm();
    const volume = await made({ vm_id: vm.id });
    await addFault(app.services.db, { target: volume.id, effect: { kind: 'refuse_detach' } });
    const move = { type: 'attach', vm_id: (await mine.vm()).id, move: true };
    for (const action of [{ type: 'detach' }, move]) {
      const answer = await act(volume.id, action);
      await settle(app);
      const { error } = await mine.operation(answer.json<{ id: string }>().id);
      expect(error).toMatchObject({ code: 'guest_refused_detach' });
      expect(await read(volume.id)).toMatchObject({ status: 'attached', vm_id: vm.id });
      expect(await seen(volume.id)).toMatchObject({ instance: vm.id });
    }
    expect(await acted(volume.id, { type: 'detach', force: true })).toMatchObject({ status: 'available' });
  });

  it('409: refuses more volumes than a machine may have, including those being attached', async () => {
    const vm = await mine.vm();
    for (let n = 0; n < 8; n++) await made({ vm_id: vm.id });
    const late = [];
    for (let n = 0; n < 8; n++) late.push((await made()).id);
    for (const id of late) expect((await act(id, { type: 'attach', vm_id: vm.id })).statusCode).toBe(202);
    const extra = await made();
    expect((await act(extra.id, { type: 'attach', vm_id: vm.id })).json()).toMatchObject({
      code: expect.stringMatching(/^(quota_exceeded|operation_queue_full)$/),
    });
  });

  it('422: refuses members of another action, and missing members', async () => {
    const { id } = await made();
    const errors = async (body: object) => (await act(id, body)).json<{ errors: object[] }>().errors;
    expect(await errors({ type: 'attach' })).toMatchObject([{ pointer: '/vm_id', code: 'required' }]);
    expect(await errors({ type: 'detach', size_gb: 20 })).toMatchObject([
      { pointer: '/size_gb', code: 'incompatible' },
    ]);
  });
});

describe('growing a volume', () => {
  it('raises its price, also while the machine runs', async () => {
    const vm = await mine.vm();
    const volume = await made({ vm_id: vm.id });
    await write(vm, volume, 'kept');
    const dry = await mine.send('POST', `volumes/${volume.id}/actions?dry_run=true`, {
      type: 'resize',
      size_gb: 110,
    });
    expect(dry.json()).toMatchObject({ cost: { monthly: '4.40' } });
    expect(await acted(volume.id, { type: 'resize', size_gb: 110 })).toMatchObject({
      status: 'attached',
      size_gb: 110,
    });
    expect(await seen(volume.id)).toMatchObject({ sizeGb: 110 });
    expect(await content(vm, volume)).toBe('kept');
  });

  it('422: is refused for a smaller size', async () => {
    const { id } = await made({ size_gb: 20 });
    expect((await act(id, { type: 'resize', size_gb: 10 })).json()).toMatchObject({
      errors: [{ pointer: '/size_gb', code: 'disk_shrink' }],
    });
  });
});

describe('snapshots of a volume', () => {
  it('restore the data, and can be the source of new volumes', async () => {
    const vm = await mine.vm();
    const volume = await made({ vm_id: vm.id });
    await write(vm, volume, 'before');
    const snap = await mine.do('POST', `volumes/${volume.id}/snapshots`, { name: 'one' });
    await write(vm, volume, 'after');
    const later = await mine.do('POST', `volumes/${volume.id}/snapshots`, { name: 'two' });
    const restore = { type: 'restore', snapshot_id: snap.id, confirm: volume.name };
    expect((await act(volume.id, { ...restore, confirm: 'x' })).json()).toMatchObject({
      errors: [{ code: 'confirmation_mismatch' }],
    });
    expect((await act(volume.id, restore)).json()).toMatchObject({ code: 'vm_not_stopped' });
    await acted(volume.id, { type: 'detach' });
    expect((await act(volume.id, restore)).json()).toMatchObject({
      code: 'newer_snapshots_exist',
      snapshot_ids: [later.id],
    });
    await acted(volume.id, { ...restore, delete_newer_snapshots: true });
    await acted(volume.id, { type: 'attach', vm_id: vm.id });
    expect(await content(vm, volume)).toBe('before');
    const { data } = (await mine.send('GET', `volumes/${volume.id}/snapshots`)).json<{ data: object[] }>();
    expect(data).toMatchObject([{ id: snap.id, status: 'available', consistency: 'crash', size_gb: 10 }]);
    const copy = await made({ source_snapshot_id: snap.id, vm_id: vm.id });
    expect(copy.source_snapshot_id).toBe(snap.id);
    expect(await content(vm, copy)).toBe('before');
  });

  it('409: cannot be deleted while a volume is created from them, and can afterwards', async () => {
    const volume = await made();
    const snap = await mine.do('POST', `volumes/${volume.id}/snapshots`, {});
    const copy = (await ask({ source_snapshot_id: snap.id })).json<Volume>();
    const gone = await mine.send('DELETE', `volumes/${volume.id}/snapshots/${snap.id}`);
    expect(gone.json()).toMatchObject({ code: 'resource_in_use', used_by: [{ id: copy.id }] });
    expect((await mine.send('DELETE', `volumes/${volume.id}`)).json()).toMatchObject({
      code: 'resource_in_use',
    });
    await settle(app);
    await mine.do('DELETE', `volumes/${volume.id}/snapshots/${snap.id}`);
    expect((await mine.send('GET', `volumes/${volume.id}/snapshots`)).json()).toMatchObject({ data: [] });
  });
});

describe('deleting a volume', () => {
  it('deletes its snapshots, and is refused while it is attached', async () => {
    const vm = await mine.vm();
    const volume = await made({ vm_id: vm.id });
    await mine.do('POST', `volumes/${volume.id}/snapshots`, {});
    const refused = await mine.send('DELETE', `volumes/${volume.id}`);
    expect(refused.json()).toMatchObject({ code: 'resource_in_use', used_by: [{ type: 'vm', id: vm.id }] });
    await mine.do('DELETE', `volumes/${volume.id}?detach=true`);
    expect((await mine.send('GET', `volumes/${volume.id}`)).statusCode).toBe(404);
    expect(await seen(volume.id)).toBeNull();
    const { data } = (await app.call({ method: 'GET', url: '/account/v1/resources', key: mine.key })).json<{
      data: { type: string }[];
    }>();
    expect(data.map(({ type }) => type)).toEqual(['vm']);
  });

  it('409: is refused while it is protected', async () => {
    const { id } = await made({ protection: { delete: true } });
    expect((await mine.send('DELETE', `volumes/${id}`)).json()).toMatchObject({ code: 'resource_protected' });
    await mine.send('PATCH', `volumes/${id}`, { protection: { delete: false } });
    expect((await mine.send('DELETE', `volumes/${id}`)).statusCode).toBe(202);
  });

  it('409: is refused while it moves to another machine', async () => {
    const [one, two] = [await mine.vm(), await mine.vm()];
    const volume = await made({ vm_id: one.id });
    const move = await act(volume.id, { type: 'attach', vm_id: two.id, move: true });
    expect(await read(volume.id)).toMatchObject({ status: 'detaching' });
    for (const query of ['', '?detach=true'])
      expect((await mine.send('DELETE', `volumes/${volume.id}${query}`)).json()).toMatchObject({
        code: 'operation_in_progress',
        operation_id: move.json<{ id: string }>().id,
      });
    await settle(app);
    expect(await read(volume.id)).toMatchObject({ status: 'attached', vm_id: two.id });
  });

  it('waits for a detachment, and for the deletion of its machine', async () => {
    const vm = await mine.vm();
    const [one, two] = [await made({ vm_id: vm.id }), await made({ vm_id: vm.id })];
    await act(one.id, { type: 'detach' });
    expect((await mine.send('DELETE', `volumes/${one.id}`)).statusCode).toBe(202);
    const detachment = {
      resource: { type: 'volume', id: one.id, name: null },
      input: { vm_id: vm.id, force: false },
    };
    await runKind(app, detachVolumeKind, { accountId: mine.account.id, ...detachment });
    expect(await read(one.id)).toMatchObject({ status: 'deleting', vm_id: null });
    await settle(app);
    expect((await mine.send('GET', `volumes/${one.id}`)).statusCode).toBe(404);
    await mine.send('DELETE', `vms/${vm.id}`);
    expect((await mine.send('DELETE', `volumes/${two.id}`)).statusCode).toBe(202);
    await settle(app);
    expect((await mine.send('GET', `volumes/${two.id}`)).statusCode).toBe(404);
  });
});
