import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { diskOf, writeInside } from '../../../engines/compute/sandbox/guest-actions.ts';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { untilWaiting } from '../../../testing/portal.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';
import { BackupCipher } from './cipher.ts';
import { backupExpiry } from './schedule.ts';
import type { Backup } from './schema.ts';
import { shareBackup } from './store.ts';
import { UNPACK_SECONDS } from './use.ts';

let app: TestApp;
let mine: VpsAccount;
let vm: Vm;

beforeAll(async () => {
  app = await createTestApp();
});
beforeEach(async () => {
  mine = await VpsAccount.open(app);
  vm = await mine.vm();
});
afterEach(() => clearFaults(app.services.db));
afterAll(() => app.close());

const sandbox = (): Sandbox => app.services.compute.at('fra1') as Sandbox;
const refOf = (id: string) => ({ account: mine.account.id, id });
const objects = () => app.services.objects.at('fra1')!;
const write = (text: string) => writeInside(sandbox().core, refOf(vm.id), '/note', text);
const noteOn = async (id: string) => (await diskOf(sandbox().core, refOf(id)))['/note'];

async function backUp(payload: object = {}): Promise<Backup> {
  const answer = await mine.send('POST', 'backups', { vm_id: vm.id, ...payload });
  expect(answer.json()).toMatchObject({ status: 'creating' });
  await settle(app);
  return read(answer.json<Backup>().id);
}
const read = async (id: string): Promise<Backup> => (await mine.send('GET', `backups/${id}`)).json<Backup>();
const partsOf = async ({ id }: Backup) => objects().list(`${mine.account.id}/${id}/`);

