import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { operationOfQuery } from '../data/account-queries.ts';
import { type Followed, unfollow, useFollowed } from '../data/followed.ts';
import { failureOf } from '../pages/operations/words.ts';
import { toast } from '../ui/toast.tsx';

/**
 * In milliseconds, for one operation. Many share it, because each question counts against the person's rate limit. Events
 * say it sooner, where the person may read them.
 */
const BETWEEN = 5000;

/** Says that work failed which the person began on another page. */
export function FollowedWork() {
  const all = useFollowed();
  return all.map((each) => <One key={each.id} {...each} between={BETWEEN * all.length} />);
}

function One({ account, id, between }: Followed & { between: number }) {
  const { data, isError } = useQuery({ ...operationOfQuery(account, id), refetchInterval: between });
  useEffect(() => {
    if (isError) unfollow(id);
    if (!data?.finished_at) return;
    unfollow(id);
    if (data.status === 'failed')
      toast(failureOf(data), { to: `/operations/${id}`, label: 'See why, and what to do' });
  }, [data, isError, id]);
  return null;
}
