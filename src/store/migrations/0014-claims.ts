import { sql } from 'kysely';
import type { Db } from '../database.ts';

/** Resources that a call is changing outside the database. Rows that a crash left over expire. */
export async function up(db: Db): Promise<void> {
  await sql`
    create table claims (
      subject text collate "C" primary key,
      token text collate "C" not null,
      until timestamptz not null
    )`.execute(db);
}
