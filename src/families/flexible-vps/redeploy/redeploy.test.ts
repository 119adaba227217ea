import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { diskOf, writeInside } from '../../../engines/compute/sandbox/guest-actions.ts';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { freshPublicKey } from '../../../testing/ssh-keys.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';

type Redeployed = Vm & { initial_credentials: { username: string; password: string | null } | null };

let app: TestApp;
let mine: VpsAccount;
let vm: Vm;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  mine = await VpsAccount.open(app);
  vm = await mine.vm({ networks: [{ network_id: await mine.network() }], labels: { env: 'test' } });
});
afterEach(() => clearFaults(app.services.db));

const room = () => (app.services.compute.at('fra1') as Sandbox).core;
const ref = () => ({ account: mine.account.id, id: vm.id });
const write = (text: string) => writeInside(room(), ref(), '/root/note', text);
const disk = () => diskOf(room(), ref());
const redeploy = (body: object = {}, query = '', headers = {}) =>
  mine.send('POST', `vms/${vm.id}/redeploy${query}`, { confirm: vm.name, ...body }, headers);
const rowOf = () =>
  app.services.db.selectFrom('vms').selectAll().where('id', '=', vm.id).executeTakeFirstOrThrow();

async function redeployed(body: object = {}) {
  const answer = await redeploy(body);
  expect(answer.statusCode, answer.body).toBe(202);
  const accepted = answer.json<Redeployed>();
  await settle(app);
  return {
    accepted,
    vm: await mine.readVm(vm.id),
    operation: await mine.operation(accepted.operation?.id ?? ''),
  };
}

const fail = { kind: 'fail', code: 'engine_failed', detail: 'Told to.' } as const;
const fault = (call: 'ensureRebuilt' | 'ensureRunning' | 'ensureInstance' | 'ensureStopped', more = {}) =>
  addFault(app.services.db, { call, target: vm.id, effect: fail, ...more });

async function later(operationId: string | undefined): Promise<void> {
  await app.services.db
    .updateTable('operations')
    .set({ run_at: sql`now()` })
    .where('id', '=', operationId ?? '')
    .execute();
  await settle(app);
}

