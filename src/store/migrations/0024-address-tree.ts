import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * Keeps addresses from overlapping by a radix tree (SP-GiST). In a GiST index, consecutive addresses lie in pages whose
 * ranges overlap, so the check of a new address read more pages the more addresses there were.
 */
export async function up(db: Db): Promise<void> {
  await sql`
    alter table public_addresses drop constraint held_once,
      add constraint held_once exclude using spgist (block inet_ops with &&)`.execute(db);
}
