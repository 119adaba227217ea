import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { operationOfQuery } from '../data/account-queries.ts';
import { type Followed, unfollow, useFollowed } from '../data/followed.ts';
import { titleOf } from '../pages/operations/words.ts';
import { toast } from '../ui/toast.tsx';

/** In milliseconds. Events say it sooner, where the person may read them. */
const BETWEEN = 5000;

/** Says that work failed which the person began on another page. */
export const FollowedWork = () => useFollowed().map((each) => <One key={each.id} {...each} />);

function One({ account, id }: Followed) {
  const { data, isError } = useQuery({ ...operationOfQuery(account, id), refetchInterval: BETWEEN });
  useEffect(() => {
    if (isError) unfollow(id);
    if (!data?.finished_at) return;
    unfollow(id);
    // Of work in several parts it says how many failed.
    const what = data.children === null ? 'failed' : `failed: ${data.error?.detail}`;
    if (data.status === 'failed')
      toast(`${titleOf(data)} ${what}`, { to: `/operations/${id}`, label: 'See why, and what to do' });
  }, [data, isError, id]);
  return null;
}