describe('a redeploy', () => {
  it('wipes the disk and keeps everything else', async () => {
    await write('precious');
    const before = await mine.instance(vm);
    const { accepted, vm: now, operation } = await redeployed();
    expect(accepted).toMatchObject({ status: 'redeploying', operation: { type: 'vm.redeploy' } });
    expect(operation).toMatchObject({ status: 'succeeded', result: { changed: true } });
    const { started_at: _, updated_at: __, etag: ___, guest_agent: ____, ...kept } = vm;
    expect(now).toMatchObject({ ...kept, status: 'running', operation: null });
    expect((await disk())['/root/note']).toBeUndefined();
    const after = await mine.instance(vm);
    expect(after?.nics).toEqual(before?.nics);
    expect(after?.seed).not.toBe(before?.seed);
    const types = await app.services.db
      .selectFrom('events')
      .select('type')
      .where('resource_id', '=', vm.id)
      .execute();
    expect(types.map(({ type }) => type)).toContain('vm.redeployed');
  });

  it('installs another image under another host name, at the price of that image', async () => {
    const body = { image_id: 'windows-server-2025', hostname: 'other.example.com' };
    const dry = (await redeploy(body, '?dry_run=true')).json<{ cost: { monthly: string } }>();
    expect(Number(dry.cost.monthly)).toBeGreaterThan(0);
    const { vm: now } = await redeployed(body);
    expect(now).toMatchObject({
      image: { id: 'windows-server-2025' },
      source: { type: 'image', id: 'windows-server-2025' },
      secure_boot: false,
      hostname: 'other.example.com',
    });
    const cents = (money: string): number => Math.round(Number(money) * 100);
    expect(cents(now.price.monthly)).toBe(cents(vm.price.monthly) + cents(dry.cost.monthly));
    expect(await mine.instance(vm)).toMatchObject({
      image: { account: null, id: 'windows-server-2025' },
      hostname: 'other.example.com',
    });
  });

  it('shows a password once, which works in the guest and is stored nowhere', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await redeploy({}, '', headers);
    const { initial_credentials, operation } = first.json<Redeployed>();
    expect(initial_credentials).toMatchObject({ username: 'ubuntu', password: expect.any(String) });
    expect(first.headers['cache-control']).toBe('no-store');
    const again = (await redeploy({}, '', headers)).json();
    expect(again).toMatchObject({ initial_credentials: { password: null }, secret_returned_before: true });
    await settle(app);
    const { password_hash } = await rowOf();
    expect((await disk())['/etc/shadow']).toContain(password_hash);
    const stored = await sql<{ text: string }>`
      select to_jsonb(o)::text as text from operations o where id = ${operation?.id ?? ''}`.execute(
      app.services.db,
    );
    expect(stored.rows[0]?.text).not.toContain(initial_credentials?.password);
    expect(stored.rows[0]?.text).not.toContain(password_hash);
  });

  it('applies new SSH keys and user data, or else those of the machine', async () => {
    const key = await mine.do('POST', 'ssh-keys', { name: 'k', public_key: freshPublicKey('k') });
    const user_data = '#cloud-config\nhostname: secret-marker\n';
    const told = await redeployed({ ssh_key_ids: [key.id], user_data });
    expect(told.accepted.initial_credentials).toBeNull();
    expect(told.vm).toMatchObject({ ssh_key_ids: [key.id], user_data_pending: false });
    expect(told.vm.user_data_sha256).not.toBeNull();
    await mine.send('DELETE', `ssh-keys/${key.id}`);
    const same = await redeployed();
    expect(same.vm).toMatchObject({
      ssh_key_ids: [key.id],
      user_data_sha256: told.vm.user_data_sha256,
      user_data_pending: false,
    });
    expect((await redeployed({ user_data: null })).vm.user_data_sha256).toBeNull();
    const operations = await sql<{ text: string }>`
      select string_agg(to_jsonb(o)::text, '') as text from operations o
      where account_id = ${mine.account.id}`.execute(app.services.db);
    expect(operations.rows[0]?.text).not.toContain('secret-marker');
    expect(operations.rows[0]?.text).not.toContain(Buffer.from(user_data).toString('base64'));
  });

  it('409: is refused if it would destroy snapshots without permission', async () => {
    const { id } = await mine.do('POST', `vms/${vm.id}/snapshots`, {});
    const refused = await redeploy();
    expect(refused.json()).toMatchObject({ code: 'vm_has_snapshots', snapshot_ids: [id] });
    expect((await redeployed({ delete_snapshots: true })).vm.status).toBe('running');
    expect((await mine.send('GET', `vms/${vm.id}/snapshots`)).json()).toMatchObject({ data: [] });
    expect((await mine.instance(vm))?.snapshots).toEqual([]);
  });

  it('409: is refused for a protected machine and one in rescue mode', async () => {
    await mine.do('PATCH', `vms/${vm.id}`, { protection: { redeploy: true } });
    expect((await redeploy()).json()).toMatchObject({ code: 'resource_protected' });
    await app.services.db
      .updateTable('vms')
      .set({ protected_redeploy: false, rescue_expires_at: sql`now() + interval '1 hour'` })
      .where('id', '=', vm.id)
      .execute();
    expect((await redeploy()).json()).toMatchObject({ code: 'vm_in_rescue' });
  });

  it.each([
    ['without confirmation', { confirm: undefined }, '/confirm', 'confirmation_missing'],
    ['with another name', { confirm: 'other' }, '/confirm', 'confirmation_mismatch'],
    ['with an image nobody has', { image_id: 'nonesuch' }, '/image_id', 'unknown_reference'],
    ['with an image for other hardware', { image_id: 'debian-13-arm64' }, '/image_id', 'incompatible'],
    [
      'with a key nobody stored',
      { ssh_key_ids: ['sshkey_01jqzv2m7xe9rs5d3k8w4t6y0b'] },
      '/ssh_key_ids/0',
      'unknown_reference',
    ],
  ])('422: %s', async (_, body, pointer, code) => {
    const answer = await redeploy(body);
    expect(answer.statusCode, answer.body).toBe(422);
    expect(answer.json().errors).toMatchObject([{ pointer, code }]);
  });

  it('422: is refused if the image of the machine no longer exists', async () => {
    await app.services.db
      .updateTable('vms')
      .set({ image: sql`jsonb_set(image, '{id}', '"img_01jqzv2m7xe9rs5d3k8w4t6y0b"')` })
      .where('id', '=', vm.id)
      .execute();
    const answer = await redeploy();
    expect(answer.json().errors).toMatchObject([{ pointer: '/image_id', code: 'unknown_reference' }]);
  });
});

