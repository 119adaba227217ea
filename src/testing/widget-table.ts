import { type Generated, sql } from 'kysely';
import type { Db } from '../store/database.ts';
import { createMachinesTables } from './machines.ts';

interface WidgetsTable {
  id: string;
  account_id: string;
  name: string;
  size: number;
  labels: Generated<Record<string, string>>;
  version: Generated<number>;
  created_at: Generated<Date>;
}

declare module '../store/database.ts' {
  interface Tables {
    widgets: WidgetsTable;
  }
}

export async function createWidgetsTable(db: Db): Promise<void> {
  await sql`
    create table widgets (
      id text collate "C" primary key, account_id text collate "C" not null, name text not null, size int not null,
      labels jsonb not null default '{}', version int not null default 1, created_at timestamptz not null default now(),
      unique (account_id, name))`.execute(db);
  await createMachinesTables(db);
}
