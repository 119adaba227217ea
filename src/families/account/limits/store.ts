import { type RawBuilder, sql } from 'kysely';
import { KEY_LIVES } from '../../../kernel/access/store.ts';
import type { LimitCount } from '../../../resources/limits/limit-rows.ts';

const countKeys = (accountId: string): RawBuilder<unknown> =>
  sql`select count(*) from api_keys where account_id = ${accountId} and ${KEY_LIVES}`;

const countRows =
  (table: 'budgets' | 'members' | 'webhooks' | 'ip_allowlist_entries') =>
  (accountId: string): RawBuilder<unknown> =>
    sql`select count(*) from ${sql.table(table)} where account_id = ${accountId}`;

/** The limits of this family, whose resources are not in the inventory. */
export const accountLimitCounts: readonly LimitCount[] = [
  { limits: ['account.api-keys'], query: countKeys },
  { limits: ['account.budgets'], query: countRows('budgets') },
  { limits: ['account.members'], query: countRows('members') },
  { limits: ['account.webhooks'], query: countRows('webhooks') },
  { limits: ['account.ip-allowlist-entries'], query: countRows('ip_allowlist_entries') },
];
