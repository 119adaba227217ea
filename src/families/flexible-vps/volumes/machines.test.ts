/** What happens to volumes when their machines are created, deleted, redeployed and lost, and when engines drift. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { EngineRefused } from '../../../engines/compute/port.ts';
import { nameOf } from '../../../engines/compute/sandbox/core.ts';
import { diskOf, writeInside } from '../../../engines/compute/sandbox/guest-actions.ts';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import { volumeDrift } from '../reconciliation/volumes.ts';
import type { Vm } from '../vms/schema.ts';
import { volumes as volumeType } from './resource.ts';
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
const ref = (id: string) => ({ account: mine.account.id, id });
const read = async (id: string): Promise<Volume> => (await mine.send('GET', `volumes/${id}`)).json<Volume>();
const seen = (id: string) => engine().observeVolume(ref(id));
async function made(body: object = {}): Promise<Volume> {
  const wanted = { name: `v-${++serial}`, location: 'fra1', size_gb: 10, ...body };
  return read((await mine.do<Volume>('POST', 'volumes', wanted)).id);
}
const drift = () => volumeDrift.run(app.services);
const events = async (): Promise<string[]> =>
  (
    await app.services.db
      .selectFrom('events')
      .select('type')
      .where('account_id', '=', mine.account.id)
      .where('type', 'like', 'volume%')
      .orderBy('sequence')
      .execute()
  ).map(({ type }) => type);

describe('creating a machine with volumes', () => {
  it('attaches them before the first start', async () => {
    const volumes = [await made(), await made()];
    const volume_ids = volumes.map(({ id }) => id).sort();
    const vm = await mine.vm({ volume_ids });
    expect(vm).toMatchObject({ status: 'running', volume_ids });
    const { data } = (await mine.send('GET', `volumes?vm_id=${vm.id}`)).json<{ data: Volume[] }>();
    expect(data.map(({ status }) => status)).toEqual(['attached', 'attached']);
    for (const id of volume_ids) expect(await seen(id)).toMatchObject({ instance: vm.id });
  });

  it('detaches them if the machine cannot be created', async () => {
    const volume = await made();
    await addFault(app.services.db, {
      call: 'ensureRunning',
      times: 1,
      effect: { kind: 'fail', code: 'engine_failed', detail: 'Told to.' },
    });
    const vm = await mine.vm({ volume_ids: [volume.id] });
    expect(vm).toMatchObject({ status: 'error', volume_ids: [] });
    expect(await read(volume.id)).toMatchObject({ status: 'available', vm_id: null });
    const other = await mine.vm({ volume_ids: [volume.id] });
    expect(await seen(volume.id)).toMatchObject({ instance: other.id });
  });

  it('409, 422: is refused if a volume does not exist, is attached or is in another location', async () => {
    const vm = await mine.vm();
    const [free, taken, far] = [await made(), await made({ vm_id: vm.id }), await made({ location: 'ams1' })];
    const order = (...volume_ids: string[]) =>
      mine.send('POST', 'vms', {
        name: `m-${++serial}-x`,
        location: 'fra1',
        plan: 'flex-1-1',
        source: { type: 'image', image_id: 'ubuntu-24.04' },
        volume_ids,
      });
    expect((await order(free.id, taken.id)).json()).toMatchObject({
      code: 'already_attached',
      attached_to: vm.id,
    });
    expect((await order(free.id, far.id)).json()).toMatchObject({
      errors: [{ pointer: '/volume_ids/1', code: 'location_mismatch' }],
    });
    expect((await order(volumeType.newId())).json()).toMatchObject({
      errors: [{ pointer: '/volume_ids/0', code: 'unknown_reference' }],
    });
    expect(await read(free.id)).toMatchObject({ status: 'available', vm_id: null });
  });
});

describe('deleting a machine with volumes', () => {
  it('keeps its volumes, and the dry run says so', async () => {
    const vm = await mine.vm();
    const volume = await made({ vm_id: vm.id });
    const dry = await mine.send('DELETE', `vms/${vm.id}?dry_run=true`);
    expect(dry.json<{ effects: object[] }>().effects).toContainEqual(
      expect.objectContaining({ action: 'detach', type: 'volume', id: volume.id }),
    );
    await mine.send('DELETE', `vms/${vm.id}`);
    expect(await read(volume.id)).toMatchObject({ status: 'detaching' });
    await settle(app);
    expect(await read(volume.id)).toMatchObject({ status: 'available', vm_id: null });
    expect(await seen(volume.id)).toMatchObject({ instance: null });
  });

  it('deletes them and their snapshots with volumes=delete, and the dry run says so', async () => {
    const vm = await mine.vm();
    const volume = await made({ vm_id: vm.id });
    const snapshot = await mine.do('POST', `volumes/${volume.id}/snapshots`, {});
    const dry = await mine.send('DELETE', `vms/${vm.id}?volumes=delete&dry_run=true`);
    const deleted = dry.json<{ effects: { action: string; id: string }[] }>().effects;
    expect(deleted.filter(({ action }) => action === 'delete').map(({ id }) => id)).toEqual([
      vm.id,
      volume.id,
      snapshot.id,
    ]);
    await mine.send('DELETE', `vms/${vm.id}?volumes=delete`);
    expect(await read(volume.id)).toMatchObject({ status: 'deleting' });
    await settle(app);
    expect((await mine.send('GET', `volumes/${volume.id}`)).statusCode).toBe(404);
    expect(await seen(volume.id)).toBeNull();
  });

  it('409: is refused with volumes=delete if one is protected', async () => {
    const vm = await mine.vm();
    await made({ vm_id: vm.id, protection: { delete: true } });
    const refused = await mine.send('DELETE', `vms/${vm.id}?volumes=delete`);
    expect(refused.json()).toMatchObject({ code: 'resource_protected' });
    expect((await mine.send('DELETE', `vms/${vm.id}`)).statusCode).toBe(202);
  });

  it('drops a queued attachment', async () => {
    const vm = await mine.vm();
    const volume = await made();
    await mine.send('POST', `vms/${vm.id}/actions`, { type: 'restart' });
    await mine.send('POST', `volumes/${volume.id}/actions`, { type: 'attach', vm_id: vm.id });
    const dry = await mine.send('DELETE', `vms/${vm.id}?volumes=delete&dry_run=true`);
    expect(dry.json<{ effects: object[] }>().effects).toContainEqual(
      expect.objectContaining({ action: 'detach', type: 'volume', id: volume.id }),
    );
    await mine.send('DELETE', `vms/${vm.id}?volumes=delete`);
    await settle(app);
    expect(await read(volume.id)).toMatchObject({ status: 'available', vm_id: null });
  });
});

describe('redeploying a machine with volumes', () => {
  it('keeps the volumes and their data', async () => {
    const vm = await mine.vm();
    const volume = await made({ vm_id: vm.id });
    await writeInside(engine().core, ref(vm.id), volume.device_path ?? '', 'kept');
    await mine.do('POST', `vms/${vm.id}/redeploy`, { confirm: vm.name });
    expect(await read(volume.id)).toMatchObject({ status: 'attached', vm_id: vm.id });
    expect((await diskOf(engine().core, ref(vm.id)))[volume.device_path ?? '']).toBe('kept');
  });

  it('attaches the volumes of a lost machine again', async () => {
    const vm = await mine.vm();
    const volume = await made({ vm_id: vm.id });
    await engine().removeInstance(ref(vm.id));
    await app.services.db
      .updateTable('vms')
      .set({ status: 'error', status_reason: 'lost' })
      .where('id', '=', vm.id)
      .execute();
    await drift();
    expect(await read(volume.id)).toMatchObject({ status: 'attached', vm_id: vm.id });
    await mine.do<Vm>('POST', `vms/${vm.id}/redeploy`, { confirm: vm.name });
    expect(await seen(volume.id)).toMatchObject({ instance: vm.id });
  });
});

it('a volume can be detached from a lost machine', async () => {
  const [lost, other] = [await mine.vm(), await mine.vm()];
  const volume = await made({ vm_id: lost.id });
  await engine().removeInstance(ref(lost.id));
  await app.services.db
    .updateTable('vms')
    .set({ status: 'error', status_reason: 'lost' })
    .where('id', '=', lost.id)
    .execute();
  await mine.do('POST', `volumes/${volume.id}/actions`, { type: 'attach', vm_id: other.id, move: true });
  expect(await read(volume.id)).toMatchObject({ status: 'attached', vm_id: other.id });
  expect(await seen(volume.id)).toMatchObject({ instance: other.id });
});

describe('the reconciler of volumes', () => {
  it('attaches, detaches and grows volumes that differ at the engine', async () => {
    const [one, two] = [await mine.vm(), await mine.vm()];
    const [lost, moved, stray] = [await made({ vm_id: one.id }), await made({ vm_id: one.id }), await made()];
    await engine().ensureVolumeDetached(ref(lost.id), { instance: one.id, force: true });
    await engine().ensureVolumeDetached(ref(moved.id), { instance: one.id, force: true });
    await engine().ensureVolumeAttached(ref(moved.id), { instance: two.id, mayMove: true });
    await engine().ensureVolumeAttached(ref(stray.id), { instance: two.id, mayMove: true });
    await engine().ensureVolumeSize(ref(stray.id), 50);
    await drift();
    await settle(app);
    expect(await seen(lost.id)).toMatchObject({ instance: one.id });
    expect(await seen(moved.id)).toMatchObject({ instance: one.id });
    expect(await seen(stray.id)).toMatchObject({ instance: null });
    expect(await read(stray.id)).toMatchObject({ status: 'available', size_gb: 50 });
  });

  it('leaves attaching a volume to an operation, and starts no other soon after that one failed', async () => {
    const vm = await mine.vm();
    const volume = await made({ vm_id: vm.id });
    await engine().ensureVolumeDetached(ref(volume.id), { instance: vm.id, force: true });
    const attaching = vi.spyOn(engine(), 'ensureVolumeAttached');
    onTestFinished(() => attaching.mockRestore());
    attaching.mockRejectedValue(new EngineRefused('invalid_state', 'Told to.'));
    await drift();
    expect(attaching).not.toHaveBeenCalled();
    for (let i = 0; i < 2; i++) {
      await settle(app);
      await drift();
    }
    expect(attaching.mock.calls.map(([, to]) => to)).toEqual([{ instance: vm.id, mayMove: true }]);
    expect(await read(volume.id)).toMatchObject({ status: 'attached', vm_id: vm.id, operation: null });
  });

  it('marks lost volumes and snapshots, and unmarks them when they are found again', async () => {
    const volume = await made();
    const snapshot = await mine.do('POST', `volumes/${volume.id}/snapshots`, {});
    const { store } = engine().core;
    const name = nameOf(ref(volume.id));
    const state = (await store.find('volume', name))!;
    await store.update('volume', name, { ...state, snapshots: [] });
    await drift();
    const snapshots = async () =>
      (await mine.send('GET', `volumes/${volume.id}/snapshots`)).json<{ data: object[] }>().data;
    expect(await snapshots()).toMatchObject([{ id: snapshot.id, status: 'failed' }]);
    await store.delete('volume', name);
    await drift();
    expect(await read(volume.id)).toMatchObject({ status: 'error', status_reason: 'lost' });
    await store.insert('volume', name, state);
    await drift();
    await drift();
    expect(await read(volume.id)).toMatchObject({ status: 'available', status_reason: null });
    expect(await snapshots()).toMatchObject([{ id: snapshot.id, status: 'available' }]);
    expect((await events()).slice(2)).toEqual([
      'volume_snapshot.lost',
      'volume.lost',
      'volume.recovered',
      'volume_snapshot.recovered',
    ]);
  });

  it('reports volumes that nobody owns, and does not touch them', async () => {
    const stray = ref('vol_stray');
    await engine().ensureVolume(stray, { kind: 'block', sizeGb: 10, source: null });
    await drift();
    const strays = await app.services.db.selectFrom('volume_strays').select('id').execute();
    expect(strays).toContainEqual({ id: 'vol_stray' });
    expect(await engine().observeVolume(stray)).not.toBeNull();
    await engine().removeVolume(stray);
    await drift();
    expect(await app.services.db.selectFrom('volume_strays').selectAll().execute()).toEqual([]);
  });
});

/** Sends the action again if its turn did not come in time: on a busy machine 500 calls wait longer than that. */
async function insist(id: string, body: object) {
  for (;;) {
    const answer = await mine.send('POST', `volumes/${id}/actions`, body);
    if (answer.statusCode !== 503) return answer;
  }
}

