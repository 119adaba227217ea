import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import type { OperationView } from '../../../kernel/operations/schema.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { operationOf, outwaitGuests, settle } from '../../../testing/operations.ts';
import { freshPublicKey } from '../../../testing/ssh-keys.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';
import { rescueExpiry } from './rescue-expiry.ts';

type RescuedVm = Vm & { rescue_credentials: { username: string; password: string } | null };

let app: TestApp;
let vps: VpsAccount;
let vm: Vm;

beforeAll(async () => {
  app = await createTestApp();
});
beforeEach(async () => {
  vps = await VpsAccount.open(app);
  vm = await vps.vm();
});
afterEach(() => clearFaults(app.services.db));
afterAll(() => app.close());

const ask = (body: object, headers = {}) => vps.send('POST', `vms/${vm.id}/rescue`, body, headers);

async function set(body: object): Promise<RescuedVm> {
  const answer = await ask(body);
  expect(answer.statusCode, answer.body).toBe(202);
  await settle(app);
  return answer.json<RescuedVm>();
}

async function told(): Promise<string[]> {
  const rows = await app.services.db
    .selectFrom('events')
    .select('type')
    .where('resource_id', '=', vm.id)
    .where('type', 'like', 'vm.rescue%')
    .orderBy('sequence')
    .execute();
  return rows.map(({ type }) => type);
}

const bootOf = async () => (await vps.instance(vm))?.startedAt?.getTime() ?? 0;
const rescue = async () => (await vps.instance(vm))?.rescue;
const power = (type: string) => vps.do('POST', `vms/${vm.id}/actions`, { type });

async function expire(): Promise<void> {
  await app.services.db
    .updateTable('vms')
    .set({ rescue_expires_at: new Date(0) })
    .where('id', '=', vm.id)
    .execute();
  await rescueExpiry.run(app.services);
}

