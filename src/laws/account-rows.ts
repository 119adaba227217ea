import { sql } from 'kysely';
import type { World } from './world.ts';

export interface Row {
  readonly id: string;
  readonly status: string;
}

export async function rowsIn({ app, account }: World, table: string): Promise<Row[]> {
  const query = sql<Row>`select * from ${sql.table(table)} where account_id = ${account.id} order by id`;
  return (await query.execute(app.services.db)).rows;
}
