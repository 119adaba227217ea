import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PENDING_PER_KEY } from '../../kernel/approvals/approval.ts';
import {
  createAccount,
  createKey,
  createMember,
  type TestAccount,
  type TestKey,
} from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { ended, operationOf, settle } from '../../testing/operations.ts';
import { refusalOf, staff } from '../../testing/portal.ts';
import type { Actor } from '../actor.ts';
import { approveRequest, denyRequest } from './decision.ts';
import { listPendingApprovals, showApproval } from './view.ts';

let t: TestApp;
let account: TestAccount;
let key: TestKey;

beforeAll(async () => {
  t = await createTestApp({ works: true });
});
afterAll(() => t.close());

beforeEach(async () => {
  account = await createAccount(t.services.db);
  key = await createKey(t.services.db, account, { approval: 'writes', name: 'agent' });
});

interface Sent {
  readonly by?: TestKey;
  readonly payload?: object;
  readonly headers?: Record<string, string>;
}

const create = (name: string, { by = key, payload = {}, headers = {} }: Sent = {}) =>
  t.call({
    method: 'POST',
    url: '/workshop/v1/widgets',
    key: by.key,
    headers,
    payload: { name, size: 2, ...payload },
  });

async function ask(name: string, sent: Sent = {}): Promise<string> {
  const { code, operation_id } = (await create(name, sent)).json();
  expect(code).toBe('approval_required');
  return operation_id;
}

const approve = (id: string, actor: Actor = staff) =>
  approveRequest(t.services.db, actor, { account_id: account.id, operation_id: id }, t.registry);
const deny = (id: string, reason?: string, actor: Actor = staff) =>
  denyRequest(
    t.services.db,
    actor,
    { account_id: account.id, operation_id: id, ...(reason === undefined ? {} : { reason }) },
    t.registry,
  );
const withdraw = (id: string, by = key) =>
  t.call({ method: 'POST', url: `/account/v1/operations/${id}/cancel`, key: by.key, payload: {} });
const codeOf = async (answer: ReturnType<typeof create>): Promise<string> => (await answer).json().code;
const eventsOf = async (id: string) =>
  t.services.db
    .selectFrom('events')
    .select(['type', 'actor', 'resource_type', 'data'])
    .where('operation_id', '=', id)
    .orderBy('sequence')
    .execute();
const countWidgets = async (): Promise<number> =>
  (await t.services.db.selectFrom('widgets').select('id').where('account_id', '=', account.id).execute())
    .length;

