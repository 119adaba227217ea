import { sql } from 'kysely';
import type { Db } from '../database.ts';

const statements = `
-- Existing budgets get the default too, so that the same declaration means the same whenever it was made.
alter table budgets add column blocks text not null default 'forecast' check (blocks in ('spent', 'forecast'));

-- What an accepted call is going to cost a month. It counts until its operation has ended; then the meter has it.
create table pending_costs (
  operation_id text collate "C" not null references operations on delete cascade,
  line int not null,
  family text not null,
  labels jsonb not null,
  monthly_micros bigint not null,
  primary key (operation_id, line)
);
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
