import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { diskOf } from '../../../engines/compute/sandbox/guest-actions.ts';
import type { Sandbox } from '../../../engines/compute/sandbox/sandbox.ts';
import { addFault, clearFaults, listFaults } from '../../../engines/compute/sandbox/store.ts';
import { claimSubject } from '../../../kernel/claims/store.ts';
import { createKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { VpsAccount } from '../../../testing/vps.ts';
import type { Vm } from '../vms/schema.ts';

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

const reset = (body: object = {}, headers = {}, query = '') =>
  vps.send('POST', `vms/${vm.id}/password-reset${query}`, body, headers);

/** Reads /etc/shadow of the machine, which holds the password hashes. */
async function shadow(): Promise<string> {
  const { core } = app.services.compute.at(vm.location) as Sandbox;
  return (await diskOf(core, { account: vps.account.id, id: vm.id }))['/etc/shadow'] ?? '';
}

async function told(): Promise<string[]> {
  const { db } = app.services;
  const events = await db
    .selectFrom('events')
    .select('message')
    .where('resource_id', '=', vm.id)
    .where('type', '=', 'vm.password_reset')
    .execute();
  return events.map(({ message }) => message);
}

describe('resetting a password', () => {
  it('sets one for the default user of the image, shows it once, and writes an event', async () => {
    const before = await shadow();
    const answer = await reset();
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { username, password } = answer.json();
    expect(username).toBe('ubuntu');
    expect(password).toMatch(/^[A-HJ-NP-Za-kmnp-z2-9]{24}$/);
    expect(await shadow()).not.toBe(before);
    expect(await told()).toEqual([`The password of ubuntu in the machine ${vm.name} was replaced.`]);
    expect(app.logged.join('')).not.toContain(password);
  });

  it('sets one for the named user', async () => {
    expect((await reset({ username: 'deploy' })).json()).toMatchObject({ username: 'deploy' });
    expect(await shadow()).toContain('deploy:');
    expect((await reset({ username: 'Not A User' })).statusCode).toBe(422);
  });

  it('is not done twice for a repeated call, which does not show the password again', async () => {
    const headers = { 'idempotency-key': vm.id };
    const first = await reset({}, headers);
    const set = await shadow();
    const again = await reset({}, headers);
    expect(again.json()).toEqual({ ...first.json(), password: null, secret_returned_before: true });
    expect(await shadow()).toBe(set);
  });

  it('does nothing in a dry run, or before it is approved', async () => {
    const before = await shadow();
    const dry = await reset({}, {}, '?dry_run=true');
    expect(dry.json()).toMatchObject({ dry_run: true, effects: [{ action: 'update', id: vm.id }] });
    const { key } = await createKey(app.services.db, vps.account, { approval: 'writes' });
    const asked = await app.call({
      method: 'POST',
      url: `/flexible-vps/v1/vms/${vm.id}/password-reset`,
      payload: {},
      key,
    });
    expect(asked.json()).toMatchObject({ code: 'approval_required' });
    expect(await shadow()).toBe(before);
    expect(await told()).toEqual([]);
  });
});

describe('resetting a password is refused', () => {
  it('409: for a machine that does not run', async () => {
    await vps.do('POST', `vms/${vm.id}/actions`, { type: 'power_off' });
    const answer = await reset();
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ code: 'vm_not_running', current_state: 'stopped' });
  });

  it('409: without an agent that answers', async () => {
    const { last_seen_at } = vm.guest_agent;
    const effect = { kind: 'fail', code: 'guest_agent_unavailable', detail: 'No agent.' } as const;
    await addFault(app.services.db, { target: vm.id, call: 'setPassword', effect });
    const answer = await reset();
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({
      code: 'guest_agent_unavailable',
      agent_last_seen_at: last_seen_at,
    });
    expect(last_seen_at).not.toBeNull();
  });

  it('422: for a user that does not exist in the guest', async () => {
    const effect = { kind: 'fail', code: 'validation_failed', detail: 'No such user.' } as const;
    await addFault(app.services.db, { target: vm.id, call: 'setPassword', effect });
    const answer = await reset({ username: 'nobody-here' });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({
      retryable: false,
      errors: [{ pointer: '/username', code: 'unknown_reference', detail: 'No such user.' }],
    });
    expect(await told()).toEqual([]);
  });

  it('409: in rescue mode, where the agent of the machine does not run', async () => {
    await vps.do('POST', `vms/${vm.id}/rescue`, { enabled: true });
    const before = await shadow();
    const answer = await reset();
    expect(answer.json()).toMatchObject({ code: 'guest_agent_unavailable' });
    expect((await reset({}, {}, '?dry_run=true')).json()).toEqual({
      ...answer.json(),
      instance: expect.any(String),
      request_id: expect.any(String),
    });
    expect(await shadow()).toBe(before);
  });

  it('503: while the engine does not answer; nothing is kept of the attempt', async () => {
    const headers = { 'idempotency-key': vm.id };
    await addFault(app.services.db, { target: vm.id, call: 'setPassword', effect: { kind: 'unreachable' } });
    const answer = await reset({}, headers);
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toMatchObject({ code: 'engine_unavailable', retryable: true });
    expect(answer.headers['retry-after']).toBe('5');
    expect(await told()).toEqual([]);
    await clearFaults(app.services.db);
    expect((await reset({}, headers)).json().password).toMatch(/^.{24}$/);
  });

  it('409: while another call sets one on the same machine, so that the last answer has the valid password', async () => {
    await addFault(app.services.db, {
      target: vm.id,
      call: 'setPassword',
      effect: { kind: 'slow', seconds: 0.5 },
    });
    const struck = async () => (await listFaults(app.services.db))[0]?.struck;
    const first = reset();
    await vi.waitFor(async () => expect(await struck()).toBe(1), { timeout: 120_000 });
    const second = await reset();
    expect([second.statusCode, second.json()]).toMatchObject([
      409,
      { code: 'operation_in_progress', operation_id: null },
    ]);
    expect(second.headers['retry-after']).toBe('5');
    expect((await first).statusCode).toBe(200);
    expect(await struck()).toBe(1);
    await clearFaults(app.services.db);
    expect((await reset()).statusCode).toBe(200);
  });

  it('409: until the claim of a process that ended has expired', async () => {
    const { db } = app.services;
    await claimSubject(db, vm.id, 60);
    expect((await reset()).json()).toMatchObject({ code: 'operation_in_progress' });
    await db
      .updateTable('claims')
      .set({ until: new Date(0) })
      .where('subject', '=', vm.id)
      .execute();
    expect((await reset()).statusCode).toBe(200);
    expect(await db.selectFrom('claims').selectAll().where('subject', '=', vm.id).execute()).toEqual([]);
  });

  it('but 200 even if the claim cannot be released, which then expires', async () => {
    const { db } = app.services;
    await sql`
      create function keep_claims() returns trigger language plpgsql as $$ begin raise 'kept'; end $$`.execute(
      db,
    );
    await sql`
      create trigger keep_claims before delete on claims for each row execute function keep_claims()`.execute(
      db,
    );
    expect((await reset()).statusCode).toBe(200);
    await sql`drop function keep_claims cascade`.execute(db);
    expect(await db.selectFrom('claims').select('subject').execute()).toEqual([{ subject: vm.id }]);
  });
});
