import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * What the runner needs to share its slots fairly. `is_due` is set once the time `run_at` has come, so that an index
 * holds only operations that a worker could run now, and the claim jumps in it from group to group.
 */
const statements = `
alter table operations
  add column lane text not null default 'own' check (lane in ('own', 'foreign', 'undo')),
  -- Empty: it works in no location, or in several.
  add column location text collate "C" not null default '',
  -- The foreign server that its foreign steps wait for; empty if it has none.
  add column server text collate "C" not null default '',
  add column is_due bool not null default false;
update operations o set
  lane = case when phase = 'undo' or cancel_requested then 'undo' else 'own' end,
  location = coalesce((select r.location from resources r where r.id = o.resource_id), '')
where finished_at is null;
drop index operations_due;
drop index operations_set;
create index operations_fair on operations (lane, location, type, account_id, server, run_at, id)
  where finished_at is null and is_ready and lease_owner is null and is_due;
create index operations_due on operations (lane, run_at)
  where finished_at is null and is_ready and lease_owner is null and is_due;
create index operations_asleep on operations (run_at)
  where finished_at is null and is_ready and lease_owner is null and not is_due;
create index operations_set on operations (run_at_set)
  where finished_at is null and is_ready and lease_owner is null and not is_due;
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