describe('a backup', () => {
  it('is stored encrypted, and leaves nothing at the engine', async () => {
    await write('a secret on the disk');
    const backup = await backUp();
    expect(backup).toMatchObject({ status: 'available', kind: 'manual', vm_deleted: false });
    const parts = await partsOf(backup);
    expect(parts).toHaveLength(1);
    const bytes = await objects().get(parts[0]!.key);
    expect(bytes!.includes('a secret on the disk')).toBe(false);
    expect(await sandbox().observeImage(refOf(backup.id))).toBeNull();
    expect((await sandbox().observeInstance(refOf(vm.id)))!.snapshots).toEqual([]);
  });

  it('restores its content, and the content before the restore is kept as a safety backup', async () => {
    await write('old');
    const backup = await backUp();
    await write('new');
    const answer = await mine.send('POST', `vms/${vm.id}/restore`, {
      source: { type: 'backup', backup_id: backup.id },
      confirm: vm.name,
    });
    expect(answer.statusCode).toBe(202);
    await settle(app);
    expect(await noteOn(vm.id)).toBe('old');
    expect(await mine.readVm(vm.id)).toMatchObject({ status: 'running' });
    const kept = await mine.send('GET', 'backups?kind=safety');
    expect(kept.json()).toMatchObject({ data: [{ status: 'available', vm_id: vm.id }] });
    const safety = kept.json<{ data: Backup[] }>().data[0]!;
    const copy = await mine.vm({ source: { type: 'backup', backup_id: safety.id } });
    expect(await noteOn(copy.id)).toBe('new');
  });

  it('can be the source of a new machine, also after its own machine is deleted', async () => {
    await write('kept');
    const backup = await backUp();
    await mine.send('DELETE', `vms/${vm.id}`);
    await settle(app);
    expect(await read(backup.id)).toMatchObject({ vm_deleted: true, status: 'available' });
    const copy = await mine.vm({ source: { type: 'backup', backup_id: backup.id } });
    expect(await noteOn(copy.id)).toBe('kept');
    const { deadline_at, created_at } = await app.services.db
      .selectFrom('operations')
      .select(['deadline_at', 'created_at'])
      .where('resource_id', '=', copy.id)
      .where('type', '=', 'vm.create')
      .executeTakeFirstOrThrow();
    expect(deadline_at.getTime() - created_at.getTime()).toBeGreaterThan(1000 * UNPACK_SECONDS);
  });

  it.each([
    ['created from it', 'vms'],
    ['restored to it', 'restore'],
  ])('leaves no image at the engine when a machine is not %s in time', async (_, way) => {
    const { db } = app.services;
    const source = { type: 'backup', backup_id: (await backUp()).id };
    const body = { name: 'late', location: 'fra1', plan: 'flex-2-4', source };
    const answer =
      way === 'vms'
        ? await mine.send('POST', 'vms', body)
        : await mine.send('POST', `vms/${vm.id}/restore`, { source, safety_backup: false, confirm: vm.name });
    const { id } = answer.json<Vm>().operation!;
    const call = way === 'vms' ? 'ensureInstance' : 'ensureRebuilt';
    await addFault(db, { call, effect: { kind: 'unreachable' } });
    await settle(app);
    expect(await sandbox().observeImage(refOf(id))).not.toBeNull();
    await backupExpiry.run(app.services);
    expect(await sandbox().observeImage(refOf(id))).not.toBeNull();
    await db
      .updateTable('operations')
      .set({ deadline_at: sql<Date>`now()`, run_at: sql<Date>`now()` })
      .where('id', '=', id)
      .execute();
    await settle(app);
    expect(await mine.operation(id)).toMatchObject({ status: 'failed', error: { code: 'timeout' } });
    await backupExpiry.run(app.services);
    expect(await sandbox().observeImage(refOf(id))).toBeNull();
    expect(await db.selectFrom('passing_images').selectAll().execute()).toEqual([]);
  });

  it('can be the source of an image', async () => {
    const backup = await backUp();
    const made = await mine.send('POST', 'images', {
      name: 'golden',
      source: { type: 'backup', backup_id: backup.id },
    });
    await settle(app);
    const image = await mine.send('GET', `images/${made.json<{ id: string }>().id}`);
    expect(image.json()).toMatchObject({ status: 'available', source: { type: 'backup', id: backup.id } });
  });

  it('has no objects left in the store after its deletion', async () => {
    const backup = await backUp();
    await mine.send('DELETE', `backups/${backup.id}`);
    await settle(app);
    expect(await partsOf(backup)).toEqual([]);
    expect((await mine.send('GET', `backups/${backup.id}`)).statusCode).toBe(404);
  });

  it('is not restored if one byte was changed, and the disk of the machine stays', async () => {
    await write('old');
    const backup = await backUp();
    await write('new');
    const [{ key } = { key: '' }] = await partsOf(backup);
    const bytes = (await objects().get(key))!;
    bytes[bytes.length - 1]! ^= 1;
    await objects().put(key, bytes);
    await mine.send('POST', `vms/${vm.id}/restore`, {
      source: { type: 'backup', backup_id: backup.id },
      safety_backup: false,
      confirm: vm.name,
    });
    await settle(app);
    expect(await noteOn(vm.id)).toBe('new');
    expect(await mine.readVm(vm.id)).toMatchObject({ status: 'running' });
  });
});

describe('the encryption key of an account', () => {
  it('differs from the keys of other accounts, and is encrypted in the database', async () => {
    await backUp();
    const theirs = await VpsAccount.open(app);
    await theirs.do('POST', 'backups', { vm_id: (await theirs.vm()).id });
    const rows = await app.services.db
      .selectFrom('backup_keys')
      .selectAll()
      .where('account_id', 'in', [mine.account.id, theirs.account.id])
      .execute();
    const keys = rows.map(({ sealed, account_id }) => app.services.secrets.open(sealed, account_id));
    expect(keys.map(({ length }) => length)).toEqual([32, 32]);
    expect(keys[0]?.equals(keys[1]!)).toBe(false);
  });
});

