/** What the role may do in the database, and whether its tables are as the migrations make them. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Tx } from './database.ts';
import { buildSchema } from './migrations/migrate.ts';

export interface Rights {
  readonly role: string;
  /** Null if no schema of the search path exists, or if the role may use none of them. */
  readonly schema: string | null;
  /** What the role lacks, such as `insert on accounts`. */
  readonly missing: readonly string[];
  /** Whether the role may create tables in `schema`, as migrations do. */
  readonly mayCreate: boolean;
  /** How many tables belong to other roles, so that this one cannot migrate them. */
  readonly foreign: number;
}

export async function readRights(db: Db): Promise<Rights> {
  const { rows } = await sql<Rights>`
    with tables as (
      select c.oid, c.relname, c.relkind, c.relowner from pg_class c
      where c.relnamespace = to_regnamespace(current_schema()::text) and c.relkind in ('r', 'p', 'S')),
    lacking as (
      select privilege || ' on ' || relname as missing
      from tables, unnest(array['select', 'insert', 'update', 'delete']) as privilege
      where case when relkind <> 'S' then not has_table_privilege(oid, privilege) end
      union all
      select 'usage on ' || relname from tables
      where case when relkind = 'S' then not has_sequence_privilege(oid, 'usage') end)
    select current_user::text as role, current_schema()::text as schema,
      coalesce(has_schema_privilege(current_schema()::text, 'create'), false) as "mayCreate",
      (select coalesce(json_agg(missing order by missing), '[]') from lacking) as missing,
      (select count(*) from tables where not pg_has_role(relowner, 'usage')) as foreign`.execute(db);
  return rows[0] as Rights;
}

/**
 * Columns, indexes, checks, foreign keys, functions and triggers of a schema, each as one line of text. Of a function,
 * the line has a hash of its text.
 */
async function describeSchema(db: Db, schema: string): Promise<string[]> {
  const { rows } = await sql<{ part: string }>`
    select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || case when a.attnotnull then ' not null' else '' end as part
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = to_regnamespace(${schema}) and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
    union all
    select replace(indexdef, ' ON ' || schemaname || '.', ' ON ') from pg_indexes where schemaname = ${schema}
    union all
    select 'constraint ' || o.conname || ' of ' || c.relname || ' ' || pg_get_constraintdef(o.oid)
    from pg_constraint o join pg_class c on c.oid = o.conrelid
    where o.connamespace = to_regnamespace(${schema}) and o.contype in ('c', 'f')
    union all
    select 'function ' || proname || ' ' || md5(prosrc) from pg_proc where pronamespace = to_regnamespace(${schema})
    union all
    select 'trigger ' || t.tgname || ' on ' || c.relname || case when t.tgenabled = 'O' then '' else ' disabled' end
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = to_regnamespace(${schema}) and not t.tgisinternal`.execute(db);
  return rows.map(({ part }) => part);
}

class Undone extends Error {}

/**
 * Returns the parts of the schema that are missing or different. Runs the migrations in an empty schema to see what they
 * make, and rolls it back.
 */
export async function findSchemaFaults(db: Db, schema: string): Promise<string[]> {
  const scratch = `hostplane_doctor_${randomBytes(6).toString('hex')}`;
  let expected: string[] = [];
  const build = async (tx: Tx): Promise<never> => {
    await sql`create schema ${sql.id(scratch)}`.execute(tx);
    await sql`select set_config('search_path', ${scratch}, true)`.execute(tx);
    await buildSchema(tx);
    expected = await describeSchema(tx, scratch);
    throw new Undone();
  };
  await db
    .transaction()
    .execute(build)
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
  const actual = new Set(await describeSchema(db, schema));
  return expected.filter((part) => !actual.has(part));
}
