/** The kept counts of limits, compared with the rows that they count. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Db } from '../../../store/database.ts';
import { createAccount } from '../../../testing/accounts.ts';
import { useTestDatabase } from '../../../testing/database.ts';
import { correctAllCounts, examineCounts } from './examination.ts';
import { foldAllCounts } from './folding.ts';
import { countKept, findCountDifferences, foldCounts } from './store.ts';

const test = useTestDatabase();
let accountId: string;

beforeEach(async () => {
  accountId = (await createAccount(test.db)).id;
});

async function numberIn(db: Db, query: ReturnType<typeof countKept>): Promise<number> {
  const { rows } = await query.execute(db);
  return Number(Object.values(rows[0] as object)[0]);
}

const counted = (db: Db, type: string, location: string | null = null) =>
  numberIn(db, countKept(accountId, [type], location));

const really = (db: Db, type: string, location: string | null = null) =>
  numberIn(
    db,
    sql`select count(*) from resources where account_id = ${accountId} and type = ${type}
      and (${location}::text is null or location = ${location})`,
  );

const differences = () => findCountDifferences(test.db, [accountId]);

const add = (db: Db, type = 'disk', location: string | null = 'fra1') =>
  sql`
    insert into resources (id, account_id, family, type, name, status, location)
    values (${randomUUID()}, ${accountId}, 'flexible-vps', ${type}, 'r', 'available', ${location})`.execute(
    db,
  );

const keptRows = async (): Promise<number> =>
  numberIn(test.db, sql`select count(*) from kept_counts where account_id = ${accountId}`);

type Step = (db: Db) => Promise<unknown>;

const types = ['disk', 'drive'];
const locations = ['fra1', 'ams1'];
const anyType = fc.constantFrom(...types);
const anyLocation = fc.constantFrom(...locations, null);
const some = (place: number) => sql`(
  select id from resources where account_id = ${accountId} order by id offset ${place} limit 1)`;
const place = fc.nat(5);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(anyType, anyLocation).map(
    ([type, location]): Step =>
      (db) =>
        add(db, type, location),
  ),
  place.map(
    (n): Step =>
      (db) =>
        sql`delete from resources where id = ${some(n)}`.execute(db),
  ),
  fc.tuple(place, anyType, anyLocation).map(
    ([n, type, location]): Step =>
      (db) =>
        sql`update resources set type = ${type}, location = ${location}, status = 'busy'
            where id = ${some(n)}`.execute(db),
  ),
  fc.constant<Step>((db) => foldAllCounts(db)),
);

describe('a stored count', () => {
  it('equals the rows after any history, within and after each transaction', async () => {
    const transactions = fc.array(
      fc.record({ steps: fc.array(step, { maxLength: 6 }), fails: fc.boolean() }),
      {
        maxLength: 6,
      },
    );
    await fc.assert(
      fc.asyncProperty(transactions, async (all) => {
        accountId = (await createAccount(test.db)).id;
        for (const { steps, fails } of all) {
          const work = test.db.transaction().execute(async (tx) => {
            for (const run of steps) {
              await run(tx);
              for (const type of types)
                for (const location of [...locations, null])
                  expect(await counted(tx, type, location)).toBe(await really(tx, type, location));
            }
            if (fails) throw new Error('undone');
          });
          await (fails ? expect(work).rejects.toThrow('undone') : work);
          expect(await differences()).toEqual([]);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('includes rows of the own transaction, and of others only after their commit', async () => {
    await test.db.transaction().execute(async (tx) => {
      await add(tx);
      expect([await counted(tx, 'disk'), await counted(test.db, 'disk')]).toEqual([1, 0]);
    });
    expect(await counted(test.db, 'disk')).toBe(1);
  });

  it('stays correct while many transactions add rows and rows are compacted', async () => {
    const adding = Array.from({ length: 60 }, () => add(test.db));
    const folding = Array.from({ length: 8 }, () => foldCounts(test.db, 3));
    const seen: number[] = [];
    for (let n = 0; n < 20; n++) seen.push(await counted(test.db, 'disk'));
    await Promise.all([...adding, ...folding]);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect([await counted(test.db, 'disk'), await differences()]).toEqual([60, []]);
    // Two that compact at once leave a sum each, until there is a new row to compact.
    await add(test.db);
    await foldAllCounts(test.db);
    expect([await counted(test.db, 'disk'), await keptRows(), await differences()]).toEqual([61, 1, []]);
  });

  it('of zero has no row', async () => {
    await add(test.db);
    await foldAllCounts(test.db);
    await sql`delete from resources where account_id = ${accountId}`.execute(test.db);
    await foldAllCounts(test.db);
    expect(await keptRows()).toBe(0);
  });

  it('of a deleted account has no row', async () => {
    await add(test.db);
    await sql`delete from audit_heads where account_id = ${accountId}`.execute(test.db);
    await sql`delete from accounts where id = ${accountId}`.execute(test.db);
    await foldAllCounts(test.db);
    expect(await keptRows()).toBe(0);
  });
});

describe('the count of addresses of machines', () => {
  const what = 'public_address.ipv4_of_machines';

  it('includes a released address until its quarantine ends', async () => {
    const id = randomUUID();
    await sql`
      insert into public_addresses (id, account_id, pool, location, block, kind)
      values (${id}, ${accountId}, 'p', 'fra1', '192.0.2.1/32', 'ephemeral')`.execute(test.db);
    const release = (until: string) =>
      sql`
        update public_addresses set account_id = null, former_account_id = ${accountId},
          quarantined_until = now() + ${until}::interval where id = ${id}`.execute(test.db);
    for (const [until, expected] of [
      ['1 hour', 1],
      ['-1 minute', 0],
      ['1 day', 1],
      ['-1 hour', 0],
    ] as const) {
      await release(until);
      expect([until, await counted(test.db, what), await differences()]).toEqual([until, expected, []]);
      await foldAllCounts(test.db);
      expect([until, await counted(test.db, what), await differences()]).toEqual([until, expected, []]);
    }
  });
});

describe('counts that were changed by hand', () => {
  it('are named by the doctor, and correct after a recount, also while calls run', async () => {
    await add(test.db);
    await add(test.db, 'drive', null);
    await sql`delete from kept_counts where account_id = ${accountId}`.execute(test.db);
    await add(test.db, 'drive');
    const found = await examineCounts(test.db);
    expect(found).toMatchObject({
      name: 'Counts of limits',
      detail: expect.stringMatching(`${accountId} \\(`),
      fix: 'Run: hostplane admin recount',
    });
    const [first, second] = await Promise.all([
      correctAllCounts(test.db),
      correctAllCounts(test.db),
      ...Array.from({ length: 10 }, () => add(test.db)),
      ...Array.from({ length: 3 }, () => foldAllCounts(test.db)),
    ]);
    expect([...first, ...second]).toEqual([accountId]);
    expect([await counted(test.db, 'disk'), await counted(test.db, 'drive')]).toEqual([11, 2]);
    expect(await examineCounts(test.db)).toEqual({
      name: 'Counts of limits',
      detail: 'the same as the rows that they count',
    });
    expect(await correctAllCounts(test.db)).toEqual([]);
  });
});
