import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createKey, type TestAccount } from '../testing/accounts.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { type Db, openDatabase, openPool } from './database.ts';
import { Listener } from './listener.ts';

let database: TestDatabase;
let db: Db;
let listener: Listener;
let account: TestAccount;
const heard: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(openPool({ ...database.connection, maxConnections: 4 }));
  account = await createAccount(db);
  listener = new Listener(database.connection);
  listener.subscribe('hostplane_access', {
    heard: (payload) => heard.push(payload),
    up: () => heard.push('up'),
    down: () => heard.push('down'),
  });
  await listener.start();
});
afterAll(async () => {
  await listener.close();
  await db.destroy();
  await database.drop();
});

describe('the listener', () => {
  it('receives every change that affects what a key may do, and nothing else', async () => {
    expect(heard.splice(0)).toEqual(['up']);
    const { id } = await createKey(db, account);
    const { id: accountId, ownerId } = account;
    const changes = [
      sql`update api_keys set status = 'suspended' where id = ${id}`,
      sql`update api_keys set permissions = '{a:b:read}' where id = ${id}`,
      sql`update members set role = 'viewer' where id = ${ownerId}`,
      sql`update members set status = 'suspended' where id = ${ownerId}`,
      sql`update accounts set status = 'suspended' where id = ${accountId}`,
      sql`update accounts set keys_suspended = true where id = ${accountId}`,
      sql`update account_products set enabled = false where account_id = ${accountId} and family = 'storage'`,
      sql`insert into ip_allowlists (account_id, mode) values (${accountId}, 'report_only')`,
      sql`insert into ip_allowlist_entries (id, account_id, cidr, created_by) values ('ale_1', ${accountId}, '10.0.0.0/8', 'x')`,
      sql`delete from ip_allowlist_entries where id = 'ale_1'`,
      sql`update ip_allowlists set mode = 'off' where account_id = ${accountId}`,
      sql`delete from api_keys where id = ${id}`,
    ];
    for (const change of changes) await change.execute(db);
    await expect.poll(() => heard.length).toBe(changes.length + 1);
    expect(new Set(heard.splice(0))).toEqual(new Set([accountId]));
    const { id: quiet } = await createKey(db, account);
    await expect.poll(() => heard.splice(0)).toEqual([accountId]);
    await sql`update api_keys set last_used_at = now() where id = ${quiet}`.execute(db);
    await sql`update accounts set timezone = 'UTC' where id = ${accountId}`.execute(db);
    await sql`update accounts set status = 'active' where id = ${accountId}`.execute(db);
    await expect.poll(() => heard.splice(0)).toEqual([accountId]);
  });

  it('reports that it is disconnected, and reconnects', async () => {
    heard.length = 0;
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
              where application_name like '%listen' and datname = current_database()`.execute(db);
    await expect.poll(() => heard.slice(0, 2)).toEqual(['down', 'up']);
    heard.length = 0;
    await sql`update accounts set keys_suspended = false where id = ${account.id}`.execute(db);
    await expect.poll(() => heard).toEqual([account.id]);
  });
});
