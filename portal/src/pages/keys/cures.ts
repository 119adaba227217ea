/** Which denials a key with more permissions cures, and which were cured by one. */
import { useQueries, useQuery } from '@tanstack/react-query';
import type { Denial } from '../../data/account-types.ts';
import { grants } from '../../data/permissions.ts';
import { denialsQuery, newestKeyQuery } from '../../data/queries.ts';
import type { Account, ApiKey } from '../../data/types.ts';
import { useNow } from '../../ui/time.tsx';
import { endedWords } from './words.ts';

const DAY = 86_400_000;

/** The permission that the key lacked; undefined if something else was the cause. */
export const lacking = ({ code, denied_by: by, required_permission: permission }: Denial) =>
  code === 'permission_denied' && permission !== null && by?.includes('key') ? permission : undefined;

/** Undefined while it is read; null if it cannot be. */
export type NewestKeys = (denial: Denial) => ApiKey | null | undefined;

/** Of each key that was refused: the key itself, or its last successor. */
export function useNewestKeys(account: Account, denials: readonly Denial[]): NewestKeys {
  const ids = [...new Set(denials.filter((each) => lacking(each) !== undefined).map(({ key }) => key.id))];
  const found = useQueries({ queries: ids.map((id) => newestKeyQuery(account, id)) });
  return ({ key }) => {
    const query = found[ids.indexOf(key.id)];
    return query?.data ?? (query?.isPending ? undefined : null);
  };
}

/** Whether a key that still works may do now what was refused. */
export function isCured(denial: Denial, newest: ApiKey | null | undefined): boolean {
  const permission = lacking(denial);
  if (permission === undefined || !newest || denial.denied_by?.length !== 1) return false;
  return endedWords(newest) === undefined && newest.permissions.some((each) => grants(each, permission));
}

/** What was refused in the last day and is not cured; undefined while it is read. */
export function useOpenDenials(account: Account): readonly Denial[] | undefined {
  const now = useNow();
  const query = useQuery(denialsQuery(account));
  const refused = (query.data?.data ?? []).filter(
    ({ enforced, last_at: at }) => enforced && now - Date.parse(at) < DAY,
  );
  const newest = useNewestKeys(account, refused);
  const isKnown = refused.every((each) => lacking(each) === undefined || newest(each) !== undefined);
  if (!query.isFetched || !isKnown) return undefined;
  return refused.filter((each) => !isCured(each, newest(each)));
}