describe('deleting a machine', () => {
  it('leaves its final backup', async () => {
    await write('last words');
    await mine.send('DELETE', `vms/${vm.id}?final_backup=true`);
    await settle(app);
    const list = await mine.send('GET', `backups?vm_id=${vm.id}`);
    const [backup] = list.json<{ data: Backup[] }>().data;
    expect(backup).toMatchObject({ kind: 'final', status: 'available', vm_deleted: true });
    const copy = await mine.vm({ source: { type: 'backup', backup_id: backup!.id } });
    expect(await noteOn(copy.id)).toBe('last words');
  });

  it('keeps the machine with its volumes and backups if the final backup fails', async () => {
    const backup = await backUp();
    const body = { name: 'data', location: 'fra1', size_gb: 10, vm_id: vm.id };
    const { id } = await mine.do('POST', 'volumes', body);
    const fail = { kind: 'fail', code: 'engine_failed', detail: 'Told to.' } as const;
    await addFault(app.services.db, { call: 'ensureImage', effect: fail });
    await mine.send('DELETE', `vms/${vm.id}?final_backup=true&backups=delete&volumes=delete`);
    await settle(app);
    expect(await mine.readVm(vm.id)).toMatchObject({ status: 'running', volume_ids: [id], operation: null });
    expect((await mine.send('GET', `volumes/${id}`)).json()).toMatchObject({ status: 'attached' });
    expect(await read(backup.id)).toMatchObject({ status: 'available' });
    const { data } = (await mine.send('GET', 'backups?kind=final')).json<{ data: Backup[] }>();
    expect(data).toMatchObject([{ status: 'failed', failure: { code: 'engine_failed' } }]);
  });

  it('deletes its unfinished backup, and the dry run says so', async () => {
    const { id } = (await mine.send('POST', 'backups', { vm_id: vm.id })).json<Backup>();
    const dry = await mine.send('DELETE', `vms/${vm.id}?dry_run=true`);
    expect(dry.json<{ effects: object[] }>().effects).toContainEqual({
      action: 'delete',
      type: 'backup',
      id,
      name: vm.name,
      loss: { what: 'The data that was copied so far: the backup is not finished.', recoverable: false },
    });
    await mine.send('DELETE', `vms/${vm.id}`);
    await settle(app);
    expect((await mine.send('GET', `backups/${id}`)).statusCode).toBe(404);
    expect(await objects().list(`${mine.account.id}/`)).toEqual([]);
  });

  it('deletes its backups with backups=delete, and the dry run says so', async () => {
    const backup = await backUp();
    const dry = await mine.send('DELETE', `vms/${vm.id}?backups=delete&dry_run=true`);
    expect(dry.json<{ effects: object[] }>().effects).toContainEqual({
      action: 'delete',
      type: 'backup',
      id: backup.id,
      name: backup.name,
      loss: { what: 'Its data can no longer be restored or downloaded.', recoverable: false },
    });
    await mine.send('DELETE', `vms/${vm.id}?backups=delete`);
    await settle(app);
    expect(await partsOf(backup)).toEqual([]);
    expect((await mine.send('GET', `backups/${backup.id}`)).statusCode).toBe(404);
  });
});

describe('deleting a machine with backups=delete', () => {
  it('keeps a backup that another call is about to use', async () => {
    const backup = await backUp();
    const other = await mine.vm();
    const { answer: deleting } = await app.services.db.transaction().execute(async (tx) => {
      await shareBackup(tx, mine.account.id, backup.id);
      const answer = mine.send('DELETE', `vms/${vm.id}?backups=delete`);
      await untilWaiting(tx, 1);
      await tx
        .updateTable('vms')
        .set({ status: 'creating', source: { type: 'backup', id: backup.id } })
        .where('id', '=', other.id)
        .execute();
      return { answer };
    });
    expect((await deleting).statusCode).toBe(202);
    expect(await read(backup.id)).toMatchObject({ status: 'available' });
  });
});

describe('an encrypted part of an archive', () => {
  const cipher = new BackupCipher(Buffer.alloc(32, 1), 'bkp_1');
  const sealed = cipher.close(Buffer.from('bytes'), { number: 2, isLast: false });

  it('can be decrypted only at its position, and not as the last part', () => {
    expect(cipher.open(sealed, { number: 2, isLast: false }).toString()).toBe('bytes');
    expect(() => cipher.open(sealed, { number: 1, isLast: false })).toThrow(/damaged/);
    expect(() => cipher.open(sealed, { number: 2, isLast: true })).toThrow(/damaged/);
  });

  it('can be decrypted only with the key of its account and backup', () => {
    const place = { number: 2, isLast: false };
    expect(() => new BackupCipher(Buffer.alloc(32, 2), 'bkp_1').open(sealed, place)).toThrow(/damaged/);
    expect(() => new BackupCipher(Buffer.alloc(32, 1), 'bkp_2').open(sealed, place)).toThrow(/damaged/);
  });
});
