import { grants } from '../../data/permissions.ts';
import { isAdmin } from '../../data/session.ts';
import type { Account, ApiKey, KeyOptions } from '../../data/types.ts';
import { count } from '../../data/words.ts';
import type { Tone } from '../../ui/tone.ts';

export const lifetimeWords: Readonly<Record<string, string>> = {
  '1h': '1 hour',
  '1d': '1 day',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  '180d': '180 days',
  '365d': '1 year',
  never: 'Never',
};

export const approvalWords: Readonly<Record<string, readonly [string, string]>> = {
  off: ['No approval', 'The key does at once whatever its permissions allow.'],
  destructive: [
    'Ask before destructive calls',
    'Calls that delete, overwrite, lose something for good or loosen a protection wait for a person, for up to 24 hours.',
  ],
  writes: [
    'Ask before every change',
    'Every call that changes something waits for a person, for up to 24 hours.',
  ],
};

export const statusTone = (status: string): Tone =>
  status === 'active' ? 'good' : status === 'suspended' ? 'warn' : status === 'expired' ? 'warn' : 'plain';

const DAY = 86_400_000;
const WARN_DAYS = 14;

/** A key without a successor that ends soon: less than a quarter of its life is left, and at most 14 days. */
export function isEnding(key: ApiKey, now: number): boolean {
  if (key.expires_at === null || key.status !== 'active' || key.replaced_by !== null) return false;
  const left = Date.parse(key.expires_at) - now;
  const life = Date.parse(key.expires_at) - Date.parse(key.created_at);
  return left > 0 && left < Math.min(WARN_DAYS * DAY, life / 4);
}

export function permissionWords(key: ApiKey, options: KeyOptions | undefined): string {
  const preset = options?.presets.find(({ id }) => id === key.preset);
  return preset?.title ?? (key.preset === null ? 'Chosen by hand' : key.preset);
}

/** What a key may do that is made in place of this one. */
export function sameWords({ permissions }: ApiKey): string {
  if (permissions.includes('*:*:*')) return 'Everything, like the old key.';
  return permissions.length === 1
    ? 'The one permission that the old key has.'
    : `All ${permissions.length} permissions that the old key has.`;
}

export const grantWords = ({ permissions, approval }: ApiKey): string => {
  const what = permissions.includes('*:*:*') ? 'everything' : count(permissions.length, 'permission');
  const asks = { off: '', destructive: ', asks before destructive', writes: ', asks before every change' }[
    approval
  ];
  return what + asks;
};

/** Presets of products that are not offered yet would make keys that can do nothing. */
export function usablePresets({ presets, families }: KeyOptions): KeyOptions['presets'] {
  const known = families.flatMap(({ resources }) =>
    resources.flatMap(({ permissions }) => permissions.map(({ pattern }) => pattern)),
  );
  return presets.filter(({ permissions }) =>
    permissions.some((pattern) => known.some((permission) => grants(pattern, permission))),
  );
}

export const endedWords = ({ status }: ApiKey): string | undefined =>
  status === 'revoked' || status === 'expired' ? `It is ${status}.` : undefined;

/** Why the person cannot change the key, or why nobody can. */
export function whyNotChanged(key: ApiKey, account: Account): string | undefined {
  const isMine = key.owner.member_id === account.member_id;
  return (
    endedWords(key) ?? (isMine || isAdmin(account) ? undefined : 'Only its owner and admins may do this.')
  );
}

/** Whoever rolls a key sees the new secret. */
export function whyNotRolled(key: ApiKey, account: Account): string | undefined {
  if (key.replaced_by !== null) return 'It was rolled already.';
  if (key.status === 'revoked' || key.status === 'suspended') return `It is ${key.status}.`;
  if (key.owner.member_id === account.member_id) return undefined;
  const owner = `Only its owner, ${key.owner.name}, may: whoever rolls a key sees the new secret.`;
  return isAdmin(account) ? `${owner} Transfer it to yourself first, or revoke it.` : owner;
}

/** Those of the role that the person may not give, although the key is to have them. */
export const isBeyondRole = (permission: string, { families }: KeyOptions): boolean =>
  families.some(({ resources }) =>
    resources.some(({ permissions }) =>
      permissions.some(({ pattern, allowed = true }) => pattern === permission && !allowed),
    ),
  );

/** For forms that name a key. */
export const NAME_TAKEN = { name_taken: ['name', 'Another key of this account has this name.'] } as const;
