/** Finds the places in a query plan that read rows of all accounts. */
import pg from 'pg';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

export interface Planner {
  /** The tables of which the statement reads rows of all accounts. */
  findScans(text: string, values: readonly unknown[]): Promise<string[]>;
  /**
   * Whether the plan that PostgreSQL keeps for any account goes through a whole table or index, if all rows belong to a
   * few accounts: it would pass all rows of a large account to find those of a small one.
   */
  findWalks(texts: readonly string[]): Promise<boolean[]>;
  /**
   * Columns that refer to other tables, but have no index: each deletion there would scan this table. Accounts are
   * left out, because no call deletes one.
   */
  findUnindexed(): Promise<string[]>;
  close(): Promise<void>;
}

interface Selectors {
  /** For each table whose rows belong to accounts: the columns that select rows of one account. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** Indexes of rows that belong to no account. */
  readonly ownerless: ReadonlySet<string>;
}

/**
 * A table belongs to accounts if it has an account_id, or a column that must refer to such a table. One account is
 * selected by the account_id, a column without equal (or overlapping) values, a column that refers to an account or to a table of accounts,
 * and the resource_id, which refers to a resource of any type.
 */
async function readColumns(client: pg.Client): Promise<Selectors['columns']> {
  const { rows } = await client.query<{ table: string; columns: string[] }>(`
    with recursive keys as (
      select c.conrelid as child, c.confrelid as parent, a.attname, a.attnotnull
      from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
      where c.contype = 'f'),
    owned as (
      select attrelid as rel from pg_attribute join pg_class on pg_class.oid = attrelid
      where attname = 'account_id' and relkind = 'r' and relnamespace = 'public'::regnamespace
      union
      select keys.child from keys join owned on owned.rel = keys.parent where keys.attnotnull),
    chosen as (
      select rel, unnest(array['account_id', 'resource_id']) as attname from owned
      union
      select child, attname from keys join owned on owned.rel = keys.child
        where parent in (select rel from owned) or parent = 'accounts'::regclass
      union
      select rel, attname from owned join pg_index on indrelid = rel and (indisunique or indisexclusion) and indnkeyatts = 1
        join pg_attribute on attrelid = rel and attnum = indkey[0])
    select rel::regclass::text as table, array_agg(attname::text) as columns from chosen group by rel`);
  return new Map(rows.map(({ table, columns }) => [table, new Set(columns)]));
}

async function readOwnerless(client: pg.Client): Promise<Selectors['ownerless']> {
  const { rows } = await client.query<{ name: string }>(`
    select indexrelid::regclass::text as name from pg_index
    where pg_get_expr(indpred, indrelid) like '%(account_id IS NULL)%'`);
  return new Set(rows.map(({ name }) => name));
}

/** Whether an index condition compares one of the columns: with a value, or with a range that contains the value. */
const selects = (condition: string, columns: ReadonlySet<string>): boolean =>
  [...condition.matchAll(/\(\(?(\w+)\)?(?:::\w+)? (?:=|>>=) /g)].some(([, column = '']) =>
    columns.has(column),
  );

function isSelected(node: PlanNode, columns: ReadonlySet<string>, ownerless: ReadonlySet<string>): boolean {
  const { 'Node Type': kind, 'Index Name': index = '', 'Index Cond': condition = '', Plans = [] } = node;
  const below = (plan: PlanNode): boolean => isSelected(plan, columns, ownerless);
  // A bitmap scan has its conditions in the nodes below it.
  if (kind === 'BitmapAnd') return Plans.some(below);
  if (kind === 'BitmapOr' || kind === 'Bitmap Heap Scan') return Plans.every(below);
  return ownerless.has(index) || selects(condition, columns);
}

function scansIn(node: PlanNode, selectors: Selectors): string[] {
  const inner = (node.Plans ?? []).flatMap((child) => scansIn(child, selectors));
  const { 'Node Type': kind, 'Relation Name': table = '' } = node;
  const columns = selectors.columns.get(table);
  const isFine =
    columns === undefined || !kind.endsWith('Scan') || isSelected(node, columns, selectors.ownerless);
  return isFine ? inner : [...inner, table];
}

/** Without a condition on its index, a scan reads all rows. A bitmap scan has its conditions in the nodes below it. */
function isWalk(node: PlanNode, selectors: Selectors): boolean {
  const { 'Node Type': kind, 'Relation Name': table = '', 'Index Cond': condition, Plans = [] } = node;
  const isOpen = kind.endsWith('Scan') && kind !== 'Bitmap Heap Scan' && condition === undefined;
  return (isOpen && selectors.columns.has(table)) || Plans.some((child) => isWalk(child, selectors));
}

const PLANNABLE = /^\s*(select|insert|update|delete|with)\b/i;

const GROW = `
  update pg_class set reltuples = 1e6, relpages = 1
  where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0`;

export async function openPlanner(connection: pg.ClientConfig): Promise<Planner> {
  const client = new pg.Client(connection);
  await client.connect();
  for (const way of ['seqscan', 'hashjoin', 'mergejoin']) await client.query(`set enable_${way} = off`);
  const selectors = { columns: await readColumns(client), ownerless: await readOwnerless(client) };
  await client.query(GROW);
  return {
    async findScans(text, values) {
      if (!PLANNABLE.test(text)) return [];
      const { rows } = await client.query(`explain (format json) ${text}`, [...values]);
      return scansIn(rows[0]['QUERY PLAN'][0].Plan, selectors);
    },
    async findWalks(texts) {
      const found: boolean[] = [];
      await client.query('begin');
      await client.query('analyze');
      await client.query(GROW);
      for (const text of texts) {
        const { rows } = await client.query(`explain (format json, generic_plan) ${text}`);
        found.push(isWalk(rows[0]['QUERY PLAN'][0].Plan, selectors));
      }
      await client.query('rollback');
      return found;
    },
    async findUnindexed() {
      const { rows } = await client.query<{ name: string }>(`
        select conrelid::regclass || '.' || attname as name
        from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
        where contype = 'f' and connamespace = 'public'::regnamespace and confrelid <> 'accounts'::regclass
          and not exists (select from pg_index where indrelid = conrelid and indkey[0] = conkey[1])
        order by 1`);
      return rows.map(({ name }) => name);
    },
    close: () => client.end(),
  };
}
