import { sql } from 'kysely';
import type { OwnedTable } from '../resources/owned/table.ts';
import type { Db } from '../store/database.ts';
import { createMachinesTables } from './machines.ts';
import { createNoticesTable } from './notices.ts';
import { createOpeningHoursTable } from './opening-hours.ts';
import { createOrdersTables } from './orders.ts';

interface WidgetsTable extends OwnedTable {
  size: number;
}

declare module '../store/database.ts' {
  interface Tables {
    widgets: WidgetsTable;
  }
}

export async function createWidgetsTable(db: Db): Promise<void> {
  await sql`
    create table widgets (
      id text collate "C" primary key, account_id text collate "C" not null, name text collate "C" not null,
      size int not null, labels jsonb not null default '{}', version int not null default 1, created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(), unique (account_id, name))`.execute(db);
  await sql`create index widgets_page on widgets (account_id, id)`.execute(db);
  await sql`create index widgets_by_name on widgets (account_id, name, id)`.execute(db);
  await createMachinesTables(db);
  await createOrdersTables(db);
  await createNoticesTable(db);
  await createOpeningHoursTable(db);
}
