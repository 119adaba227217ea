import { type RawBuilder, sql } from 'kysely';
import { KEY_LIVES } from '../../../kernel/access/store.ts';

const countKeys = (accountId: string): RawBuilder<number> =>
  sql`select count(*) from api_keys where account_id = ${accountId} and ${KEY_LIVES}`;

const countRows =
  (table: 'budgets' | 'members' | 'webhooks' | 'ip_allowlist_entries') =>
  (accountId: string): RawBuilder<number> =>
    sql`select count(*) from ${sql.table(table)} where account_id = ${accountId}`;

/** The limits of this family, whose resources are not in the inventory. */
export const accountLimitCounts = {
  'account.api-keys': countKeys,
  'account.budgets': countRows('budgets'),
  'account.members': countRows('members'),
  'account.webhooks': countRows('webhooks'),
  'account.ip-allowlist-entries': countRows('ip_allowlist_entries'),
};