describe('a key that needs approval', () => {
  it('409: gets the operation to wait for, and nothing has happened', async () => {
    const answer = await create('one');
    const { operation_id, approve_url, expires_at, ...problem } = answer.json();
    expect(problem).toMatchObject({ status: 409, code: 'approval_required' });
    expect(new URL(approve_url).pathname).toBe(`/portal/approvals/${operation_id}`);
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    expect(await countWidgets()).toBe(0);
    const operation = await t.call({ url: `/account/v1/operations/${operation_id}`, key: key.key });
    expect(operation.json()).toMatchObject({
      type: 'approval.request',
      family: 'account',
      status: 'running',
      waiting_for: 'approval',
      cancellable: true,
      resource: { type: 'widget', id: null, name: 'one' },
    });
    expect((await eventsOf(operation_id)).map(({ type }) => type)).toEqual([
      'operation.started',
      'approval.requested',
    ]);
    await t.services.audit.flush();
    const audit = await t.call({ url: '/account/v1/audit-log', key: key.key });
    expect(audit.json().data).toMatchObject([
      { action: 'createWidget', outcome: 'rejected', approval_operation_id: operation_id },
    ]);
  });

  it('409: gets the same approval for the same request while one is pending', async () => {
    const asked = await Promise.all([ask('one'), ask('one'), ask('one')]);
    expect(new Set(asked).size).toBe(1);
    expect(await ask('two')).not.toBe(asked[0]);
    await deny(asked[0] ?? '');
    expect(await ask('one')).not.toBe(asked[0]);
  });

  it('201: can make the approved call once, with its documented answer', async () => {
    const id = await ask('one');
    const row = await approve(id);
    expect((row.usable_until?.getTime() ?? 0) - Date.now()).toBeGreaterThan(14 * 60_000);
    expect((await operationOf(t, id)).result).toMatchObject({ changed: true });
    const done = await create('one', { headers: { 'approval-id': id } });
    expect([done.statusCode, done.json().name]).toEqual([201, 'one']);
    expect(done.json().password).toMatch(/^pw-/);
    const audit = await t.call({ url: '/account/v1/audit-log?action=createWidget', key: key.key });
    expect(audit.json().data[0]).toMatchObject({ outcome: 'succeeded', approval_operation_id: id });
    expect(await codeOf(create('one', { headers: { 'approval-id': id } }))).toBe('name_taken');
  });

  it('409: of two concurrent calls with one approval, one is refused', async () => {
    const id = await ask('one');
    await approve(id);
    const widget = await create('one', { headers: { 'approval-id': id } });
    const url = `/workshop/v1/widgets/${widget.json().id}`;
    const patch = (headers: Record<string, string>) =>
      t.call({ method: 'PATCH', url, key: key.key, payload: { size: 5 }, headers });
    const { operation_id } = (await patch({})).json();
    await approve(operation_id);
    const both = await Promise.all([1, 2].map(() => patch({ 'approval-id': operation_id })));
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([200, 409]);
    expect(both.find(({ statusCode }) => statusCode === 409)?.json().code).toBe('approval_expired');
  });

  it('409: learns from the operation that the person has not decided yet, or has refused', async () => {
    const id = await ask('one');
    const pending = (await create('one', { headers: { 'approval-id': id } })).json();
    expect(pending).toMatchObject({ code: 'approval_required', operation_id: id });
    await deny(id, 'Use the one we have.');
    const refused = (await create('one', { headers: { 'approval-id': id } })).json();
    expect(refused).toMatchObject({ code: 'approval_required', operation_id: id });
    expect(await operationOf(t, id)).toMatchObject({
      status: 'failed',
      error: { code: 'approval_denied', detail: 'A person refused it: Use the one we have.' },
    });
    expect(await countWidgets()).toBe(0);
  });

  it('409: an approval expires after 15 minutes, a request after 24 hours or when it is withdrawn', async () => {
    const late = await ask('late');
    await approve(late);
    await sql`update approvals set usable_until = now() where operation_id = ${late}`.execute(t.services.db);
    const undecided = await ask('undecided');
    await sql`update approvals set expires_at = now() where operation_id = ${undecided}`.execute(
      t.services.db,
    );
    const withdrawn = await ask('withdrawn');
    expect((await withdraw(withdrawn)).json()).toMatchObject({ id: withdrawn, status: 'cancelled' });
    for (const [name, id] of Object.entries({ late, undecided, withdrawn })) {
      expect([name, await codeOf(create(name, { headers: { 'approval-id': id } }))]).toEqual([
        name,
        'approval_expired',
      ]);
      expect(await ask(name)).not.toBe(id);
    }
    expect((await refusalOf(approve(undecided))).code).toBe('approval_expired');
    expect((await refusalOf(approve(withdrawn))).code).toBe('invalid_state');
  });

  it('409: cannot use the approval of another key, or an invalid id', async () => {
    const id = await ask('one');
    await approve(id);
    const other = await createKey(t.services.db, account, { approval: 'writes' });
    const stranger = await createAccount(t.services.db);
    const foreign = await createKey(t.services.db, stranger, { approval: 'writes' });
    for (const [by, named] of [
      [other, id],
      [foreign, id],
      [key, 'op_nothing'],
      [key, `${id}, ${id}`],
    ] as const) {
      const answer = create('one', { by, headers: { 'approval-id': named } });
      expect([named, await codeOf(answer)]).toEqual([named, 'approval_mismatch']);
    }
  });

  it('200: needs no approval for a dry run, and a key without the rule does not use one up', async () => {
    const dry = await t.call({
      method: 'POST',
      url: '/workshop/v1/widgets?dry_run=true',
      key: key.key,
      payload: { name: 'one', size: 2 },
    });
    expect(dry.json().dry_run).toBe(true);
    expect(await listPendingApprovals(t.services.db, account.id)).toEqual([]);
    const free = await createKey(t.services.db, account);
    expect((await create('two', { by: free, headers: { 'approval-id': 'op_nothing' } })).statusCode).toBe(
      201,
    );
  });

  it('201: works together with an Idempotency-Key: the refusal stores nothing, the effect is replayed', async () => {
    const headers = { 'idempotency-key': 'k1' };
    const id = await ask('one', { headers });
    await approve(id);
    const done = await create('one', { headers: { ...headers, 'approval-id': id } });
    const again = await create('one', { headers: { ...headers, 'approval-id': id } });
    const plain = await create('one', { headers });
    expect([done, again, plain].map(({ statusCode }) => statusCode)).toEqual([201, 201, 201]);
    expect([again, plain].map((answer) => answer.headers['idempotent-replayed'])).toEqual(['true', 'true']);
  });

  it('409 quota_exceeded: cannot have more than 50 pending requests', async () => {
    for (let i = 0; i < PENDING_PER_KEY; i++) await ask(`w${i}`);
    const answer = (await create('more')).json();
    expect(answer).toMatchObject({ code: 'quota_exceeded', limit: 50, used: 50, requested: 1 });
    const [first] = await listPendingApprovals(t.services.db, account.id);
    await withdraw(first?.operation_id ?? '');
    await ask('more');
  });

  it('409: with a cost limit needs approval for calls that add more', async () => {
    const frugal = await createKey(t.services.db, account, {
      approval: 'destructive',
      approval_over_monthly: '2.00',
    });
    expect((await create('small', { by: frugal })).statusCode).toBe(201);
    const id = await ask('large', { by: frugal, payload: { size: 9 } });
    const { cost } = await showApproval(t.services.db, account.id, id);
    expect(Number(cost.monthly)).toBeGreaterThan(2);
    await approve(id);
    const headers = { 'approval-id': id };
    expect((await create('large', { by: frugal, payload: { size: 9 }, headers })).statusCode).toBe(201);
  });
});

