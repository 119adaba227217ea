import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { showApproval } from '../../../portal-api/approvals/view.ts';
import { createAccount, createKey } from '../../../testing/accounts.ts';
import { databaseAt, dropOlderDatabases } from '../../../testing/older-database.ts';
import { migrate } from '../migrate.ts';

dropOlderDatabases();

it('after an upgrade, a request for approval from before is shown with its effects and no words', async () => {
  const { db } = await databaseAt('0045-rehearsals');
  const account = await createAccount(db);
  const key = await createKey(db, account);
  await sql`
    insert into operations (id, account_id, type, family, status, resource_type, actor,
      cancellable, queue, is_ready, deadline_at)
    values ('op_1', ${account.id}, 'approval.request', 'account', 'running', 'widget', '{}', true, 'free', false, now())`.execute(
    db,
  );
  await sql`
    insert into approvals (operation_id, account_id, key_id, request_hash, endpoint_id, method, path, query, effects,
      cost, expires_at)
    values ('op_1', ${account.id}, ${key.id}, 'x', 'deleteWidget', 'DELETE', '/widgets/1', '{}',
      '[{"action": "delete", "type": "widget", "id": null, "name": "one"}]', '{}', now())`.execute(db);
  await migrate(db);
  expect(await showApproval(db, account.id, 'op_1')).toMatchObject({
    effects: [{ action: 'delete', name: 'one' }],
    changes: null,
  });
});