it('500 concurrent attachments and detachments of ten volumes leave database and engine in agreement', async () => {
  const vms = [await mine.vm(), await mine.vm(), await mine.vm()];
  const volumes = await Promise.all(Array.from({ length: 10 }, () => made()));
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, i) => {
      const volume = volumes[i % volumes.length]!;
      const vm = vms[(i * 7) % vms.length]!;
      const body =
        i % 3 === 2
          ? { type: 'detach', force: i % 2 === 0 }
          : { type: 'attach', vm_id: vm.id, move: i % 4 === 0 };
      return insist(volume.id, body);
    }),
  );
  const codes = new Set(answers.map((answer) => answer.json<{ code?: string }>().code ?? 'accepted'));
  for (const code of codes)
    expect(['accepted', 'already_attached', 'operation_in_progress', 'operation_queue_full']).toContain(code);
  await settle(app);
  for (const { id } of volumes) {
    const { status, vm_id } = await read(id);
    expect(status).toBe(vm_id === null ? 'available' : 'attached');
    expect((await seen(id))?.instance ?? null).toBe(vm_id);
  }
  const held = await Promise.all(vms.map(({ id }) => mine.readVm(id)));
  const shown = held.flatMap(({ id, volume_ids }) => volume_ids.map((volume) => `${volume} ${id}`));
  const rows = await Promise.all(volumes.map(({ id }) => read(id)));
  expect(shown.sort()).toEqual(
    rows.flatMap(({ id, vm_id }) => (vm_id === null ? [] : [`${id} ${vm_id}`])).sort(),
  );
  expect(await app.services.db.selectFrom('operation_subjects').selectAll().execute()).toEqual([]);
});