describe('the decision about an approval', () => {
  const member = async (role: Parameters<typeof createMember>[2]): Promise<Actor> => ({
    kind: 'member',
    memberId: await createMember(t.services.db, account.id, role),
    name: `The ${role}`,
    clientIp: null,
    userAgent: null,
    requestId: null,
  });

  it('can be made by owners and admins, and by nobody else', async () => {
    const id = await ask('one');
    for (const role of ['operator', 'developer', 'viewer', 'billing'] as const)
      expect((await refusalOf(approve(id, await member(role)))).code).toBe('permission_denied');
    const admin = await member('admin');
    await approve(id, admin);
    const told = (await eventsOf(id)).find(({ type }) => type === 'approval.approved');
    expect(told).toMatchObject({
      actor: { kind: 'member', member_id: admin.kind === 'member' ? admin.memberId : '' },
      resource_type: 'widget',
      data: { action: 'createWidget', api_key_id: key.id },
    });
    const audit = await t.call({ url: '/account/v1/audit-log?action=approveRequest', key: key.key });
    expect(audit.json().data[0]).toMatchObject({ outcome: 'succeeded', resource: { id } });
  });

  it('is made with the call, its effects, its cost and the caller in view', async () => {
    const id = await ask('one');
    const [shown] = await listPendingApprovals(t.services.db, account.id);
    expect(shown).toMatchObject({
      operation_id: id,
      key_name: 'agent',
      method: 'POST',
      path: '/workshop/v1/widgets',
      body: { name: 'one', size: 2 },
      effects: [{ action: 'create', type: 'widget', id: null, name: 'one' }],
      cost: { currency: 'EUR' },
    });
  });

  it('409: can be made once, and only in its own account', async () => {
    const id = await ask('one');
    await deny(id);
    expect((await refusalOf(approve(id))).code).toBe('invalid_state');
    expect((await refusalOf(deny(id))).code).toBe('invalid_state');
    const other = await createAccount(t.services.db);
    const elsewhere = approveRequest(
      t.services.db,
      staff,
      { account_id: other.id, operation_id: await ask('two') },
      t.registry,
    );
    expect((await refusalOf(elsewhere)).code).toBe('not_found');
  });

  it('is a failure after 24 hours without a decision, with an event', async () => {
    const id = await ask('one');
    const { db } = t.services;
    await sql`update approvals set expires_at = now() where operation_id = ${id}`.execute(db);
    await sql`update operations set run_at = now() where id = ${id}`.execute(db);
    await settle(t);
    const operation = await ended(t, id);
    expect(operation).toMatchObject({ status: 'failed', error: { code: 'approval_expired' } });
    expect((await eventsOf(id)).map(({ type }) => type).slice(-2)).toEqual([
      'approval.expired',
      'operation.failed',
    ]);
  });

  it('is not needed to withdraw the request', async () => {
    const id = await ask('one');
    expect((await withdraw(id)).json()).toMatchObject({ status: 'cancelled' });
    expect(await listPendingApprovals(t.services.db, account.id)).toEqual([]);
  });
});
