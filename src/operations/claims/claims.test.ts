/** The claim finds the operations of every group, however many of another group wait, and at the same cost. */
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, openPool } from '../../store/database.ts';
import { createAccount } from '../../testing/accounts.ts';
import { createTestApp, type TestApp } from '../../testing/app.ts';
import { cancelled, operationOf } from '../../testing/operations.ts';
import { REAL } from '../environment.ts';
import { DatabaseRunnerStore } from '../store.ts';
import { type Cell, SLOTS, Slots } from './slots.ts';
import { readOldestDue } from './store.ts';

const BACKLOG = 20_000;
const OWNER = 'the test';
/** One step through an index reads a few blocks. The rows of the backlog are in many hundreds. */
const MOST_BLOCKS = 200;

let t: TestApp;
let flooding: string;
let other: string;
const store = () => new DatabaseRunnerStore(t.services.db, t.registry, REAL);
const slots = () => new Slots(SLOTS, (type) => t.registry.kinds.get(type));

/** Operations that are due, as `startOperation` leaves them. */
async function insertDue(count: number, cell: Partial<Cell> & { account_id: string }, secondsAgo = 60) {
  const { account_id, location = 'fra1', type = 'machine.restart', lane = 'own', server = '' } = cell;
  await sql`
    insert into operations (id, account_id, type, family, status, resource_type, actor, cancellable, deadline_at, queue,
      is_ready, is_due, run_at, run_at_set, lane, location, server)
    select 'op_' || ${account_id}::text || ${type}::text || n, ${account_id}, ${type}, 'workshop', 'queued', 'machine',
      '{"kind":"system","api_key_id":null,"member_id":null,"name":"test"}', true, now() + interval '1 day', 'free', true, true,
      now() - ${secondsAgo} * interval '1 second', now() - ${secondsAgo} * interval '1 second', ${lane}, ${location}, ${server}
    from generate_series(1, ${count}::int) n`.execute(t.services.db);
}

beforeAll(async () => {
  t = await createTestApp({ works: false });
  flooding = (await createAccount(t.services.db)).id;
  other = (await createAccount(t.services.db)).id;
});
beforeEach(() => sql`delete from operations`.execute(t.services.db));
afterAll(() => t.close());

/** The account with the backlog may start nothing. */
function fullSlots(): Slots {
  const full = slots();
  const cell = { account_id: flooding, location: 'fra1', type: 'machine.restart', server: '' };
  while (full.take({ ...cell, lane: 'own' }));
  return full;
}

const countBy = (rows: readonly Cell[], account: string): number =>
  rows.filter(({ account_id }) => account_id === account).length;

describe('with a long backlog of one account', () => {
  beforeEach(async () => {
    await insertDue(BACKLOG, { account_id: flooding });
    await sql`vacuum analyze operations`.execute(t.services.db);
  });

  it('the first claim includes operations that another account started last', async () => {
    await insertDue(3, { account_id: other, type: 'machine.extend' }, 0);
    const claimed = await store().claim(OWNER, slots());
    expect(countBy(claimed, other)).toBe(3);
    expect(countBy(claimed, flooding)).toBeGreaterThan(0);
  });

  it('a claim while the account has no free slots takes operations of others', async () => {
    await insertDue(1, { account_id: other }, 0);
    const next = await store().claim(OWNER, fullSlots());
    expect([countBy(next, other), countBy(next, flooding)]).toEqual([1, 0]);
  });

  it('a cancelled operation of the account does not wait behind it', async () => {
    const id = `op_${flooding}machine.restart${BACKLOG}`;
    await sql`update operations set status = 'running', started_at = now() where id = ${id}`.execute(
      t.services.db,
    );
    await cancelled(t, id);
    const claimed = await store().claim(OWNER, fullSlots());
    expect(claimed.map((operation) => operation.id)).toEqual([id]);
    expect(await operationOf(t, id)).toMatchObject({ lane: 'undo', lease_owner: OWNER });
  });

  it('a claim and the search for the next due time read few pages', async () => {
    const sent: { readonly text: string; readonly values: readonly unknown[] }[] = [];
    const recorded = openDatabase(openPool(t.database.connection), {
      log: ({ query: { sql: text, parameters: values } }) => void sent.push({ text, values }),
    });
    const ours = new DatabaseRunnerStore(recorded, t.registry, REAL);
    expect(await ours.claim(OWNER, fullSlots())).toEqual([]);
    expect(await ours.lookAhead()).toMatchObject({ isDueNow: true });
    await readOldestDue(recorded);
    await recorded.destroy();
    const client = new pg.Client(t.database.connection);
    await client.connect();
    const statements = sent.filter(({ text }) => /^\s*(with|select)\b/.test(text));
    for (const { text, values } of statements) {
      const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, [...values]);
      const { Plan: plan } = rows[0]['QUERY PLAN'][0];
      expect([text, plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] < MOST_BLOCKS]).toEqual([
        text,
        true,
      ]);
    }
    await client.end();
    expect(statements).toHaveLength(4);
  });
});
