import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * The state of the sandbox engine. It simulates an outside system, so its tables do not reference Hostplane's
 * tables.
 */
const statements = `
create table sandbox_hosts (
  location text collate "C" not null,
  name text collate "C" not null,
  vcpus int not null,
  memory_mb int not null,
  disk_gb int not null,
  used_vcpus int not null default 0 check (used_vcpus >= 0),
  used_memory_mb int not null default 0 check (used_memory_mb >= 0),
  used_disk_gb int not null default 0 check (used_disk_gb >= 0),
  primary key (location, name)
);

create table sandbox_things (
  location text collate "C" not null,
  kind text not null check (kind in ('machine', 'network', 'image')),
  project text collate "C" not null,
  id text collate "C" not null,
  state jsonb not null,
  primary key (location, kind, project, id)
);

create table sandbox_faults (
  id int generated always as identity primary key,
  -- Null in the first three: whatever it is.
  location text,
  call text,
  target text,
  -- So many calls pass before the first one is struck.
  skip int not null default 0 check (skip >= 0),
  -- How many are still to be struck; null: all.
  remaining int check (remaining >= 0),
  effect jsonb not null,
  struck int not null default 0,
  created_at timestamptz not null default now()
);
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
