import { useQuery } from '@tanstack/react-query';
import {
  activeKeysQuery,
  budgetsQuery,
  failedOperationsQuery,
  newestResourcesQuery,
  recentOperationsQuery,
  runningQuery,
  usageQuery,
  webhooksQuery,
} from '../../data/account-queries.ts';
import { approvalsQuery, securityQuery } from '../../data/queries.ts';
import { maySee, useAccount, useMe } from '../../data/session.ts';
import type { Account } from '../../data/types.ts';
import { Notice } from '../../ui/notice.tsx';
import { PageHead, Skeleton } from '../../ui/states.tsx';
import { useOpenDenials } from '../keys/cures.ts';
import { Around } from './around.tsx';
import { CostSoFar } from './cost.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NeedsYou } from './needs-you.tsx';
import { NewestResources } from './newest-resources.tsx';
import { Work } from './work.tsx';

export default function Home() {
  const account = useAccount();
  const me = useMe();
  const hour = new Date().getHours();
  const greeting = hour < 5 || hour >= 18 ? 'Good evening' : hour < 12 ? 'Good morning' : 'Good afternoon';
  return (
    <>
      <PageHead title={`${greeting}, ${me?.person.name.split(' ')[0] ?? ''}`}>
        {account.name}, where you are{' '}
        {account.role === 'owner' || account.role === 'admin' || account.role === 'operator' ? 'an' : 'a'}{' '}
        {account.role === 'billing' ? 'billing contact' : account.role}.
      </PageHead>
      {maySee(account) ? (
        <Overview account={account} />
      ) : (
        <>
          <CostSoFar account={account} />
          <Around />
        </>
      )}
    </>
  );
}

const standings: Readonly<Record<string, string>> = {
  restricted: 'The account is restricted: calls that raise its cost are refused. Ask your provider why.',
  suspended: 'The account is suspended: it can be read and cleared, nothing else. Ask your provider why.',
  closing: 'The account is being closed: it can be read and cleared. Your provider can open it again.',
};

/** All parts appear together, so that none pushes another one down. */
function Overview({ account }: { account: Account }) {
  const needed = [
    useQuery(approvalsQuery(account)),
    useQuery(activeKeysQuery(account)),
    useQuery(securityQuery),
    useQuery(budgetsQuery(account)),
    useQuery(webhooksQuery(account)),
    useQuery(failedOperationsQuery(account)),
    useQuery(runningQuery(account)),
    useQuery(recentOperationsQuery(account)),
    useQuery(newestResourcesQuery(account)),
    useQuery(usageQuery(account, { group_by: 'family' })),
  ];
  const denials = useOpenDenials(account);
  if (denials === undefined || needed.some(({ isFetched }) => !isFetched)) return <Skeleton rows={5} />;
  const standing = standings[account.status];
  return (
    <>
      {standing && (
        <div className="mb-6">
          <Notice tone="warn">{standing}</Notice>
        </div>
      )}
      <NeedsYou account={account} />
      <FirstSteps account={account} />
      <CostSoFar account={account} />
      <Work account={account} />
      <NewestResources account={account} />
      <Around />
    </>
  );
}