describe('a redeploy that fails', () => {
  it.each(['ensureRebuilt', 'ensureRunning'] as const)(
    'at %s leaves the machine in error and not billed, and can be repeated',
    async (call) => {
      await fault(call);
      const { vm: broken, operation } = await redeployed();
      expect(operation).toMatchObject({ status: 'failed', error: { code: 'engine_failed' } });
      expect(broken).toMatchObject({ status: 'error', status_reason: 'engine_failed', operation: null });
      expect(broken.primary_ipv4).toBe(vm.primary_ipv4);
      expect((await rowOf()).is_billed).toBe(false);
      await clearFaults(app.services.db);
      const { vm: mended } = await redeployed();
      expect(mended).toMatchObject({ status: 'running', status_reason: null, primary_ipv4: vm.primary_ipv4 });
      expect((await rowOf()).is_billed).toBe(true);
    },
  );

  it('without an answer of the engine is done once', async () => {
    await fault('ensureRebuilt', { times: 1, effect: { kind: 'fail_after' } });
    const { operation } = (await redeploy()).json<Vm>();
    await settle(app);
    expect((await mine.readVm(vm.id)).status).toBe('redeploying');
    await later(operation?.id);
    expect((await mine.readVm(vm.id)).status).toBe('running');
  });

  it('keeps the old settings when it is cancelled before the disk is wiped', async () => {
    await write('kept');
    const before = await rowOf();
    await fault('ensureStopped', { times: 1, effect: { kind: 'unreachable' } });
    const { operation } = (await redeploy({ user_data: '#cloud-config\n', hostname: 'new' })).json<Vm>();
    await settle(app);
    const url = `/account/v1/operations/${operation?.id}/cancel`;
    expect((await app.call({ method: 'POST', url, key: mine.key })).statusCode).toBeLessThan(300);
    await settle(app);
    expect(await mine.operation(operation?.id ?? '')).toMatchObject({ status: 'cancelled' });
    expect(await mine.readVm(vm.id)).toMatchObject({ status: 'running', hostname: vm.hostname });
    expect((await rowOf()).seed).toBe(before.seed);
    expect((await disk())['/root/note']).toBe('kept');
  });

  it('creates a machine whose creation failed, with new addresses', async () => {
    await addFault(app.services.db, { call: 'ensureInstance', effect: fail });
    vm = await mine.vm();
    expect(vm).toMatchObject({ status: 'error', primary_ipv4: null });
    expect(await mine.instance(vm)).toBeNull();
    await clearFaults(app.services.db);
    const { vm: made, operation } = await redeployed();
    expect(operation).toMatchObject({ status: 'succeeded' });
    expect(made).toMatchObject({ status: 'running', status_reason: null });
    expect(made.primary_ipv4).not.toBeNull();
    expect(made.ipv6_prefix).not.toBeNull();
    expect(made.interfaces).toMatchObject([{ kind: 'public', status: 'active', ipv4: made.primary_ipv4 }]);
    expect((await mine.instance(vm))?.nics).toMatchObject([{ ipv4: made.primary_ipv4 }]);
    expect(await rowOf()).toMatchObject({ failed_at: null, is_billed: true });
  });

  it('gives a machine whose creation failed only the addresses that it was ordered with', async () => {
    await addFault(app.services.db, { call: 'ensureInstance', effect: fail });
    vm = await mine.vm({ public_ipv6: false });
    expect(vm).toMatchObject({ status: 'error', primary_ipv4: null });
    expect(vm.interfaces).toMatchObject([{ kind: 'public', status: 'active', ipv4: null }]);
    await clearFaults(app.services.db);
    const { vm: made } = await redeployed();
    expect(made).toMatchObject({ status: 'running', ipv6_prefix: null, public_ips: [{ version: 4 }] });
  });

  it('gives a machine without addresses none, even if it is in error', async () => {
    for (const { ip_id } of vm.public_ips) {
      expect((await mine.send('DELETE', `vms/${vm.id}/public-ips/${ip_id}`)).statusCode).toBe(202);
      await settle(app);
    }
    await fault('ensureRebuilt', { times: 1 });
    expect((await redeployed()).vm.status).toBe('error');
    expect((await redeployed()).vm).toMatchObject({ status: 'running', public_ips: [] });
  });

  it('gives a machine that never ran the addresses that it has now', async () => {
    await addFault(app.services.db, { call: 'ensureRunning', effect: fail });
    vm = await mine.vm();
    const [stale] = (await mine.instance(vm))?.nics ?? [];
    await clearFaults(app.services.db);
    expect((await mine.vm()).primary_ipv4).toBe(stale?.ipv4);
    const { vm: made } = await redeployed();
    expect(made.primary_ipv4).not.toBe(stale?.ipv4);
    expect((await mine.instance(vm))?.nics).toMatchObject([{ id: stale?.id, ipv4: made.primary_ipv4 }]);
  });

  it('creates a lost machine again', async () => {
    await addFault(app.services.db, {
      call: 'ensureRebuilt',
      target: vm.id,
      times: 1,
      effect: { kind: 'lose' },
    });
    expect((await redeployed()).vm.status).toBe('error');
    const { vm: now } = await redeployed();
    expect(now).toMatchObject({ status: 'running', primary_ipv4: vm.primary_ipv4 });
    expect((await mine.instance(vm))?.nics).toHaveLength(2);
  });
});
