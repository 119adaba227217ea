/**
 * Limits how many keys, members, budgets and allowlist entries an account may have: the account's own limit, else that of
 * the provider's file, else a default.
 */
import { Problem } from '../kernel/problems/problem.ts';
import type { Catalogue } from '../provider/catalogue.ts';
import type { Tx } from '../store/database.ts';
import { findLimit } from './accounts/store.ts';

const defaults = {
  'account.api-keys': 100,
  'account.api-keys-per-member': 25,
  'account.budgets': 20,
  'account.members': 100,
  'account.ip-allowlist-entries': 1000,
} as const;

export type PortalLimit = keyof typeof defaults;
export type Limits = Pick<Catalogue, 'limits'>;

/** Throws `quota_exceeded` if `used` plus `requested` (default 1) exceeds the limit. */
export async function requireRoom(
  tx: Tx,
  accountId: string,
  id: PortalLimit,
  use: { readonly used: number; readonly requested?: number },
  catalogue: Limits,
): Promise<void> {
  const own = await findLimit(tx, accountId, id);
  const general = catalogue.limits.find((entry) => entry.id === id);
  const limit = own !== undefined ? own.value : general !== undefined ? general.limit : defaults[id];
  const { used, requested = 1 } = use;
  if (limit === null || used + requested <= limit) return;
  throw new Problem('quota_exceeded', {
    detail: `The limit ${id} is ${limit}, and ${used} are used.`,
    extra: { limit_id: id, limit, used, requested },
  });
}
