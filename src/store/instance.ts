import type { Generated } from 'kysely';
import type { Db } from './database.ts';

interface InstanceTable {
  only_row: Generated<boolean>;
  cursor_secret: Buffer;
  created_at: Generated<Date>;
}

declare module './database.ts' {
  interface Tables {
    instance: InstanceTable;
  }
}

/** What all processes on one database share and no provider has to set. */
export async function readInstance(db: Db): Promise<{ cursor_secret: Buffer; created_at: Date }> {
  return db.selectFrom('instance').select(['cursor_secret', 'created_at']).executeTakeFirstOrThrow();
}
