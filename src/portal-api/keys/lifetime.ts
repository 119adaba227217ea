/** The lifetimes of keys. The expiry of a key cannot be extended: a new key has to replace it. */
import { type Lifetime, lifetimes } from '../../kernel/access/lifetimes.ts';
import type { FieldError } from '../../kernel/problems/problem.ts';
import type { AccountRow } from '../accounts/store.ts';

const DAY = 24;
const hours: Readonly<Record<Lifetime, number | null>> = {
  '1h': 1,
  '1d': DAY,
  '7d': 7 * DAY,
  '30d': 30 * DAY,
  '90d': 90 * DAY,
  '180d': 180 * DAY,
  '365d': 365 * DAY,
  never: null,
};

export const lifetimeHours = (lifetime: Lifetime): number | null => hours[lifetime];

type Policy = Pick<AccountRow, 'key_max_lifetime_days' | 'key_non_expiring_allowed'>;

function isAllowed(lifetime: Lifetime, policy: Policy): boolean {
  const length = hours[lifetime];
  const longest = policy.key_max_lifetime_days;
  if (length === null) return policy.key_non_expiring_allowed && longest === null;
  return longest === null || length <= longest * DAY;
}

export const allowedLifetimes = (policy: Policy): readonly Lifetime[] =>
  lifetimes.filter((lifetime) => isAllowed(lifetime, policy));

/** 90 days, or the longest lifetime that the account allows if that is shorter. */
export function defaultLifetime(policy: Policy): Lifetime {
  const upTo90 = lifetimes.slice(0, lifetimes.indexOf('90d') + 1);
  return upTo90.findLast((lifetime) => isAllowed(lifetime, policy)) ?? '1h';
}

export function lifetimeFaults(lifetime: Lifetime | undefined, policy: Policy): FieldError[] {
  if (lifetime === undefined || isAllowed(lifetime, policy)) return [];
  const detail =
    lifetime === 'never' && policy.key_max_lifetime_days === null
      ? 'Keys that never expire are not allowed in this account; an owner can allow them in its key policy.'
      : `Keys of this account expire after ${policy.key_max_lifetime_days} days at most.`;
  return [{ pointer: '/expires_in', code: 'out_of_range', detail }];
}
