import { sql } from 'kysely';
import type { RowOf } from '../../../resources/owned/table.ts';
import type { Db } from '../../../store/database.ts';

export type SnapshotTable = 'vm_snapshots' | 'volume_snapshots';

/** The queries of the snapshots of one kind of disk. `column` has the id of the machine or the volume. */
export function snapshotsIn<T extends SnapshotTable>(table: T, column: string) {
  const from = sql`${sql.table(table)}`;
  const read = async (rows: ReturnType<typeof sql<RowOf<T>>>, db: Db): Promise<RowOf<T>[]> =>
    (await rows.execute(db)).rows;
  return {
    byIds: (db: Db, ids: readonly string[]) =>
      read(sql`select * from ${from} where id = any(${[...ids]}::text[])`, db),
    /** Oldest first, which is the order of the engine. */
    of: (db: Db, accountId: string, diskId: string) =>
      read(
        sql`select * from ${from} where ${sql.ref(column)} = ${diskId} and account_id = ${accountId}
          order by created_at, id`,
        db,
      ),
    /** The caller must already hold the lock on the machine or volume. Oldest first. */
    lockOf: (db: Db, accountId: string, diskId: string) =>
      read(
        sql`select * from ${from} where ${sql.ref(column)} = ${diskId} and account_id = ${accountId}
          order by created_at, id for update`,
        db,
      ),
    /**
     * Those that have expired, or whose creation failed more than 24 hours ago. Lost ones (failed, but with a consistency)
     * are left to their owner, because the engine may have them again.
     */
    due: (db: Db, limit: number) =>
      read(
        sql`select * from ${from}
          where status in ('available', 'failed') and (expires_at <= now() or (status = 'failed'
            and consistency is null and failed_at <= now() - interval '24 hours'))
          order by coalesce(failed_at, expires_at) limit ${limit}`,
        db,
      ),
  };
}
