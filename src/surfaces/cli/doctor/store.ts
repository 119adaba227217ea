import { sql } from 'kysely';
import { readClockSkew } from '../../../store/clock.ts';
import type { Db } from '../../../store/database.ts';

export interface DatabaseFacts {
  /** `server_version_num` of PostgreSQL: 150019 is 15.19. */
  readonly version: number;
  readonly skewMs: number;
}

export async function readDatabaseFacts(db: Db): Promise<DatabaseFacts> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int as version`.execute(db);
  return { version: rows[0]?.version ?? 0, skewMs: await readClockSkew(db) };
}
