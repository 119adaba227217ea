/** Compares the status of each resource in the inventory with the status in its own table. */
import { type RawBuilder, sql } from 'kysely';
import type { TSchema } from '../kernel/schema.ts';
import type { TestApp } from '../testing/app.ts';

interface Difference {
  readonly type: string;
  readonly id: string;
  readonly listed: string;
  readonly own: string | null;
}

/** The types in the inventory whose read endpoint answers a status. */
function typesWithStatus({ registry }: TestApp): string[] {
  const hasStatus = (schema: TSchema | null | undefined): boolean =>
    Object.hasOwn((schema as { properties?: object } | null | undefined)?.properties ?? {}, 'status');
  return [...registry.resourceTypes.keys()].filter((type) =>
    registry.endpoints.some(
      ({ resource, answers }) =>
        resource.name === type && resource.role === 'read' && hasStatus(answers[200]),
    ),
  );
}

let tables: Promise<string[]> | undefined;

async function readTables({ services: { db } }: TestApp): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name in ('id', 'account_id', 'status') and table_name <> 'resources'
    group by table_name having count(*) = 3`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Lists the resources of these accounts whose status in the inventory is not their own, or that have no row of their own.
 * Without accounts it looks at all, which takes longer with each case of a law.
 */
export async function inventoryDifferences(app: TestApp, accountIds?: readonly string[]): Promise<string[]> {
  tables ??= readTables(app);
  const isOfThem = (account: RawBuilder<unknown>) =>
    accountIds === undefined ? sql`true` : sql`${account} = any(${accountIds}::text[])`;
  const own = (await tables).map(
    (table) =>
      sql`select id, status::text as status from ${sql.table(table)} where ${isOfThem(sql.ref('account_id'))}`,
  );
  const { rows } = await sql<Difference>`
    select r.type, r.id, r.status as listed, own.status as own
    from resources r left join (${sql.join(own, sql` union all `)}) own on own.id = r.id
    where r.type = any(${typesWithStatus(app)}::text[]) and own.status is distinct from r.status
      and ${isOfThem(sql.ref('r.account_id'))}
    order by r.id`.execute(app.services.db);
  return rows.map(
    ({ type, id, listed, own }) => `${type} ${id} is ${own ?? 'gone'}, but the inventory says ${listed}`,
  );
}
