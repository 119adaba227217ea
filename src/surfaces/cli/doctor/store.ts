import { sql } from 'kysely';
import type { Db } from '../../../store/database.ts';

export interface DatabaseFacts {
  /** `server_version_num` of PostgreSQL: 150019 is 15.19. */
  readonly version: number;
  readonly skewMs: number;
}

/** Compares the database clock with the middle of the round trip, which is the best estimate of the same moment. */
export async function readDatabaseFacts(db: Db): Promise<DatabaseFacts> {
  const version = await sql<{ version: number }>`
    select current_setting('server_version_num')::int as version`.execute(db);
  const before = Date.now();
  const clock = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const after = Date.now();
  const now = clock.rows[0]?.now.getTime() ?? after;
  return { version: version.rows[0]?.version ?? 0, skewMs: now - (before + after) / 2 };
}
