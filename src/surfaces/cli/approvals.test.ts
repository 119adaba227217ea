import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { runCommand, urlOf } from '../../testing/command-line.ts';

let t: TestApp;
let account: TestAccount;
let key: string;
let victim: string;

beforeAll(async () => {
  t = await createTestApp();
  account = await createAccount(t.services.db);
  key = (await createKey(t.services.db, account, { approval: 'destructive', name: 'agent' })).key;
  victim = (await createKey(t.services.db, account, { name: 'old' })).id;
});
afterAll(() => t.close());

const run = (argv: readonly string[], answers: readonly string[] | null = []) =>
  runCommand([...argv, '--account', account.id], {
    env: { HOSTPLANE_DATABASE_URL: urlOf(t.database.connection) },
    answers,
    registry: t.registry,
  });
const revoke = (headers: Record<string, string> = {}) =>
  t.call({ method: 'DELETE', url: `/account/v1/api-keys/${victim}?reason=unused`, key, headers });
const ask = async (): Promise<string> => (await revoke()).json().operation_id;

describe('hostplane admin approvals', () => {
  it('lists nothing if there are no requests', async () => {
    expect(await run(['approvals', 'list'])).toMatchObject({
      code: 0,
      out: 'Nothing waits for approval.\n',
    });
  });

  it('shows a request and denies it with a reason, which the key gets', async () => {
    const id = await ask();
    const list = await run(['approvals', 'list']);
    expect(list.out).toContain(id);
    expect(list.out).toContain(`DELETE /account/v1/api-keys/${victim}?reason=unused`);
    const { out } = await run(['approvals', 'show', id]);
    for (const text of [
      'waiting for a decision',
      'key agent of Owner',
      'revokeApiKey',
      'Revokes the API key "old".',
      'delete api_key old',
    ])
      expect(out).toContain(text);
    const denied = await run(['approvals', 'deny', id, '--reason', 'Still in use.']);
    expect(denied).toMatchObject({ code: 0 });
    expect(denied.out).toContain('A person refused it: Still in use.');
    const operation = await t.call({ url: `/account/v1/operations/${id}`, key });
    expect(operation.json().error).toMatchObject({ code: 'approval_denied' });
  });

  it('approves after a confirmation, and prints the result', async () => {
    const id = await ask();
    const unsure = await run(['approvals', 'approve', id], ['no']);
    expect([unsure.code, unsure.asked.length]).toEqual([1, 1]);
    expect((await revoke({ 'approval-id': id })).json().code).toBe('approval_required');
    const { code, out, asked } = await run(['approvals', 'approve', id], ['yes']);
    expect([code, asked[0]]).toEqual([0, expect.stringContaining('The key agent may then call DELETE')]);
    expect(out).toContain('approved, not used yet');
    expect((await revoke({ 'approval-id': id })).statusCode).toBe(200);
    expect((await run(['approvals', 'show', id])).out).toContain('approved and used');
  });

  it('reports an invalid id', async () => {
    const { code, err } = await run(['approvals', 'approve', 'op_nothing', '--yes']);
    expect([code, err]).toEqual([1, expect.stringContaining('There is no request for approval op_nothing')]);
  });

  it('prints JSON for scripts', async () => {
    await createKey(t.services.db, account);
    expect(JSON.parse((await run(['approvals', 'list', '--json'])).out)).toEqual([]);
  });
});

describe('hostplane admin keys create', () => {
  const create = (...more: string[]) =>
    run(['keys', 'create', '--name', 'a', '--permission', 'account:*:*', ...more, '--json']);

  it('makes a key that needs approval', async () => {
    const made = await create('--approval', 'destructive', '--approval-over-monthly', '49.90');
    expect(JSON.parse(made.out).key).toMatchObject({
      approval: 'destructive',
      approval_over_monthly: '49.90',
    });
    const who = await t.call({ url: '/account/v1/whoami', key: JSON.parse(made.out).secret });
    expect(who.json().key).toMatchObject({ approval: 'destructive', approval_over_monthly: '49.90' });
  });

  it('refuses an amount that would never count, or is none', async () => {
    const idle = await create('--approval', 'off', '--approval-over-monthly', '10');
    expect([idle.code, idle.err]).toEqual([1, expect.stringContaining('/approval_over_monthly')]);
    const odd = await create('--approval', 'writes', '--approval-over-monthly', 'ten');
    expect([odd.code, odd.err]).toEqual([1, expect.stringContaining('49.90')]);
  });
});
