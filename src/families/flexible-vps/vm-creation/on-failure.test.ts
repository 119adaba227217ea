import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addFault, clearFaults } from '../../../engines/compute/sandbox/store.ts';
import { wakeOperations } from '../../../kernel/operations/store.ts';
import { approveRequest } from '../../../portal-api/approvals/decision.ts';
import { createKey } from '../../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../../testing/app.ts';
import { settle } from '../../../testing/operations.ts';
import { staff } from '../../../testing/portal.ts';
import { VpsAccount } from '../../../testing/vps.ts';

let app: TestApp;
let customer: VpsAccount;

beforeAll(async () => {
  app = await createTestApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  await clearFaults(app.services.db);
  customer = await VpsAccount.open(app);
});

const refusal = { kind: 'fail', code: 'engine_failed', detail: 'Not today.' } as const;
const body = {
  name: 'web-1',
  location: 'fra1',
  plan: 'flex-2-4',
  source: { type: 'image', image_id: 'ubuntu-24.04' },
};

const order = (headers: Record<string, string> = {}, query = 'on_failure=delete') =>
  customer.send('POST', `vms?${query}`, body, headers);

/** Orders a machine whose first start the engine refuses, and returns its id and that of the operation. */
async function failed(headers: Record<string, string> = {}): Promise<{ id: string; operationId: string }> {
  const { id, operation } = (await order(headers)).json<{ id: string; operation: { id: string } }>();
  await addFault(app.services.db, { call: 'ensureRunning', target: id, times: 1, effect: refusal });
  await settle(app);
  return { id, operationId: operation.id };
}

const operation = async (id: string) =>
  (await app.call({ method: 'GET', url: `/account/v1/operations/${id}`, key: customer.key })).json();

const engineHas = async (id: string): Promise<boolean> =>
  (await app.services.compute.at('fra1')?.observeInstance({ account: customer.account.id, id })) !== null;

