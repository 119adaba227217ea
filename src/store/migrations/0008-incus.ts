import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * State that an Incus or LXD server does not keep: which machine is on which host, how much of each metric
 * machines used so far, and their console output. An entry is written before its machine is created, so no
 * table references Hostplane's tables.
 */
const statements = `
create table incus_machines (
  location text collate "C" not null,
  account_id text collate "C" not null,
  machine_id text collate "C" not null,
  host text collate "C" not null,
  vcpus int not null check (vcpus >= 0),
  memory_mb int not null check (memory_mb >= 0),
  disk_gb int not null check (disk_gb >= 0),
  primary key (location, account_id, machine_id)
);

create table incus_samples (
  location text collate "C" not null,
  account_id text collate "C" not null,
  machine_id text collate "C" not null,
  at timestamptz not null,
  -- Counted from its start; null where the engine does not tell.
  cpu_seconds double precision,
  vcpus int,
  memory_used bigint,
  memory_total bigint,
  disk_read_bytes bigint,
  disk_written_bytes bigint,
  disk_reads bigint,
  disk_writes bigint,
  disk_used bigint,
  disk_total bigint,
  network_in_bytes bigint,
  network_out_bytes bigint,
  primary key (location, machine_id, at)
);
-- Old ones are found by it.
create index incus_samples_at on incus_samples (location, at);

-- What a machine was heard to print on its serial line.
create table incus_console_logs (
  location text collate "C" not null,
  account_id text collate "C" not null,
  machine_id text collate "C" not null,
  printed bytea not null,
  primary key (location, account_id, machine_id)
);
`;

export async function up(db: Db): Promise<void> {
  await sql.raw(statements).execute(db);
}
