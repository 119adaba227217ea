import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { tinyIso } from '../../../testing/iso-server.ts';
import { cancelled, settle } from '../../../testing/operations.ts';
import {
  type Answering,
  createReceiver,
  type Receiver,
  receiverCertificate,
} from '../../../testing/receiver.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import { machineDrift } from '../reconciliation/machines.ts';
import type { Vm } from '../vms/schema.ts';
import { removeFailedIsos } from './failed-isos.ts';
import type { Iso } from './schema.ts';

let app: TestApp;
let mine: VpsAccount;
let receiver: Receiver;
let serial = 0;

const settings = { allow: ['127.0.0.0/8'], deny: [], ca: receiverCertificate };

beforeAll(async () => {
  app = await createTestApp({
    provider: (config) => ({ ...config, egress: { ...config.egress, ...settings, addresses: [] } }),
  });
  receiver = await createReceiver();
});
afterAll(async () => {
  await receiver.close();
  await app.close();
});
beforeEach(async () => {
  mine = await VpsAccount.open(app);
  receiver.answer(serving(tinyIso('DEBIAN 13')));
});
afterEach(() => clearFaults(app.services.db));

const serving =
  (bytes: Buffer): Answering =>
  (response) =>
    void response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
const url = () => `https://localhost:${receiver.port}/debian.iso?signature=secret`;
const ask = (body: object = {}) => mine.send('POST', 'isos', { name: `i-${++serial}`, url: url(), ...body });
const read = async (id: string): Promise<Iso> => (await mine.send('GET', `isos/${id}`)).json<Iso>();
async function made(body: object = {}): Promise<Iso> {
  const answer = await ask(body);
  expect(answer.statusCode, answer.body).toBe(202);
  await settle(app);
  return read(answer.json<Iso>().id);
}
const engine = () => app.services.compute.at('fra1') as Sandbox;
const seen = async ({ id }: Pick<Vm, 'id'>) => engine().observeInstance({ account: mine.account.id, id });
const logOf = async ({ id }: Pick<Vm, 'id'>): Promise<string> =>
  engine().readConsoleLog({ account: mine.account.id, id }, 100_000);
async function put(vm: Pick<Vm, 'id'>, body: object) {
  const answer = await mine.send('PUT', `vms/${vm.id}/iso`, body);
  await settle(app);
  return answer;
}

async function machinesWith({ id }: Iso): Promise<string[]> {
  const answer = await mine.send('GET', `vms?iso_id=${id}`);
  return answer.json<{ data: readonly Vm[] }>().data.map((vm) => vm.id);
}

describe('an ISO that is imported', () => {
  it('is stored in all locations that can use it, and is billed by its size', async () => {
    const iso = await made();
    const bytes = tinyIso('DEBIAN 13');
    expect(iso).toMatchObject({
      status: 'available',
      architecture: 'amd64',
      source_url: `https://localhost:${receiver.port}/debian.iso`,
      size_bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      locations: expect.arrayContaining(['fra1', 'hel1', 'ams1']),
      mounted_on_count: 0,
      expires_at: null,
      operation: null,
    });
    expect(await engine().observeIso({ account: mine.account.id, id: iso.id })).not.toBeNull();
    expect(JSON.stringify(iso)).not.toContain('signature');
  });

  const elevenGib: Answering = (response) =>
    void response.writeHead(200, { 'content-length': 11 * 1024 ** 3 }).write('x');
  it.each<[string, Answering, object]>([
    ['not_an_iso', serving(Buffer.alloc(100_000)), {}],
    ['too_large', elevenGib, {}],
    ['checksum_mismatch', serving(tinyIso()), { sha256: 'a'.repeat(64) }],
  ])('fails with %s, is kept for 7 days, and is then deleted', async (code, answering, body) => {
    receiver.answer(answering);
    const iso = await made(body);
    expect(iso).toMatchObject({ status: 'failed', failure: { code } });
    expect(iso.expires_at).not.toBeNull();
    await removeFailedIsos.run(app.services);
    expect(await read(iso.id)).toMatchObject({ status: 'failed' });
    await app.services.db
      .updateTable('vps_isos')
      .set({ failed_at: new Date(Date.now() - 8 * 86_400_000) })
      .where('id', '=', iso.id)
      .execute();
    await removeFailedIsos.run(app.services);
    await settle(app);
    expect((await mine.send('GET', `isos/${iso.id}`)).statusCode).toBe(404);
  });

  it('leaves nothing if it is cancelled', async () => {
    const { id, operation } = (await ask()).json<Iso>();
    await cancelled(app, operation?.id ?? '');
    await settle(app);
    expect((await mine.send('GET', `isos/${id}`)).statusCode).toBe(404);
    expect(await engine().observeIso({ account: mine.account.id, id })).toBeNull();
  });

  it('is stored in the locations whose engines answer', async () => {
    await addFault(app.services.db, { call: 'ensureIso', location: 'hel1', effect: { kind: 'unreachable' } });
    const iso = await made();
    expect(iso.status).toBe('available');
    expect(iso.locations).not.toContain('hel1');
  });

  it('422: is refused from a URL that is not public, or not https', async () => {
    const code = async (link: string) =>
      (await ask({ url: link })).json<{ errors: { code: string }[] }>().errors[0]?.code;
    expect(await code('https://169.254.169.254/latest')).toBe('blocked_address');
    expect(await code('http://isos.example.com/a.iso')).toBe('invalid_format');
    expect(await code('https://me:secret@isos.example.com/a.iso')).toBe('invalid_format');
  });
});

