import { sql } from 'kysely';
import type { Db } from '../database.ts';

const statements = `
-- The resource whose price the operation changes, and its price a month once the operation has ended. Rows that an
-- earlier version wrote have neither: they count with what they add.
alter table pending_costs
  add column resource_id text collate "C",
  add column monthly_after_micros bigint;
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
