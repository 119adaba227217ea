/** Counts the rows that PostgreSQL reads for a request, in all tables and indexes, also those that triggers read. */
import pg from 'pg';
import { openPool } from '../store/database.ts';
import type { TestDatabase } from '../testing/database.ts';

export interface RowCounter {
  /** The connections whose statements are counted. */
  readonly pool: pg.Pool;
  /** The rows read by all statements that the pool has sent since the last call, by table. */
  take(): Promise<ReadonlyMap<string, number>>;
  close(): Promise<void>;
}

/**
 * Small tables would be read whole, because that is quicker. So PostgreSQL plans as if each table were large, and reads
 * rows one by one in the order of an index.
 */
const WAYS_OF_MANY = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'];

/** Indexes of some rows only are small: they are of rows that wait for something. */
const GROW = `
  update pg_class c set relpages = 1, reltuples = case when exists (
    select from pg_index where indexrelid = c.oid and indpred is not null) then 10 else 1e6 end
  where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0`;

const KEEP_SIZES = `
  do $$
  declare name text;
  begin
    for name in select relid::regclass from pg_stat_user_tables loop
      execute format('alter table %s set (autovacuum_enabled = false)', name);
    end loop;
  end $$`;

const COUNTS = `
  select relname as name, (coalesce(seq_tup_read, 0) + coalesce((
    select sum(idx_tup_read) from pg_stat_user_indexes i where i.relid = t.relid), 0))::float8 as rows
  from pg_stat_user_tables t`;

export async function openRowCounter({ name, connection }: TestDatabase): Promise<RowCounter> {
  const reader = new pg.Client(connection);
  await reader.connect();
  for (const way of WAYS_OF_MANY) await reader.query(`alter database ${name} set enable_${way} = off`);
  // Removes what earlier transactions left in the indexes: reading it would count.
  await reader.query('vacuum analyze');
  // Otherwise PostgreSQL would measure the tables again by itself, after a minute or so, and plan for small ones.
  await reader.query(KEEP_SIZES);
  await reader.query(GROW);
  const pool = openPool(connection);
  const readCounts = async (): Promise<Map<string, number>> => {
    const { rows } = await reader.query<{ name: string; rows: number }>(COUNTS);
    return new Map(rows.map((row) => [row.name, row.rows]));
  };
  let before = new Map<string, number>();
  return {
    pool,
    async take() {
      await reportAll(pool);
      const counts = await readCounts();
      const read = [...counts].map(([table, rows]) => [table, rows - (before.get(table) ?? 0)] as const);
      before = counts;
      return new Map(read.filter(([, rows]) => rows > 0));
    },
    async close() {
      await reader.end();
    },
  };
}

/** A connection reports its counts only now and then, unless it is told to. */
async function reportAll(pool: pg.Pool): Promise<void> {
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  for (const client of clients) {
    await client.query('select pg_stat_force_next_flush()');
    client.release();
  }
}