describe('the drive of a machine', () => {
  it('can have an ISO inserted, booted once and ejected', async () => {
    const vm = await mine.vm();
    const iso = await made();
    const answer = await put(vm, { iso_id: iso.id, boot_once: true });
    expect(answer.json<Vm>().iso).toEqual({ iso_id: iso.id, boot_once: true });
    expect((await seen(vm))?.drive).toEqual({ iso: iso.id, bootOnce: true });
    expect((await read(iso.id)).mounted_on_count).toBe(1);
    expect(await machinesWith(iso)).toEqual([vm.id]);
    expect(await logOf(vm)).not.toContain('DEBIAN 13');
    await mine.do('POST', `vms/${vm.id}/actions`, { type: 'restart' });
    expect(await logOf(vm)).toContain('Booting from the drive: DEBIAN 13');
    expect((await mine.readVm(vm.id)).iso).toEqual({ iso_id: iso.id, boot_once: false });
    await put(vm, { iso_id: null });
    expect((await mine.readVm(vm.id)).iso).toBeNull();
    expect(await machinesWith(iso)).toEqual([]);
    expect((await seen(vm))?.drive).toBeNull();
  });

  it('restarts the machine only with restart: true', async () => {
    const vm = await mine.vm();
    const before = (await seen(vm))?.startedAt;
    const iso = await made();
    await put(vm, { iso_id: iso.id });
    expect((await seen(vm))?.startedAt).toEqual(before);
    await put(vm, { iso_id: iso.id, boot_once: true, restart: true });
    expect(await logOf(vm)).toContain('Booting from the drive');
    expect(await mine.readVm(vm.id)).toMatchObject({ status: 'running', iso: { boot_once: false } });
  });

  it('is not changed if it already has the requested state', async () => {
    const vm = await mine.vm();
    const answer = await put(vm, { iso_id: null });
    expect(answer.json<Vm>().operation).toMatchObject({ status: 'succeeded', result: { changed: false } });
  });

  it('is corrected by an operation that the reconciler starts', async () => {
    const vm = await mine.vm();
    const iso = await made();
    await put(vm, { iso_id: iso.id });
    const ref = { account: mine.account.id, id: vm.id };
    await engine().ensureDrive(ref, null);
    await machineDrift.run(app.services);
    await settle(app);
    expect((await seen(vm))?.drive?.iso).toBe(iso.id);
  });

  it('is unchanged if the engine refuses', async () => {
    const vm = await mine.vm();
    const iso = await made();
    const effect = { kind: 'fail', code: 'engine_failed', detail: 'Told to.' } as const;
    await addFault(app.services.db, { call: 'ensureDrive', times: 1, effect });
    await put(vm, { iso_id: iso.id });
    expect((await mine.readVm(vm.id)).iso).toBeNull();
  });

  it('is emptied by a redeploy', async () => {
    const vm = await mine.vm();
    const iso = await made();
    await put(vm, { iso_id: iso.id });
    await mine.do('POST', `vms/${vm.id}/redeploy`, { confirm: vm.name });
    expect((await mine.readVm(vm.id)).iso).toBeNull();
    expect((await seen(vm))?.drive).toBeNull();
  });

  it('has the ISO of the last call, also of a call during a redeploy', async () => {
    const vm = await mine.vm();
    const [one, two] = [await made(), await made()];
    await mine.send('POST', `vms/${vm.id}/redeploy`, { confirm: vm.name });
    await mine.send('PUT', `vms/${vm.id}/iso`, { iso_id: one.id });
    await mine.send('PUT', `vms/${vm.id}/iso`, { iso_id: two.id });
    const busy = await mine.send('DELETE', `isos/${one.id}`);
    expect(busy.json()).toMatchObject({ code: 'resource_in_use', used_by: [{ id: vm.id }] });
    await settle(app);
    expect((await mine.readVm(vm.id)).iso).toEqual({ iso_id: two.id, boot_once: false });
    expect((await seen(vm))?.drive?.iso).toBe(two.id);
    await mine.do('DELETE', `isos/${one.id}`);
  });

  it('422, 409: refuses an ISO of another architecture, and one that is not ready', async () => {
    const vm = await mine.vm();
    const other = await made({ architecture: 'arm64' });
    expect((await put(vm, { iso_id: other.id })).json()).toMatchObject({
      errors: [{ pointer: '/iso_id', code: 'incompatible' }],
    });
    const { id } = (await ask()).json<Iso>();
    const early = await mine.send('PUT', `vms/${vm.id}/iso`, { iso_id: id });
    expect(early.json()).toMatchObject({ code: 'invalid_state', current_state: 'downloading' });
  });
});

describe('an ISO in a drive', () => {
  it('409: cannot be deleted, and the refusal names its machines', async () => {
    const vm = await mine.vm();
    const iso = await made();
    await put(vm, { iso_id: iso.id });
    const refused = await mine.send('DELETE', `isos/${iso.id}`);
    expect(refused.json()).toMatchObject({ code: 'resource_in_use', used_by: [{ type: 'vm', id: vm.id }] });
    await put(vm, { iso_id: null });
    await mine.do('DELETE', `isos/${iso.id}`);
    expect((await mine.send('GET', `isos/${iso.id}`)).statusCode).toBe(404);
    expect(await engine().observeIso({ account: mine.account.id, id: iso.id })).toBeNull();
  });
});

describe('a machine that is created from an ISO', () => {
  it('has an empty disk, boots the ISO, and has no password', async () => {
    const iso = await made();
    const vm = await mine.vm({ source: { type: 'iso', iso_id: iso.id } });
    expect(vm).toMatchObject({
      status: 'running',
      image: null,
      source: { type: 'iso', id: iso.id },
      iso: { iso_id: iso.id, boot_once: false },
    });
    expect(await logOf(vm)).toContain('Booting from the drive: DEBIAN 13');
    await put(vm, { iso_id: null, restart: true });
    expect(await logOf(vm)).toContain('No bootable device');
  });
});
