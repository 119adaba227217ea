/**
 * The claim as it was before slots were shared: the operations that are due longest, whoever started them. The bench
 * compares the present claim with it.
 */
import { sql } from 'kysely';
import { writeEvents } from '../../src/kernel/events/write-events.ts';
import { startedEvent } from '../../src/kernel/operations/operations.ts';
import type { Registry } from '../../src/kernel/registry.ts';
import type { Slots } from '../../src/operations/claims/slots.ts';
import { REAL } from '../../src/operations/environment.ts';
import { type Claimed, LEASE_SECONDS, type Outlook } from '../../src/operations/runner-store.ts';
import { DatabaseRunnerStore } from '../../src/operations/store.ts';
import type { Db } from '../../src/store/database.ts';
import { transact } from '../../src/store/transaction.ts';

export class FirstComeStore extends DatabaseRunnerStore {
  readonly #db: Db;
  readonly #registry: Registry;
  readonly #types: readonly string[];

  constructor(db: Db, registry: Registry) {
    super(db, registry, REAL);
    this.#db = db;
    this.#registry = registry;
    this.#types = [...registry.kinds.keys()];
  }

  override claim(owner: string, slots: Slots): Promise<Claimed[]> {
    const limit = slots.freeIn('own');
    const at = sql`now()`;
    const lease = sql`${LEASE_SECONDS} * interval '1 second'`;
    const claimable = sql`finished_at is null and is_ready and type = any(${this.#types}::text[])`;
    return transact(this.#db, async (tx) => {
      const { rows } = await sql<Claimed & { was_queued: boolean }>`
        with left_behind as (
          select id, status from operations
          where ${claimable} and lease_owner is not null and (lease_until <= ${at} or lease_until > ${at} + 2 * ${lease})
          order by lease_until, id limit ${limit} for update skip locked),
        waiting as (
          select id, status from operations
          where ${claimable} and lease_owner is null and run_at <= ${at}
          order by run_at, id limit ${limit} for update skip locked),
        put_back as (
          select id, status from operations
          where ${claimable} and lease_owner is null and run_at > ${at} and run_at_set > ${at}
          order by run_at_set, id limit ${limit} for update skip locked),
        due as (
          select id, status = 'queued' as was_queued from (
            select * from left_behind union all select * from waiting union all select * from put_back) found
          limit ${limit}),
        places as (
          update operation_subjects set is_running = true from due where operation_id = due.id and was_queued)
        update operations o set attempt = attempt + 1, lease_owner = ${owner}, lease_until = ${at} + ${lease},
          status = case when was_queued then 'running' else status end,
          cancellable = case when was_queued then cancellable_running else cancellable end,
          started_at = coalesce(started_at, ${at}), waiting_for = null, updated_at = ${at}
        from due where o.id = due.id
        returning o.*, due.was_queued, ${at} as read_at`.execute(tx);
      const groups = new Map<string, Claimed[]>();
      for (const operation of rows.filter((row) => row.was_queued)) {
        const key = `${operation.account_id} ${JSON.stringify(operation.actor)}`;
        groups.set(key, [...(groups.get(key) ?? []), operation]);
      }
      for (const [, group] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
        const [{ account_id: accountId, actor }] = group as [Claimed, ...Claimed[]];
        await writeEvents(tx, this.#registry, { accountId, actor }, group.map(startedEvent));
      }
      return rows;
    });
  }

  override async lookAhead(): Promise<Outlook> {
    const { rows } = await sql<{ ms: number | null }>`
      select (extract(epoch from least(
        (select min(run_at) from operations
         where finished_at is null and is_ready and lease_owner is null and type = any(${this.#types}::text[])),
        (select min(lease_until) from operations
         where lease_owner is not null and type = any(${this.#types}::text[]))) - now()) * 1000)::float8 as ms`.execute(
      this.#db,
    );
    return { ms: rows[0]?.ms ?? null, isDueNow: false };
  }
}

const ready = 'finished_at is null and is_ready and lease_owner is null';
const before = [
  `create index bench_due on operations (run_at) where ${ready}`,
  `create index bench_set on operations (run_at_set) where ${ready}`,
];
const now = ['operations_fair', 'operations_due', 'operations_asleep', 'operations_set'];

/**
 * Gives the table of operations the indexes that it had before, and returns a function that restores the present ones:
 * each claim is measured with the indexes that it needs, and pays for them.
 */
export async function useFormerIndexes(db: Db): Promise<() => Promise<void>> {
  const { rows } = await sql<{ definition: string }>`
    select indexdef as definition from pg_indexes where indexname = any(${now}::text[])`.execute(db);
  for (const name of now) await sql`drop index ${sql.id(name)}`.execute(db);
  for (const text of before) await sql.raw(text).execute(db);
  return async () => {
    await sql`drop index bench_due, bench_set`.execute(db);
    for (const { definition } of rows) await sql.raw(definition).execute(db);
  };
}
