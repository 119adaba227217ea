import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoredOperation } from '../../kernel/operations/store.ts';
import { createAccount, type TestAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { runCommand, type Setting, urlOf } from '../../testing/command-line.ts';
import { createMachineKind } from '../../testing/machines.ts';
import { startOn } from '../../testing/operations.ts';

let t: TestApp;
let account: TestAccount;
let operation: StoredOperation;
beforeAll(async () => {
  t = await createTestApp({ works: false });
  account = await createAccount(t.services.db);
  operation = await startOn(t, account, createMachineKind, 'mac_1');
});
afterAll(() => t.close());

const run = (argv: readonly string[], setting: Setting = {}) =>
  runCommand(argv, {
    ...setting,
    registry: t.registry,
    env: { HOSTPLANE_DATABASE_URL: urlOf(t.database.connection), HOSTPLANE_PORT: '0' },
  });

describe('operations at the command line', () => {
  it('are listed for one account or for all', async () => {
    const { out } = await run(['operations', 'list']);
    expect(out).toContain(operation.id);
    expect(out).toContain('machine.create');
    const other = await createAccount(t.services.db);
    expect((await run(['operations', 'list', '--account', other.id])).out).toBe(
      'No operation is under way.\n',
    );
    expect((await run(['operations', 'list', '--account', account.id])).out).toContain(operation.id);
  });

  it('are reported by the doctor if no worker runs', async () => {
    const statusOf = async (): Promise<unknown> => {
      const { out } = await run(['doctor', '--json']);
      const { checks } = JSON.parse(out) as { checks: { name: string; status: string }[] };
      return checks.find(({ name }) => name === 'Operations')?.status;
    };
    expect(await statusOf()).toBe('ok');
    await sql`update operations set run_at = now() - interval '2 minutes' where id = ${operation.id}`.execute(
      t.services.db,
    );
    expect(await statusOf()).toBe('failed');
  });

  it('are shown in detail, and cancelled with an audit entry', async () => {
    const shown = await run(['operations', 'show', operation.id]);
    expect(shown.out).toMatch(/status +queued/);
    expect((await run(['operations', 'show', 'op_none'])).err).toContain('There is no operation op_none');
    const stopped = await run(['operations', 'cancel', operation.id, '--yes']);
    expect([stopped.code, stopped.err]).toEqual([0, '']);
    expect(stopped.out).toMatch(/status +cancelled/);
    const { rows } = await sql<{ action: string }>`
      select action from audit_entries where account_id = ${account.id}`.execute(t.services.db);
    expect(rows).toEqual([{ action: 'operation.cancel' }]);
    const again = await run(['operations', 'cancel', operation.id, '--yes']);
    expect(again.code).toBe(0);
  });
});

describe('process roles at the command line', () => {
  it('run in one process by default, or in one each', async () => {
    expect((await run([])).roles).toEqual(['all']);
    expect((await run(['serve'])).roles).toEqual(['all']);
    expect((await run(['serve', '--no-worker'])).roles).toEqual(['api']);
    expect((await run(['worker'])).roles).toEqual(['worker']);
  });
});
