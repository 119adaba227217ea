import { sql } from 'kysely';
import type { Db } from '../database.ts';

/**
 * The lineage of a key: the id of the first key in its chain of replacements. All keys of a chain share it, so that rules
 * about one of them find the others without walking the chain.
 */
export async function up(db: Db): Promise<void> {
  await sql`alter table api_keys add column first_key_id text collate "C"`.execute(db);
  await sql`
    with recursive chain as (
      select k.id, k.id as first_id, k.replaced_by from api_keys k
      where not exists (select from api_keys earlier where earlier.replaced_by = k.id)
      union all
      select k.id, chain.first_id, k.replaced_by from chain join api_keys k on k.id = chain.replaced_by)
    update api_keys k set first_key_id = chain.first_id
    from chain where chain.id = k.id and chain.first_id <> k.id`.execute(db);
  await sql`
    alter table api_keys add column lineage text collate "C" not null
      generated always as (coalesce(first_key_id, id)) stored`.execute(db);
  await sql`create index api_keys_by_lineage on api_keys (lineage)`.execute(db);
}
