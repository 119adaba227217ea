/** Checks the invariants that the tables must satisfy after all operations have ended, even after crashes. */
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Registry } from '../kernel/registry.ts';
import type { Db } from '../store/database.ts';

const LOOK_EVERY_MS = 50;

interface Unfinished {
  id: string;
  type: string;
  status: string;
  step: string;
}

const unfinished = async (db: Db): Promise<Unfinished[]> =>
  db
    .selectFrom('operations')
    .select(['id', 'type', 'status', 'step', 'is_ready', 'run_at', 'lease_until', 'waiting_for', 'attempt'])
    .where('finished_at', 'is', null)
    .execute();

/** Waits until all operations have ended and fails with the unfinished ones at the timeout. Retries failed queries. */
export async function allEnded(db: Db, patienceMs = 60_000): Promise<void> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const left = await unfinished(db).catch(() => null);
    if (left?.length === 0) return;
    if (Date.now() > until) expect(left).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

const column = async (db: Db, query: ReturnType<typeof sql<{ value: string }>>): Promise<string[]> =>
  (await query.execute(db)).rows.map(({ value }) => value);

/** Each step of a succeeded operation took effect exactly once, and each operation emitted exactly one end event. */
export async function expectWhole(db: Db, registry: Registry): Promise<void> {
  const doubled = sql<{ value: string }>`
    select operation_id || ' ' || step as value from machine_effects group by 1 having count(*) > 1`;
  expect(await column(db, doubled), 'effects that happened twice').toEqual([]);

  const operations = await db.selectFrom('operations').select(['id', 'type', 'status']).execute();
  const effects = await db.selectFrom('machine_effects').selectAll().execute();
  const had = new Set(effects.map(({ operation_id, step }) => `${operation_id} ${step}`));
  const incomplete = operations.filter(({ id, type, status }) => {
    const steps = registry.kinds.get(type)?.steps ?? [];
    return status === 'succeeded' && !steps.every(({ name }) => had.has(`${id} ${name}`));
  });
  expect(incomplete, 'succeeded without all of their effects').toEqual([]);

  const told = sql<{ value: string }>`
    select o.id || ' ' || count(e.id) as value from operations o
    left join events e on e.operation_id = o.id and e.type = 'operation.' || o.status
    group by o.id having count(e.id) <> 1`;
  expect(await column(db, told), 'ends that were not told exactly once').toEqual([]);

  const begun = sql<{ value: string }>`
    select o.id as value from operations o
    left join events e on e.operation_id = o.id and e.type = 'operation.started'
    group by o.id having count(e.id) <> (case when o.started_at is null then 0 else 1 end)`;
  expect(await column(db, begun), 'beginnings that were not told exactly once').toEqual([]);

  const gaps = sql<{ value: string }>`
    select account_id as value from events group by account_id
    having count(*) <> max(sequence) or min(sequence) <> 1`;
  expect(await column(db, gaps), 'accounts with a gap in their events').toEqual([]);

  const held = sql<{ value: string }>`
    select operation_id as value from operation_subjects
    union all select id from operations where lease_owner is not null or lease_until is not null`;
  expect(await column(db, held), 'places and leases of what has ended').toEqual([]);
}
