import { sql } from 'kysely';
import { KEY_LIVES } from '../../kernel/access/store.ts';
import type { Db } from '../../store/database.ts';

export async function readOverrides(db: Db, accountId: string): Promise<Map<string, number | null>> {
  const rows = await db
    .selectFrom('account_limits')
    .select(['limit_id', 'value'])
    .where('account_id', '=', accountId)
    .execute();
  return new Map(rows.map((row) => [row.limit_id, row.value]));
}

interface Count {
  readonly type: string;
  readonly location: string | null;
  readonly count: number;
}

export async function readResourceCounts(db: Db, accountId: string): Promise<Count[]> {
  const { rows } = await sql<Count>`
    select type, location, count(*) as count from resources where account_id = ${accountId}
    group by type, location`.execute(db);
  return rows;
}

/** Usage of the limits that belong to the account family. */
export async function readAccountCounts(db: Db, accountId: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; count: number }>`
    select 'account.api-keys' as id, count(*) as count from api_keys
      where account_id = ${accountId} and ${KEY_LIVES}
    union all
    select 'account.budgets', count(*) from budgets where account_id = ${accountId}
    union all
    select 'account.members', count(*) from members where account_id = ${accountId}
    union all
    select 'account.webhooks', count(*) from webhooks where account_id = ${accountId}
    union all
    select 'account.ip-allowlist-entries', count(*) from ip_allowlist_entries where account_id = ${accountId}`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.id, row.count]));
}
