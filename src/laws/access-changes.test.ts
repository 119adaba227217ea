/** A revoked right ends at once, also in other processes, which have the old right in their access cache. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../kernel/ids.ts';
import type { Db } from '../store/database.ts';
import { createKey, type TestKey } from '../testing/accounts.ts';
import { createTestApp, type TestApp } from '../testing/app.ts';
import { losses, prepareHolder, setMode } from './lost-rights.ts';
import { outcomeOf } from './responses.ts';

const OFTEN = { interval: 10 };

/** Two apps on one database, like two processes. `here` makes the change, and `there` must notice it. */
let here: TestApp;
let there: TestApp;

beforeAll(async () => {
  here = await createTestApp();
  there = await createTestApp({ database: here.database });
});

afterAll(async () => {
  await there.close();
  await here.close();
});

let serial = 0;
function write(app: TestApp, key: TestKey) {
  const payload = { name: `changed-${++serial}`, size: 1 };
  return app.call({ method: 'POST', url: '/workshop/v1/widgets', payload, key: key.key }).then(outcomeOf);
}

/**
 * Calls until the answer comes from the access cache. Notifications about rows that were just created may still arrive
 * and invalidate the cache.
 */
async function warm(app: TestApp, key: TestKey, answer = '201'): Promise<void> {
  const isHit = async () => {
    const { hits } = app.services.access;
    expect(await write(app, key)).toBe(answer);
    return app.services.access.hits - hits;
  };
  await expect.poll(isHit).toBe(1);
}

describe('another process notices by itself', () => {
  it.each(losses)('$title', async ({ take, answer, giveBack }) => {
    const stage = await prepareHolder(here);
    await warm(there, stage.key);
    await take(stage);
    await expect.poll(() => write(there, stage.key), OFTEN).toBe(answer);
    await expect.poll(() => write(here, stage.key), OFTEN).toBe(answer);
    if (giveBack === undefined) return;
    await giveBack(stage);
    await expect.poll(() => write(there, stage.key), OFTEN).toBe('201');
  });

  it('an entry added to and removed from an enforced allowlist', async () => {
    const stage = await prepareHolder(here);
    await setMode('enforce')(stage);
    expect(await write(there, stage.key)).toBe('403 ip_not_allowed');
    const id = newId('allowlist_entry');
    await stage.db
      .insertInto('ip_allowlist_entries')
      .values({ id, account_id: stage.account.id, cidr: '10.0.0.0/8', created_by: 'a test' })
      .execute();
    await expect.poll(() => write(there, stage.key), OFTEN).toBe('201');
    await stage.db.deleteFrom('ip_allowlist_entries').where('id', '=', id).execute();
    await expect.poll(() => write(there, stage.key), OFTEN).toBe('403 ip_not_allowed');
  });

  it('a key that is created after its public id was looked up without a result', async () => {
    const { db, account, key } = await prepareHolder(here);
    // The database computes the lineage.
    const { lineage: _, ...row } = await db
      .deleteFrom('api_keys')
      .where('id', '=', key.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await warm(there, key, '401 api_key_invalid');
    await createKey(db, account, row);
    await expect.poll(() => write(there, key), OFTEN).toBe('201');
  });
});

async function waitingForLocks(db: Db): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from pg_locks l join pg_database d on d.oid = l.database
    where not l.granted and d.datname = current_database()`.execute(db);
  return rows[0]?.waiting ?? 0;
}

describe('one process', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });

  afterAll(() => app.close());

  it('neither caches a look-up that began before a revocation nor shares it with later calls', async () => {
    const { db, access } = app.services;
    const { account, key } = await prepareHolder(app);
    const other = await createKey(db, account);
    await warm(app, other);
    expect(access.size).toBe(1);

    // The look-up reads the key, then the account. While it waits for the account, it has already read the active key.
    const gate = await db.startTransaction().execute();
    await sql`lock table accounts in access exclusive mode`.execute(gate);
    const before = write(app, key);
    await expect.poll(() => waitingForLocks(db)).toBe(1);
    await sql`update api_keys set status = 'revoked' where id = ${key.id}`.execute(db);
    await expect.poll(() => access.size).toBe(0);
    const after = write(app, key);
    await expect.poll(() => waitingForLocks(db)).toBe(2);
    await gate.rollback().execute();

    expect(await before).toBe('201');
    expect(await after).toBe('401 api_key_revoked');
    expect(await write(app, key)).toBe('401 api_key_revoked');
  });

  it('caches nothing while its listener is disconnected', async () => {
    const { access } = app.services;
    const { key } = await prepareHolder(app);
    await warm(app, key);
    access.down();
    expect(access.size).toBe(0);
    expect(await write(app, key)).toBe('201');
    expect(access.size).toBe(0);
    access.up();
    await warm(app, key);
    expect(access.size).toBe(1);
  });
});