describe('rescue mode', () => {
  it('is entered by a restart, with a password that is shown once, and can be left again', async () => {
    const boot = await bootOf();
    const answer = await ask({ enabled: true, duration_hours: 2 });
    expect(answer.statusCode, answer.body).toBe(202);
    expect(answer.headers['cache-control']).toBe('no-store');
    const accepted = answer.json<RescuedVm>();
    expect(accepted).toMatchObject({ status: 'restarting', operation: { type: 'vm.rescue' } });
    expect(accepted.rescue_credentials).toEqual({
      username: 'root',
      password: expect.stringMatching(/^[A-HJ-NP-Za-kmnp-z2-9]{24}$/),
    });
    await settle(app);
    const inside = await vps.readVm(vm.id);
    expect(inside).toMatchObject({ status: 'running', operation: null, rescue: { active: true } });
    const hours = (new Date(inside.rescue.expires_at ?? 0).getTime() - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(1.9);
    expect(hours).toBeLessThanOrEqual(2);
    expect(await rescue()).toEqual({ wanted: true, active: true });
    expect(await bootOf()).toBeGreaterThan(boot);

    const left = await set({ enabled: false });
    expect(left.rescue_credentials).toBeNull();
    expect(await vps.readVm(vm.id)).toMatchObject({
      status: 'running',
      rescue: { active: false, expires_at: null },
    });
    expect(await rescue()).toEqual({ wanted: false, active: false });
    expect(await told()).toEqual(['vm.rescue_entered', 'vm.rescue_left']);
  });

  it('writes neither password nor hash to operations or logs', async () => {
    const { rescue_credentials, operation } = await set({ enabled: true });
    const password = rescue_credentials?.password ?? '?';
    const { input } = await operationOf(app, operation?.id ?? '');
    expect(JSON.stringify(input)).not.toMatch(/\$6\$/);
    expect(JSON.stringify(input)).not.toContain(password);
    expect(app.logged.join('')).not.toContain(password);
  });

  it('accepts SSH keys instead of a password', async () => {
    const key = await vps.do('POST', 'ssh-keys', { name: 'mine', public_key: freshPublicKey() });
    const { rescue_credentials } = await set({ enabled: true, ssh_key_ids: [key.id] });
    expect(rescue_credentials).toBeNull();
    expect(await rescue()).toEqual({ wanted: true, active: true });
    const stranger = await ask({ enabled: false, ssh_key_ids: ['sshkey_01jqzv2m7xe9rs5d3k8w4t6y0b'] });
    expect(stranger.json()).toMatchObject({
      errors: [{ pointer: '/ssh_key_ids/0', code: 'unknown_reference' }],
    });
  });

  it('is not changed if it already has the requested state', async () => {
    const off = await set({ enabled: false });
    expect(off.operation).toMatchObject({ status: 'succeeded', result: { changed: false } });
    await set({ enabled: true });
    const boot = await bootOf();
    const on = await set({ enabled: true });
    expect(on).toMatchObject({
      status: 'running',
      rescue_credentials: null,
      operation: { status: 'succeeded', result: { changed: false } },
    });
    expect(await bootOf()).toBe(boot);
  });

  it('starts with the next boot if restart is false', async () => {
    const boot = await bootOf();
    expect((await set({ enabled: true, restart: false })).status).toBe('running');
    expect(await rescue()).toEqual({ wanted: true, active: false });
    expect(await bootOf()).toBe(boot);
    await power('restart');
    expect(await rescue()).toEqual({ wanted: true, active: true });
    expect(await vps.readVm(vm.id)).toMatchObject({ rescue: { active: true } });
  });

  it('starts a stopped machine, or leaves it stopped', async () => {
    await power('power_off');
    await set({ enabled: true, restart: false });
    expect(await vps.readVm(vm.id)).toMatchObject({ status: 'stopped', rescue: { active: true } });
    await power('power_on');
    expect(await rescue()).toEqual({ wanted: true, active: true });
    await power('power_off');
    await set({ enabled: false });
    expect(await vps.readVm(vm.id)).toMatchObject({ status: 'running', rescue: { active: false } });
    expect(await rescue()).toEqual({ wanted: false, active: false });
  });

  it('stops a guest by force that ignores the shutdown request', async () => {
    await addFault(app.services.db, { target: vm.id, effect: { kind: 'ignore_shutdown' } });
    await set({ enabled: true });
    expect(await rescue()).toEqual({ wanted: true, active: false });
    expect(await outwaitGuests(app)).toBe(1);
    expect(await rescue()).toEqual({ wanted: true, active: true });
  });

  it('409: is refused while another operation runs, and for a suspended machine', async () => {
    await vps.send('POST', `vms/${vm.id}/actions`, { type: 'restart' });
    const busy = await ask({ enabled: true });
    expect(busy.json()).toMatchObject({ code: 'operation_in_progress', operation_id: expect.any(String) });
    await settle(app);
    await app.services.db.updateTable('vms').set({ status: 'suspended' }).where('id', '=', vm.id).execute();
    expect((await ask({ enabled: true })).json()).toMatchObject({ code: 'resource_suspended' });
  });
});

describe('rescue mode with a failing engine', () => {
  it('leaves the machine unchanged if the engine refuses', async () => {
    const effect = { kind: 'fail', code: 'engine_failed', detail: 'Told to fail.' } as const;
    await addFault(app.services.db, { target: vm.id, call: 'ensureRescue', effect });
    const { operation } = await set({ enabled: true });
    expect(await operationOf(app, operation?.id ?? '')).toMatchObject({
      status: 'failed',
      error: { code: 'engine_failed' },
    });
    expect(await vps.readVm(vm.id)).toMatchObject({ status: 'running', rescue: { active: false } });
    expect(await told()).toEqual([]);
  });

  it.each([
    ['requestShutdown', 'running'],
    ['restart', 'stopped'],
  ] as const)('shows that it is set but not entered if %s is refused', async (call, status) => {
    const effect = { kind: 'fail', code: 'engine_failed', detail: 'Told to fail.' } as const;
    await addFault(app.services.db, { target: vm.id, call, effect });
    const { operation } = await set({ enabled: true });
    expect((await operationOf(app, operation?.id ?? '')).status).toBe('failed');
    expect(await vps.readVm(vm.id)).toMatchObject({ status, rescue: { active: true } });
    expect(await rescue()).toEqual({ wanted: true, active: false });
  });

  it('fails if the engine only claims to have done it', async () => {
    await addFault(app.services.db, {
      target: vm.id,
      call: 'ensureRescue',
      times: 1,
      effect: { kind: 'lie' },
    });
    const answer = await ask({ enabled: true });
    const { operation } = answer.json<{ operation: OperationView }>();
    await settle(app);
    await app.services.db
      .updateTable('operations')
      .set({ run_at: new Date(0) })
      .where('id', '=', operation.id)
      .execute();
    await settle(app);
    expect((await operationOf(app, operation.id)).status).toBe('succeeded');
    expect(await rescue()).toEqual({ wanted: true, active: true });
  });
});

describe('when rescue mode expires', () => {
  it('a running machine is restarted from its own disk', async () => {
    await set({ enabled: true });
    await rescueExpiry.run(app.services);
    expect(await vps.readVm(vm.id)).toMatchObject({ status: 'running', rescue: { active: true } });
    await expire();
    expect(await vps.readVm(vm.id)).toMatchObject({
      status: 'restarting',
      operation: { type: 'vm.rescue', actor: { kind: 'system' } },
    });
    await rescueExpiry.run(app.services);
    await settle(app);
    expect(await vps.readVm(vm.id)).toMatchObject({ status: 'running', rescue: { active: false } });
    expect(await rescue()).toEqual({ wanted: false, active: false });
    expect(await told()).toEqual(['vm.rescue_entered', 'vm.rescue_left']);
  });

  it('a stopped machine stays stopped', async () => {
    await set({ enabled: true });
    await power('power_off');
    await expire();
    await settle(app);
    expect(await vps.readVm(vm.id)).toMatchObject({ status: 'stopped', rescue: { active: false } });
    await power('power_on');
    expect(await rescue()).toEqual({ wanted: false, active: false });
  });

  it('a failed attempt is repeated later, and the machine shows when', async () => {
    await set({ enabled: true });
    const effect = { kind: 'fail', code: 'engine_failed', detail: 'Told to fail.' } as const;
    await addFault(app.services.db, { target: vm.id, call: 'ensureRescue', effect });
    await expire();
    await settle(app);
    const { status, rescue: shown } = await vps.readVm(vm.id);
    expect([status, shown.active]).toEqual(['running', true]);
    expect(new Date(shown.expires_at ?? 0).getTime()).toBeGreaterThan(Date.now());
  });
});