describe('createVm with on_failure=delete', () => {
  it('leaves no machine, and frees its name and limit', async () => {
    await app.services.db
      .insertInto('account_limits')
      .values({ account_id: customer.account.id, limit_id: 'flexible-vps.vms', value: 1 })
      .execute();
    const { id, operationId } = await failed();
    expect(await operation(operationId)).toMatchObject({
      status: 'failed',
      error: { code: 'engine_failed', detail: 'Not today.' },
    });
    expect((await customer.send('GET', `vms/${id}`)).statusCode).toBe(404);
    expect(await engineHas(id)).toBe(false);
    expect((await order({}, '')).statusCode).toBe(202);
    await settle(app);
  });

  it('releases the addresses into quarantine, so that the next attempt gets them again', async () => {
    const addressesOf = async (id: string) =>
      app.services.db
        .selectFrom('public_addresses')
        .select('block')
        .where('vm_id', '=', id)
        .orderBy('block')
        .execute();
    const { id } = (await order()).json<{ id: string }>();
    const taken = await addressesOf(id);
    await addFault(app.services.db, { call: 'ensureRunning', target: id, times: 1, effect: refusal });
    await settle(app);
    const rows = await app.services.db
      .selectFrom('public_addresses')
      .select(['block', 'account_id', 'vm_id', sql<boolean>`quarantined_until > now()`.as('is_held')])
      .where('former_account_id', '=', customer.account.id)
      .execute();
    expect(rows).toHaveLength(taken.length);
    for (const row of rows) expect(row).toMatchObject({ account_id: null, vm_id: null, is_held: true });
    const again = (await order()).json<{ id: string }>();
    expect(await addressesOf(again.id)).toEqual(taken);
    await settle(app);
  });

  it('is never billed, and events say that it failed and that the machine is deleted', async () => {
    const { id } = await failed();
    const { db } = app.services;
    const spans = await db.selectFrom('meter_spans').select('id').where('resource_id', '=', id).execute();
    expect(spans).toEqual([]);
    const events = await db
      .selectFrom('events')
      .select('type')
      .where('resource_id', '=', id)
      .orderBy('sequence')
      .execute();
    expect(events.map(({ type }) => type)).toEqual(['operation.started', 'vm.deleted', 'operation.failed']);
  });

  it('502: a waiting call gets the failure, and the audit log has one entry for the accepted call', async () => {
    const headers = { 'idempotency-key': 'one' };
    const { operationId } = await failed(headers);
    const answer = await order({ ...headers, prefer: 'wait=30' });
    expect([answer.statusCode, answer.headers['preference-applied'], answer.json()]).toMatchObject([
      502,
      'wait=30',
      {
        code: 'create_failed',
        detail: 'web-1 was not created. Not today.',
        operation_id: operationId,
        operation_error: { code: 'engine_failed', detail: 'Not today.', retryable: false },
      },
    ]);
    const log = await app.call({ method: 'GET', url: '/account/v1/audit-log', key: customer.key });
    expect(log.json().data).toMatchObject([{ action: 'createVm', outcome: 'accepted', http_status: 202 }]);
  });

  it('409: a waiting call is told that the creation was cancelled', async () => {
    const headers = { 'idempotency-key': 'one' };
    const { id, operation: made } = (await order(headers)).json();
    const url = `/account/v1/operations/${made.id}/cancel`;
    await app.call({ method: 'POST', url, key: customer.key });
    const answer = await order({ ...headers, prefer: 'wait=30' });
    expect([answer.statusCode, answer.json()]).toMatchObject([
      409,
      { code: 'create_cancelled', operation_id: made.id },
    ]);
    expect((await customer.send('GET', `vms/${id}`)).statusCode).toBe(404);
  });

  it('retries the removal until the engine has removed the machine', async () => {
    const { id, operation: made } = (await order()).json();
    const { db } = app.services;
    await addFault(db, { call: 'ensureRunning', target: id, times: 1, effect: refusal });
    await addFault(db, { call: 'removeInstance', target: id, times: 2, effect: refusal });
    for (await settle(app); !(await operation(made.id)).done; await settle(app))
      await wakeOperations(db, made.id);
    expect(await engineHas(id)).toBe(false);
    expect((await customer.send('GET', `vms/${id}`)).statusCode).toBe(404);
  });

  it('keeps a machine that the engine does not remove in time, with the reason', async () => {
    const { id, operation: made } = (await order()).json();
    const { db } = app.services;
    await addFault(db, { call: 'ensureRunning', target: id, times: 1, effect: refusal });
    await addFault(db, { call: 'removeInstance', target: id, effect: refusal });
    await sql`
      update operations set phase = 'undo', step = 'remove', started_at = now(), deadline_at = now(),
        failure = ${JSON.stringify({ code: 'engine_failed', detail: 'Not today.', retryable: false })}::jsonb
      where id = ${made.id}`.execute(db);
    await settle(app);
    const { status, error } = await operation(made.id);
    expect([status, error.code]).toEqual(['failed', 'engine_failed']);
    expect(error.detail).toMatch(/^Not today\. What was created could not be removed, and is still there: /);
    expect(await customer.readVm(id)).toMatchObject({ status: 'error', provisioned_at: null });
  });

  it('needs the same parameter when an approved call is repeated', async () => {
    const { key } = await createKey(app.services.db, customer.account, { approval: 'writes' });
    const url = '/flexible-vps/v1/vms';
    const send = (query: string, headers: Record<string, string> = {}) =>
      app.call({ method: 'POST', url: `${url}${query}`, payload: body, key, headers });
    const { operation_id } = (await send('?on_failure=delete')).json();
    const asked = { account_id: customer.account.id, operation_id };
    await approveRequest(app.services.db, staff, asked, app.registry);
    const headers = { 'approval-id': operation_id };
    expect((await send('', headers)).json().code).toBe('approval_mismatch');
    const { id, operation: made } = (await send('?on_failure=delete', headers)).json();
    await addFault(app.services.db, { call: 'ensureRunning', target: id, times: 1, effect: refusal });
    await settle(app);
    expect((await operation(made.id)).status).toBe('failed');
    expect((await customer.send('GET', `vms/${id}`)).statusCode).toBe(404);
  });

  it('409: an Idempotency-Key is bound to the value of on_failure; keep equals no value', async () => {
    const headers = { 'idempotency-key': 'one' };
    const first = await order(headers, 'on_failure=keep');
    expect(first.statusCode).toBe(202);
    expect((await order(headers, '')).headers['idempotent-replayed']).toBe('true');
    expect((await order(headers)).json().code).toBe('idempotency_key_conflict');
    await settle(app);
  });
});

describe('createVm without on_failure', () => {
  it('keeps the failed machine until a redeploy succeeds', async () => {
    const { id } = (await order({}, '')).json<{ id: string }>();
    await addFault(app.services.db, { call: 'ensureRunning', target: id, times: 1, effect: refusal });
    await settle(app);
    const lost = await customer.readVm(id);
    expect(lost).toMatchObject({ status: 'error', provisioned_at: null });
    expect(lost.interfaces).toMatchObject([{ status: 'active', provisioned_at: null }]);
    await customer.do('POST', `vms/${id}/redeploy`, { image_id: 'ubuntu-24.04', confirm: 'web-1' });
    const made = await customer.readVm(id);
    expect(made).toMatchObject({ status: 'running', provisioned_at: expect.any(String) });
    expect(made.interfaces).toMatchObject([{ provisioned_at: expect.any(String) }]);
  });
});
