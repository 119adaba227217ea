import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** The images that operations make of backups, from before they are made until they are removed. */
export async function up(db: Db): Promise<void> {
  await sql`
    create table passing_images (
      operation_id text collate "C" primary key,
      account_id text collate "C" not null references accounts on delete cascade,
      location text not null
    )`.execute(db);
}
